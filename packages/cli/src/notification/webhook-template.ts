import { fieldNames } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { usage } from '../command.ts';
import type { Failure, Input, Option, Shell } from '../command.ts';
import { contentOf, firstLineOf } from '../file-content.ts';
import { objectIn } from '../json-file.ts';

/* How a template and a secret are given on the command line. */

const fileSummary =
  'both from a JSON file: {"fields": {"from": "sender"}, "constants": {"key": "abc"}}; - is standard input';

/** For a webhook that is made. */
export const templateOptions: readonly Option[] = [
  {
    flags: '--field <theirs=ours>',
    summary:
      'a field by the name that the receiver has for it; with one, only such are sent (default: any, all by our names)',
    isRepeated: true,
  },
  {
    flags: '--constant <name=value>',
    summary: 'what is always sent as well; others on this machine may see it go by (none)',
    isRepeated: true,
  },
  { flags: '--template-file <file>', summary: fileSummary },
  { flags: '--secret-file <file>', summary: 'a secret of your own, whsec_..., in the first line of a file' },
];

/** For one that is there: what they do not name stays. */
export const templateChangeOptions: readonly Option[] = [
  {
    flags: '--field <theirs=ours>',
    summary:
      'one more field, or another for this name of the receiver; any alone sends all; after "" they are all there are',
    isRepeated: true,
  },
  {
    flags: '--constant <name=value>',
    summary: 'one more constant, or another value; with none before it, instead of all there are',
    isRepeated: true,
  },
  {
    flags: '--without <name>',
    summary: "a field or a constant, by the receiver's name, that is sent no more",
    isRepeated: true,
  },
  { flags: '--template-file <file>', summary: `${fileSummary}; what the file has not stays` },
];

type Values = Input['values'];

/** The fields of a request, with the template, or what is to change of it, as an object, and the secret itself. */
export async function withTemplate(
  values: Values,
  shell: Shell,
  isChange: boolean,
): Promise<Result<{ readonly [field: string]: unknown }, Failure>> {
  const { field, constant, without, templateFile, secretFile, ...rest } = values;
  const template = await templateOf({ field, constant, without, templateFile }, { shell, isChange });
  if (!template.ok) return template;
  const secret = secretFile === undefined ? ok(undefined) : await secretIn(secretFile, shell);
  if (!secret.ok) return secret;
  return ok({
    ...rest,
    ...(template.value !== undefined && { template: template.value }),
    ...(secret.value !== undefined && { secret: secret.value }),
  });
}

interface Given {
  readonly field: string | undefined;
  readonly constant: string | undefined;
  readonly without: string | undefined;
  readonly templateFile: string | undefined;
}

async function templateOf(
  { field, constant, without, templateFile }: Given,
  { shell, isChange }: { readonly shell: Shell; readonly isChange: boolean },
): Promise<Result<object | undefined, Failure>> {
  const isInWords = field !== undefined || constant !== undefined || without !== undefined;
  if (templateFile !== undefined) {
    if (isInWords) return refused(usage('a template is given in one way: by a file, or by its fields and constants'));
    const text = await givenIn(templateFile, shell);
    return text.ok ? objectIn(text.value, nameOf(templateFile)) : text;
  }
  if (!isInWords) return ok(undefined);
  const fields = pairsOf(field, 'field');
  if (!fields.ok) return fields;
  const constants = pairsOf(constant, 'constant');
  if (!constants.ok) return constants;
  if (!isChange) {
    return ok({ ...(field !== undefined && { fields: fields.value.pairs }), constants: constants.value.pairs });
  }
  const names = without === undefined ? {} : { without: without.split('\n') };
  const both = { fields: fields.value, constants: constants.value };
  return ok({ ...partsOf(both, true), add: partsOf(both, false), ...names });
}

interface Pairs {
  /** `any`: all fields, by our names. */
  readonly pairs: { readonly [name: string]: string } | 'any';
  /** Given after an empty one: they are all there are to be. */
  readonly isInstead: boolean;
}

function partsOf(both: { readonly [member: string]: Pairs }, isInstead: boolean): object {
  const wanted = Object.entries(both).filter(([, part]) => part.isInstead === isInstead);
  return Object.fromEntries(wanted.map(([member, { pairs }]) => [member, pairs]));
}

const noneHint =
  '--field: none is not taken here: any sends all fields, and "" followed by fields (--field "" --field from=sender) sends those alone';

/** Names and what they stand for. A field alone keeps its name; a constant has to have a value, which nobody is shown. */
function pairsOf(lines: string | undefined, option: 'field' | 'constant'): Result<Pairs, Failure> {
  const given = lines?.split('\n') ?? [];
  if (option === 'field') {
    if (given.includes('none')) return refused(usage(noneHint));
    if (given.length === 1 && given[0] === 'any') return ok({ pairs: 'any', isInstead: true });
    if (given.includes('any')) return refused(usage('--field: any stands alone, as it sends all fields'));
    if (given.length === 1 && given[0] === '') return refused(usage('--field: name a field after "", or give any'));
  }
  const isInstead = given[0] === '' || (option === 'constant' && given[0] === 'none');
  const pairs = new Map<string, string>();
  for (const line of isInstead ? given.slice(1) : given) {
    const at = line.indexOf('=');
    const name = at === -1 ? line : line.slice(0, at);
    if (line === 'none') {
      return refused(usage(`--${option}: none comes once and first, before those that are to be all there are`));
    }
    if (name === '' || (at === -1 && option === 'constant')) {
      return refused(usage(`--${option}: it is a name, =, and what it stands for`));
    }
    if (at === -1 && !fieldNames.some((each) => each === name)) {
      const known = `fields are ${fieldNames.join(', ')}`;
      return refused(usage(`--field: ${name} is none of our fields; it is theirs=ours, such as from=sender: ${known}`));
    }
    if (pairs.has(name)) return refused(usage(`--${option}: ${name} is there twice`));
    pairs.set(name, at === -1 ? line : line.slice(at + 1));
  }
  return ok({ pairs: Object.fromEntries(pairs), isInstead });
}

/** The secret in a file, or in standard input. */
export async function secretIn(file: string, shell: Shell): Promise<Result<string, Failure>> {
  const text = await givenIn(file, shell);
  if (!text.ok) return text;
  const secret = firstLineOf(text.value).trim();
  return secret === '' ? refused(usage(`${nameOf(file)} has no secret in its first line`)) : ok(secret);
}

/** What stands in a file; `-` is standard input. */
async function givenIn(file: string, shell: Shell): Promise<Result<string, Failure>> {
  return file === '-' ? ok(await shell.readInput()) : contentOf(file);
}

function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}
