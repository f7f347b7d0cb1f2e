import { readFile } from 'node:fs/promises';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { usage } from './command.ts';
import type { Failure, Input, Option, Shell } from './command.ts';

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
  const secret = secretFile === undefined ? ok(undefined) : await firstLineOf(secretFile, shell);
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
    const text = await contentOf(templateFile, shell);
    if (!text.ok) return text;
    try {
      return ok(JSON.parse(text.value));
    } catch {
      return refused(usage('the template is no JSON'));
    }
  }
  if (field === 'none' && constant === undefined) return ok('none');
  if (field === undefined && constant === undefined) return ok(undefined);
  const fields = pairsOf(field === 'none' ? undefined : field);
  const constants = pairsOf(constant);
  if (!fields || !constants) return refused(usage('a field and a constant are a name, =, and what it stands for'));
  return ok({ fields, constants });
}

function pairsOf(lines: string | undefined): { readonly [name: string]: string } | undefined {
  const pairs: [string, string][] = [];
  for (const line of lines?.split('\n') ?? []) {
    const at = line.indexOf('=');
    // `sender` alone keeps its name.
    if (at === 0) return undefined;
    pairs.push(at === -1 ? [line, line] : [line.slice(0, at), line.slice(at + 1)]);
  }
  return Object.fromEntries(pairs);
}

export async function firstLineOf(file: string, shell: Shell): Promise<Result<string, Failure>> {
  const text = await contentOf(file, shell);
  return text.ok ? ok((text.value.split('\n', 1)[0] ?? '').trim()) : text;
}

async function contentOf(file: string, shell: Shell): Promise<Result<string, Failure>> {
  try {
    return ok(file === '-' ? await shell.readInput() : await readFile(file, 'utf8'));
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown';
    return refused(usage(`${file} cannot be read: ${code}`));
  }
}
