/* Handles operations that need only one decision of the state, or one view of the store. */

/* oxlint-disable typescript/no-unsafe-type-assertion -- the name of an operation chose its decision or view, its input and answer */

import { inside, outside } from '@morsel/api/admin/inside.ts';
import type { OperationName, OperationNamed } from '@morsel/api/admin/resources.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Shows } from '../../state/decide/decision.ts';
import { changesSettings, decisions, type DecidedName, type MadeFor } from '../../state/decide/operate.ts';
import type { ViewAnswer, ViewedName, ViewInput } from '../../store/views/views.ts';
import type { Bound } from './bind.ts';
import type { OperatorNeeds } from './operator-needs.ts';

type InputNamed<N extends OperationName> = InputOf<OperationNamed<N>>;
type AnswerNamed<N extends OperationName> = Promise<Result<AnswerOf<OperationNamed<N>>, Rejection>>;

/**
 * Decides an operation, and waits until this node uses the changed settings. `made` has values that a decision cannot
 * make, such as random octets. Returns null if the caller must read the answer from the store.
 */
export async function decideOperation<N extends DecidedName>(
  needs: OperatorNeeds,
  operation: N,
  { input, made }: { readonly input: InputNamed<N>; readonly made: MadeFor<N> },
): Promise<Result<AnswerOf<OperationNamed<N>> | null, Rejection>> {
  const [at, by] = [needs.clock.now(), needs.caller.name];
  const command = { kind: 'operate', operation, at, by, input: inside(operation, input), made } as const;
  const done = await needs.journal.append<'operate'>(command);
  if (done.ok && changesSettings(operation)) await needs.reloadSnapshot();
  const hasRow = done.ok && done.value !== null && 'shows' in done.value;
  const answer = hasRow ? await withRow(needs, operation, done.value as Shows) : done;
  return (answer.ok && answer.value !== null ? ok(outside(operation, answer.value)) : answer) as Result<
    AnswerOf<OperationNamed<N>> | null,
    Rejection
  >;
}

/** Reads the row that was changed, and adds the other values of the decision's answer. */
async function withRow(needs: OperatorNeeds, operation: DecidedName, { shows, ...answer }: Shows) {
  const found = await shown(needs, operation, { ...shows });
  return found.ok ? ok({ ...found.value, ...answer }) : found;
}

/** Handles an operation by its decision. `make` makes values for the decision: it may wait, and use random octets. */
export function decided<N extends DecidedName>(
  operation: N,
  make?: (needs: OperatorNeeds, input: InputNamed<N>) => MadeFor<N> | Promise<MadeFor<N>>,
) {
  return async (needs: OperatorNeeds, input: InputNamed<N>): AnswerNamed<N> => {
    const made = (await make?.(needs, input)) as MadeFor<N>;
    const done = await decideOperation(needs, operation, { input, made });
    if (!done.ok || done.value !== null) return done as Awaited<AnswerNamed<N>>;
    return shown(needs, operation, input) as AnswerNamed<N>;
  };
}

/** Handles an operation by its decision, with what `read` makes of the input, unless it refuses the input. */
export function decidedIf<N extends DecidedName>(
  operation: N,
  read: (
    needs: OperatorNeeds,
    input: InputNamed<N>,
  ) => Promise<Result<MadeFor<N>, Rejection>> | Result<MadeFor<N>, Rejection>,
) {
  return async (needs: OperatorNeeds, input: InputNamed<N>): AnswerNamed<N> => {
    const made = await read(needs, input);
    return made.ok ? decided(operation, () => made.value)(needs, input) : made;
  };
}

type Asked<N extends ViewedName> = Omit<ViewInput<N>, 'now' | 'caller'>;

/** Handles an operation by its view. `read` brings the input into the stored form, or refuses it. */
export function viewed<N extends ViewedName>(
  operation: N,
  read: (input: Asked<N>) => Result<Asked<N>, Rejection> = (input) => ok(input),
) {
  return async (
    needs: Pick<OperatorNeeds, 'reader' | 'clock' | 'caller'>,
    input: Asked<N>,
  ): Promise<ViewAnswer<N> | Result<never, Rejection>> => {
    const asked = read(input);
    if (!asked.ok) return asked;
    const given: unknown = { ...inside(operation, asked.value), now: needs.clock.now(), caller: needs.caller.name };
    const found: Result<unknown, Rejection> = await needs.reader.ask(operation, given as ViewInput<N>);
    if (!found.ok) return found;
    const answer = found.value as Result<object, Rejection>;
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- without it, the union is too complex for tsc
    return (answer.ok ? ok(outside(operation, answer.value)) : answer) as ViewAnswer<N>;
  };
}

/** Handles an operation by its view. First stores the counts of refused requests that are still in memory. */
export function viewedWithCounts<N extends ViewedName>(operation: N) {
  const view = viewed(operation);
  return async (needs: OperatorNeeds, input: Parameters<typeof view>[1]): ReturnType<typeof view> => {
    await needs.counts.write();
    return view(needs, input);
  };
}

/** Returns the handler of an operation that has no handler of its own. */
export function direct(name: OperationName): Bound['handle'] {
  return (name in decisions ? decided(name as DecidedName) : viewed(name as ViewedName)) as Bound['handle'];
}

/** The answer to a change: what the operation `show` of the same resource answers. */
function shown(needs: OperatorNeeds, operation: DecidedName, input: object) {
  const [resource = ''] = operation.split('.');
  const { name, [resource]: named = name }: { readonly [field: string]: unknown } = { ...input };
  return viewed(`${resource}.show` as ViewedName)(needs, { ...input, [resource]: named });
}
