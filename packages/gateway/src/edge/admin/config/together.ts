import { jsonGiven } from '@morsel/api/admin/client.ts';
import { readJson, writeJson } from '@morsel/api/fields/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { AnyResult, Command } from '../../../state/commands.ts';
import type { Journal } from '../../../store/journal.ts';
import { withoutAppend } from '../access/audit.ts';
import { perform, type Bound } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import type { Step, StepRefused } from '../../../state/decide/config/plan.ts';

/*
 * Runs operations so that their commands are one commit. Each handler runs until it gives its command to the journal,
 * and waits there. Then the state decides all commands together, and each handler continues with its own result. A
 * trial makes the same decisions, and changes nothing.
 */

/** A handler that waits for the result of its command. */
interface Held {
  readonly step: Step;
  readonly command: Command;
  readonly answer: (result: AnyResult) => void;
  readonly done: Promise<Result<unknown, Rejection>>;
}

/** Finds a declared operation, such as `carrier.add`, with its handler. */
export type FindOperation = (name: string) => Bound;
type Needs = OperatorNeeds & { readonly find: FindOperation };

export interface Ran {
  /** The steps that were refused, with the reasons. If a step was refused, nothing was changed. */
  readonly refusals: readonly StepRefused[];
  /** The answers of the steps that were not refused. */
  readonly answers: readonly { readonly step: Step; readonly answer: unknown }[];
}

/** Runs the command `first` and then the steps: all of them, or none. */
export async function runTogether(
  needs: Needs,
  steps: readonly Step[],
  { first, isTrial }: { readonly first: Command; readonly isTrial: boolean },
): Promise<Result<Ran, Rejection>> {
  const inner = { ...needs, reloadSnapshot: reloadOnce(needs) };
  const held: Held[] = [];
  const refusals: StepRefused[] = [];
  for (const step of steps) {
    const one = await hold(inner, step);
    if (one.ok) held.push(one.value);
    else refusals.push({ step, rejection: one.error });
  }
  const written = await needs.journal.append<'together'>({
    kind: 'together',
    at: needs.clock.now(),
    steps: [first, ...held.map(({ command }) => command)],
    isTrial: isTrial || refusals.length > 0,
  });
  const { results, isDone } = written.ok ? written.value : { results: [written], isDone: false };
  const [ofFirst, ...ofSteps] = results;
  for (const [at, { answer }] of held.entries()) {
    const result = ofSteps[at];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the results of the store have the types of its commands
    answer(result?.ok === isDone ? (result as AnyResult) : notDone);
  }
  // The error of a handler may have more details than the store's refusal of its command.
  const ended = await Promise.all(held.map(async ({ step, done }) => ({ step, done: await done })));
  if (ofFirst?.ok === false) return ofFirst;
  const answers: { step: Step; answer: unknown }[] = [];
  for (const [at, { step, done }] of ended.entries()) {
    if (done.ok) answers.push({ step, answer: done.value });
    else if (ofSteps[at]?.ok === isDone) refusals.push({ step, rejection: done.error });
  }
  return ok({ refusals, answers });
}

const notDone = refused({ code: 'conflict', detail: 'another step was refused' } as const);

/** Runs the handler of a step until it gives its command to the journal. */
async function hold(needs: Needs, step: Step): Promise<Result<Held, Rejection>> {
  const { journal } = needs;
  let isHeld = false;
  const { promise: holding, resolve } = Promise.withResolvers<Pick<Held, 'command' | 'answer'>>();
  const append = (command: Command): Promise<AnyResult> => {
    if (isHeld) return journal.append(command);
    isHeld = true;
    return new Promise((answer) => resolve({ command, answer }));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one function stands for those of each kind of command
  const holder = { ...withoutAppend(journal), append: append as Journal['append'] };
  const bound = needs.find(step.operation);
  const given = { ...Object(readJson(writeJson(jsonGiven(bound.operation, step.input)))) };
  const done = perform(bound, { ...needs, journal: holder }, given);
  const first = await Promise.race([holding, done]);
  if ('command' in first) return ok({ step, done, ...first });
  return refused(first.ok ? { code: 'internal_error' } : first.error);
}

/** All handlers wait for one reload of the snapshot, because their changes are in one commit. */
function reloadOnce({ reloadSnapshot }: OperatorNeeds): () => Promise<void> {
  let reloaded: Promise<void> | undefined;
  return () => (reloaded ??= reloadSnapshot());
}
