/* The commands `config export`, `config plan`, `config apply` and `config rollback`. */

import { counted, printable } from '@morsel/api/fields/shown.ts';
import { optional, pick } from '@morsel/api/fields/compose.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf, type Values } from '@morsel/api/fields/field.ts';
import { flag, text } from '@morsel/api/fields/fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { config, planFields } from '@morsel/api/admin/running/config.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandOf } from '../bind.ts';
import type { Command, Failure, Input, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { unusable, writeNewFile } from '../files/data-file.ts';
import type { ConfigFile } from './config-file.ts';

export type Plan = AnswerOf<typeof config.operations.plan>;
type Done = ReturnType<Command['run']>;

export const file = text({ summary: 'YAML file with the settings; - is standard input', placeholder: '<file>' });
export const { prune } = pick(config.operations.plan.input, 'prune');
export const yes = optional(flag({ summary: 'do not ask for confirmation' }), false);

export const configCommands: readonly Command[] = [
  commandOf({
    words: 'config export',
    summary: 'Write the settings as YAML, without secrets',
    input: {
      file: optional(text({ summary: 'new file; standard output without it', placeholder: '<file>' })),
    },
    arguments: ['file'],
    examples: {
      'config export morsel.yaml': 'keep the settings in a file, for example in Git',
      'config export': 'print them',
    },
    run: exportConfig,
  }),
  commandOf({
    words: 'config plan',
    summary: 'Show what an apply of a file would change; nothing is changed',
    input: {
      file,
      prune,
      exitCode: optional(flag({ summary: 'end with exit status 1 if there is something to change' }), false),
    },
    arguments: ['file'],
    examples: {
      'config plan morsel.yaml': 'look before you apply',
      'config plan morsel.yaml --exit-code': 'find out in a script whether the gateway differs from the file',
    },
    notes: () => notes,
    run: planConfig,
  }),
  commandOf({
    words: 'config apply',
    summary: 'Show what a file changes, ask, and apply it in one commit: all of it, or nothing',
    input: { file, prune, yes },
    arguments: ['file'],
    isChange: true,
    examples: {
      'config apply morsel.yaml': 'look at the changes and confirm them',
      'config apply morsel.yaml --yes --reason "second route for Germany"': 'apply without a question',
    },
    notes: () => notes,
    run: applyConfig,
  }),
  commandOf({
    words: 'config rollback',
    summary: 'Go back to the settings before the newest apply; a second rollback undoes the first',
    input: { yes },
    isChange: true,
    examples: { 'config rollback': 'look at what goes back, and confirm it' },
    notes: () =>
      'Passwords do not go back, because they are in no file. What was removed comes back with the settings that it had; a new\nwebhook gets a new secret, and a carrier needs its password.',
    run: rollBack,
  }),
];

const notes = `A section that is not in the file stays as it is, and so does a setting that is not in it. Objects that a section does not
name stay, too, unless --prune is given. Settings that changed after the plan was made refuse the apply. A password is given
by reference: password: !env NAME, or password: !file PATH.`;

async function exportConfig({ file: into }: { readonly file?: string | undefined }, shell: Shell): Done {
  const found = await gatewayCalls(shell).config.show();
  if (!found.ok) return found;
  const { writeConfig } = await import('./config-file.ts');
  const yaml = writeConfig(found.value.config);
  if (into === undefined) return ok({ json: found.value.config, text: yaml.trimEnd() });
  const written = await writeNewFile(into, async (write) => {
    write(yaml);
    return ok(undefined);
  });
  if (!written.ok) return written;
  return ok({ json: writeJson({ file: into }), text: `the settings are in ${into}` });
}

async function planConfig(
  given: { readonly file: string; readonly prune: boolean; readonly exitCode: boolean },
  shell: Shell,
): Done {
  const planned = await planFor(shell, given);
  if (!planned.ok) return planned;
  const { plan } = planned.value;
  const report = reportOf(planned.value, shell);
  if (!given.exitCode || plan.steps.length === 0) return ok(report);
  shell.report(report);
  return refused({
    kind: 'refused',
    detail: `the gateway differs from the file in ${counted(plan.steps.length, 'object')}`,
  });
}

async function applyConfig(
  given: { readonly file: string; readonly prune: boolean },
  shell: Shell,
  input: Input,
): Done {
  const planned = await planFor(shell, given);
  return planned.ok ? confirmAndApply(planned.value, shell, { input, file: given.file }) : planned;
}

async function rollBack(_given: object, shell: Shell, input: Input): Done {
  const found = await gatewayCalls(shell).config.previous();
  if (!found.ok) return found;
  const { config: document, appliedAt, appliedBy } = found.value;
  const planned = await gatewayCalls(shell).config.plan({ config: document, prune: true });
  if (!planned.ok) return planned;
  if (!shell.isJson)
    shell.warn(`back to the settings before the apply of ${appliedBy} at ${formatInstant(appliedAt)}:`);
  return confirmAndApply({ plan: planned.value, json: document, prune: true }, shell, { input });
}

type PlaceOf = ConfigFile['placeOf'];

interface Planned {
  readonly plan: Plan;
  readonly json: string;
  readonly prune: boolean;
  readonly placeOf?: PlaceOf;
  /** The references of the secrets in the file. */
  readonly references?: readonly string[];
}

/** Asks the gateway for a plan. Errors name the place in the file. */
async function planFor(
  shell: Shell,
  { file: from, prune: isPruned }: { readonly file: string; readonly prune: boolean },
): Promise<Result<Planned, Failure>> {
  const { readConfig } = await import('./config-file.ts');
  const read = await readConfig(shell, from);
  if (!read.ok) return read;
  const { json, placeOf, references } = read.value;
  const plan = await gatewayCalls(shell).config.plan({ config: json, prune: isPruned });
  if (plan.ok) return ok({ plan: plan.value, json, prune: isPruned, placeOf, references });
  return refused(placed(shell, plan.error, { from, placeOf }));
}

export function placed(
  shell: Shell,
  failure: Failure,
  { from, placeOf }: { readonly from: string; readonly placeOf: PlaceOf },
) {
  const { faults }: { readonly faults?: unknown } =
    failure.problem === undefined ? {} : { ...Object(JSON.parse(failure.problem)) };
  if (!Array.isArray(faults)) return failure;
  const problems = faults.map((each: { readonly field: string; readonly detail: string }) => ({
    ...placeOf(each.field),
    detail: `${each.field}: ${each.detail}`,
  }));
  return unusable(shell, from, problems);
}

async function confirmAndApply(
  planned: Planned,
  shell: Shell,
  { input }: { readonly input: Input; readonly file?: string },
): Done {
  const { json, prune: isPruned, plan } = planned;
  const { steps, version } = plan;
  const report = reportOf(planned, shell);
  if (steps.length === 0) return ok(report);
  if (!shell.isJson) shell.warn(report.text);
  const sentence = `${counted(steps.length, 'object')} would change`;
  const agreed = await confirmed(input, shell, { sentence, question: 'Apply this?' });
  if (!agreed.ok) return agreed;
  const done = await gatewayCalls(shell).config.apply({ config: json, prune: isPruned, version });
  if (!done.ok) return done;
  const { answer } = config.operations.apply;
  return ok({
    json: writeJson(jsonOf(answer, done.value)),
    text: `${counted(steps.length, 'object')} changed, in one commit; morsel config rollback goes back${secretsText(done.value)}`,
  });
}

export function secretsText({ secrets }: AnswerOf<typeof config.operations.apply>): string {
  return secrets
    .map(({ what, secret }) => `\n${what} signs with this secret, which is shown only this once:\n${secret}`)
    .join('');
}

const signs = { add: '+', change: '~', remove: '-' } as const;
const colours = { add: '\u001b[32m', change: '\u001b[33m', remove: '\u001b[31m' } as const;

/**
 * The report of a plan. It names where secrets come from, because a file of somebody else could name any file of the
 * operator.
 */
function reportOf({ plan, references = [] }: Planned, shell: Shell): { readonly json: string; readonly text: string } {
  const read = references.map((each) => `reads ${printable(each)}`);
  const json = writeJson({ ...jsonOf(planFields, plan), references });
  return { json, text: [planText(plan, shell), ...read].join('\n') };
}

/** The steps of a plan for people: what is added, what changes from which value to which, and what is removed. */
export function planText({ steps, kept }: Plan, { hasColour }: Pick<Shell, 'hasColour'>): string {
  const lines = steps.flatMap(({ action, what, changes }) => {
    const line = `${signs[action]} ${action} ${printable(what)}`;
    return [hasColour ? `${colours[action]}${line}\u001b[0m` : line, ...changes.map((each) => lineOf(action, each))];
  });
  const count = (action: Values<typeof planFields>['steps'][number]['action']) =>
    steps.filter((each) => each.action === action).length;
  const sum = `${count('add')} to add, ${count('change')} to change, ${count('remove')} to remove`;
  const more =
    kept.length === 0
      ? ''
      : `\n${counted(kept.length, 'object')} not in the file stay; --prune would remove them: ${kept.slice(0, 5).map(printable).join(', ')}${kept.length > 5 ? ', ...' : ''}`;
  return `${[...lines, lines.length === 0 ? 'nothing to change' : sum].join('\n')}${more}`;
}

function lineOf(
  action: 'add' | 'change' | 'remove',
  { field, before, after }: Plan['steps'][number]['changes'][number],
): string {
  const to = after === null ? 'none' : printable(after);
  return action === 'add'
    ? `    ${field}: ${to}`
    : `    ${field}: ${before === null ? 'none' : printable(before)} -> ${to}`;
}
