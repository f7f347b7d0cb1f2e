import type { Field, FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { optionOf, usage, type Failure, type Input, type Shell } from './command.ts';
import { contentOf, firstLineOf } from './files/file-content.ts';

/* Collects the fields of an operation from arguments, options, files and standard input. */

/** The option's name without the leading hyphens. */
export function optionNameOf(name: string, { about }: Field<unknown>): string {
  return about.option ?? optionOf(name);
}

/** The option or argument of a field, as it is typed. */
export function labelOf(name: string, field: Field<unknown>): string {
  const { flag, typed = ['value'] } = field.about;
  const option = optionNameOf(name, field);
  return flag?.name ?? (typed.includes('file') && !typed.includes('value') ? `${option}-file` : option);
}

/** Names the field as it was typed. */
export function labelled(
  detail: string,
  { input, named = [] }: { readonly input: FieldTable; readonly named?: readonly string[] | undefined },
  name: string | undefined,
): string {
  const field = name !== undefined && Object.hasOwn(input, name) ? input[name] : undefined;
  if (name === undefined || field === undefined) return detail;
  const isSwitch = field.about.flag !== undefined || field.schema['type'] === 'boolean';
  const option = `--${labelOf(name, field)}`;
  const label = isSwitch ? option : labelOf(name, field);
  if (detail.startsWith('must ')) return `${label} ${detail}`;
  return detail.startsWith(`${name} `)
    ? `${label}${detail.slice(name.length)}`
    : `${named.includes(name) ? label : option}: ${detail}`;
}

export async function givenOf(
  { input }: Pick<Operation, 'input'>,
  typed: Input,
  shell: Shell,
): Promise<Result<{ readonly [field: string]: string }, Failure>> {
  const given: { [field: string]: string } = {};
  for (const [name, field] of Object.entries(input)) {
    const value = await valueOf({ name, field }, typed, shell);
    if (!value.ok) return value;
    if (value.value !== undefined) given[name] = field.about.sends?.(value.value) ?? value.value;
  }
  return ok(given);
}

async function valueOf(
  { name, field }: { readonly name: string; readonly field: Field<unknown> },
  { values, flags }: Input,
  shell: Shell,
): Promise<Result<string | undefined, Failure>> {
  const { flag } = field.about;
  const option = optionNameOf(name, field);
  const key = camelCase(option);
  if (flag) return ok(flags.has(camelCase(flag.name)) ? flag.value : undefined);
  if (field.schema['type'] === 'boolean') return ok(flags.has(key) ? 'true' : undefined);
  const value = values[key] ?? values[name];
  const file = values[`${key}File`];
  const isPiped = flags.has(`${key}Stdin`);
  const numGiven = Number(value !== undefined) + Number(file !== undefined) + Number(isPiped);
  const { typed = ['value'] } = field.about;
  if (numGiven > 1 || (numGiven === 0 && field.need === 'must' && typed.length > 1)) {
    const ways = typed.map((how) => `--${option}${how === 'value' ? '' : `-${how}`}`);
    const mayBeEmpty = numGiven === 0 && typed.includes('value') && field.read('').ok;
    const orEmpty = mayBeEmpty ? `, or --${option} "" if there is none` : '';
    return refused(usage(`give one of ${ways.join(', ').replace(/, ([^,]*)$/, ' and $1')}${orEmpty}`));
  }
  if (file === undefined && !isPiped) return ok(value);
  // `none` instead of a file name removes the setting.
  if (field.takesNone === true && (file === 'none' || file === '')) return ok('none');
  const text = file === undefined || file === '-' ? ok(await shell.readInput()) : await contentOf(file);
  const isOneLine = field.about.isSecret === true && field.about.isWholeFile !== true;
  return text.ok && isOneLine ? ok(firstLineOf(text.value)) : text;
}

function camelCase(option: string): string {
  return option.replaceAll(/-([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
