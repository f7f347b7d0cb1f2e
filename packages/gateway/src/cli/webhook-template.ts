import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { usage } from './command.ts';
import type { Failure, Input, Option, Shell } from './command.ts';
import { contentOf, firstLineOf } from './file-content.ts';

/* How a template and a secret are given on the command line. */

export const templateOptions: readonly Option[] = [
  {
    flags: '--field <theirs=ours>',
    summary: 'a field by the name that the receiver has for it; with one, only such are sent (none: all, by our names)',
    isRepeated: true,
  },
  {
    flags: '--constant <name=value>',
    summary: 'what is always sent as well; others on this machine may see it go by',
    isRepeated: true,
  },
  {
    flags: '--template-file <file>',
    summary: 'both from a JSON file: {"fields": {"from": "sender"}, "constants": {"key": "abc"}}; - is standard input',
  },
  { flags: '--secret-file <file>', summary: 'a secret of your own, whsec_..., in the first line of a file' },
];

type Values = Input['values'];

/** The fields of a request, with the template as an object and the secret itself. */
export async function withTemplate(
  values: Values,
  shell: Shell,
): Promise<Result<{ readonly [field: string]: unknown }, Failure>> {
  const { field, constant, templateFile, secretFile, ...rest } = values;
  const template = await templateOf({ field, constant, templateFile }, shell);
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
  readonly templateFile: string | undefined;
}

async function templateOf({ field, constant, templateFile }: Given, shell: Shell): Promise<Result<unknown, Failure>> {
  if (templateFile !== undefined) {
    if (field !== undefined || constant !== undefined) return refused(usage('a template is given in one way'));
    const text = await givenIn(templateFile, shell);
    if (!text.ok) return text;
    try {
      return ok(JSON.parse(text.value));
    } catch {
      return refused(usage('the template is no JSON'));
    }
  }
  if (field === 'none' && constant === undefined) return ok('none');
  if (field === undefined && constant === undefined) return ok(undefined);
  const fields = pairsOf(field === 'none' ? undefined : field, 'field');
  if (!fields.ok) return fields;
  const constants = pairsOf(constant, 'constant');
  return constants.ok ? ok({ fields: fields.value, constants: constants.value }) : constants;
}

/** Names and what they stand for. A field alone keeps its name; a constant has to have a value, which nobody is shown. */
function pairsOf(
  lines: string | undefined,
  option: 'field' | 'constant',
): Result<{ readonly [name: string]: string }, Failure> {
  const pairs = new Map<string, string>();
  for (const line of lines?.split('\n') ?? []) {
    const at = line.indexOf('=');
    const name = at === -1 ? line : line.slice(0, at);
    if (name === '' || (at === -1 && option === 'constant')) {
      return refused(usage(`--${option}: it is a name, =, and what it stands for`));
    }
    if (pairs.has(name)) return refused(usage(`--${option}: ${name} is there twice`));
    pairs.set(name, at === -1 ? line : line.slice(at + 1));
  }
  return ok(Object.fromEntries(pairs));
}

/** The secret in a file, or in standard input. */
export async function secretIn(file: string, shell: Shell): Promise<Result<string, Failure>> {
  const text = await givenIn(file, shell);
  return text.ok ? ok(firstLineOf(text.value).trim()) : text;
}

/** What stands in a file; `-` is standard input. */
async function givenIn(file: string, shell: Shell): Promise<Result<string, Failure>> {
  return file === '-' ? ok(await shell.readInput()) : contentOf(file);
}
