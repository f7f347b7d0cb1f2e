import { jsonGiven } from '@morsel/api/admin/client.ts';
import { readJson, writeJson } from '@morsel/api/admin/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { AnyResult, Command } from '../../../state/commands.ts';
import type { Journal } from '../../../store/journal.ts';
import { withoutAppend } from '../access/audit.ts';
import { perform } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import type { Step } from './plan.ts';

/*
 * Runs operations so that their commands are one commit. Each handler runs until it gives its command to the journal, and
 * waits there. Then all commands are committed together, and each handler goes on with its own result. A trial makes the same
 * decisions, and takes all of them back.
 */

/** A handler that waits for its command. */
interface Held {
  readonly command: Command;
  readonly answer: (result: AnyResult) => void;
}

interface Started {
  readonly step: Step;
  readonly done: Promise<Result<unknown, Rejection>>;
  readonly held: Held;
}

/** A step of a trial that an apply would refuse. */
export interface StepRefused {
  readonly step: Step;
  readonly rejection: Rejection;
}

/** Runs the steps after `first`, all or none. Returns the answer of each step. */
export async function runTogether(
  needs: OperatorNeeds,
  steps: readonly Step[],
  first: Command,
): Promise<Result<readonly unknown[], Rejection>> {
  const reload = reloadOnce(needs);
  const started: Started[] = [];
  for (const step of steps) {
    const one = await start({ ...needs, reloadSnapshot: reload }, step);
    if (!one.ok) {
      await release(started, () => notDone);
      return refused(inStep(step, one.error));
    }
    started.push(one.value);
  }
  const at = needs.clock.now();
  const commands = [first, ...started.map(({ held }) => held.command)];
  const written = await needs.journal.append<'together'>({ kind: 'together', at, steps: commands, isTrial: false });
  if (!written.ok) {
    await release(started, () => written);
    return written;
  }
  const { results, isDone } = written.value;
  if (!isDone) {
    await release(started, () => notDone);
    const failed = results.at(-1);
    const step = started[results.length - 2]?.step;
    return refused(failed?.ok === false ? inStep(step, failed.error) : { code: 'internal_error' });
  }
  // The results of the store have the types of its commands.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const answers = await release(started, (place) => (results[place + 1] as AnyResult | undefined) ?? notDone);
  const failed = answers.findIndex((answer) => !answer.ok);
  const answer = answers[failed];
  if (answer?.ok === false) return refused(inStep(started[failed]?.step, answer.error));
  return ok(answers.map((each) => (each.ok ? each.value : undefined)));
}

/** Decides the steps after `first`, and takes all back. Returns the steps that are refused, and why. */
export async function tryTogether(
  needs: OperatorNeeds,
  steps: readonly Step[],
  first: Command,
): Promise<Result<readonly StepRefused[], Rejection>> {
  const started: Started[] = [];
  const refusals: StepRefused[] = [];
  for (const step of steps) {
    const one = await start(needs, step);
    if (one.ok) started.push(one.value);
    else refusals.push({ step, rejection: one.error });
  }
  const at = needs.clock.now();
  const commands = [first, ...started.map(({ held }) => held.command)];
  const tried = await needs.journal.append<'together'>({ kind: 'together', at, steps: commands, isTrial: true });
  if (!tried.ok) {
    await release(started, () => tried);
    return tried;
  }
  const [ofFirst, ...results] = tried.value.results;
  // A handler may say more than the store why its command is refused.
  const answers = await release(started, (place) => (results[place]?.ok === false ? results[place] : notDone));
  if (ofFirst?.ok === false) return ofFirst;
  for (const [place, { step }] of started.entries()) {
    const answer = answers[place];
    if (results[place]?.ok === false && answer?.ok === false) refusals.push({ step, rejection: answer.error });
  }
  const trouble = refusals.find(({ rejection: { code } }) => code === 'unavailable' || code === 'internal_error');
  return trouble ? refused(trouble.rejection) : ok(refusals);
}

const notDone = refused({ code: 'conflict', detail: 'another step was refused' } as const);

/** Runs the handler of a step until it gives its command to the journal. */
async function start(needs: OperatorNeeds, step: Step): Promise<Result<Started, Rejection>> {
  const { journal } = needs;
  let isHeld = false;
  const { promise: holding, resolve: hold } = Promise.withResolvers<Held>();
  const append = (command: Command): Promise<AnyResult> => {
    if (isHeld) return journal.append(command);
    isHeld = true;
    return new Promise((answer) => hold({ command, answer }));
  };
  // One function stands for the journal's function for each kind of command.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const holder = { ...withoutAppend(journal), append: append as Journal['append'] };
  const { operation } = step.bound;
  const given = { ...Object(readJson(writeJson(jsonGiven(operation, step.input)))) };
  const done = perform(step.bound, { ...needs, journal: holder }, given);
  const first = await Promise.race([holding, done]);
  if ('command' in first) return ok({ step, done, held: first });
  return refused(first.ok ? { code: 'internal_error' } : first.error);
}

/** Gives each handler its result, and waits for its answer. */
function release(started: readonly Started[], resultOf: (place: number) => AnyResult) {
  for (const [place, { held }] of started.entries()) held.answer(resultOf(place));
  return Promise.all(started.map(({ done }) => done));
}

/** All handlers wait for the same snapshot, because all changes were made at once. */
function reloadOnce({ reloadSnapshot }: OperatorNeeds): () => Promise<void> {
  let reloaded: Promise<void> | undefined;
  return () => (reloaded ??= reloadSnapshot());
}

/** Names the step in the reason. */
export function inStep(step: Step | undefined, rejection: Rejection): Rejection {
  if (!step) return rejection;
  const what = `${step.action} ${step.what}`;
  if (rejection.code === 'missing_parameter') {
    const detail = `${what}: ${rejection.field} is missing`;
    return { code: 'conflict', detail };
  }
  if ('detail' in rejection && rejection.detail !== undefined && rejection.code !== 'unavailable') {
    return { code: 'conflict', detail: `${what}: ${rejection.detail}` };
  }
  return rejection;
}
