/* The operator's API in the browser. The session cookie says who calls; the gateway decides what the role may do. */

import { askOperation, callsOf, createAdminClient, type AdminFailure } from '@morsel/api/admin/client.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { addedUp, allSteps } from '@morsel/api/admin/steps.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';

/** The error of a query: the gateway refused the request, or cannot be reached. */
export class CallFailed extends Error {
  readonly failure: AdminFailure;

  constructor(failure: AdminFailure) {
    super(failure.kind === 'refused' ? failure.problem.detail : failure.code);
    this.failure = failure;
  }

  /** The refused field, so that a form can show the reason beside it. */
  get field(): string | undefined {
    return this.failure.kind === 'refused' ? this.failure.problem.field : undefined;
  }

  get code(): string {
    return this.failure.kind === 'refused' ? this.failure.problem.code : this.failure.code;
  }

  /** The HTTP status of the answer; 0 if no answer came. */
  get status(): number {
    return this.failure.kind === 'refused' ? this.failure.status : 0;
  }
}

export const calls = createAdminClient('', {});

/**
 * The idempotency keys of the changes that one press makes, in order. Another press with the same `key` gets the same
 * keys.
 */
function keysFrom(key: string): () => string {
  let count = 0;
  return () => `${key}-${(count += 1)}`;
}

/** Calls whose changes are done once, even if they are repeated with the same key. */
export function callsOnce(key: string): typeof calls {
  const next = keysFrom(key);
  return callsOf((operation, given) => {
    const credentials = operation.isChange ? { idempotencyKey: next() } : {};
    return askOperation({ base: '', credentials, operation, given });
  });
}

/** Returns the value of an answer. Throws `CallFailed` if there is none. */
export async function valueOf<T>(answer: Promise<Result<T, AdminFailure>>): Promise<T> {
  const result = await answer;
  if (result.ok) return result.value;
  throw new CallFailed(result.error);
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Calls an operation until its last step, and returns the answers as one. Throws `CallFailed`. Presses with the same
 * `key` make their changes once.
 */
export async function askWhole(
  operation: Operation,
  given: Row,
  { key = '', reason = '' }: { readonly key?: string; readonly reason?: string } = {},
): Promise<Row> {
  const nextKey = keysFrom(key);
  const { steps } = await allSteps(operation, async (place) => {
    const credentials = { ...(reason !== '' && { reason }), ...(operation.isChange && { idempotencyKey: nextKey() }) };
    const answer = await askOperation({ base: '', credentials, operation, given: { ...given, ...place } });
    if (!answer.ok) throw new CallFailed(answer.error);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has read it by the declaration
    return ok(answer.value.value as Row);
  });
  const sum = addedUp(operation, steps);
  return operation.command?.whole?.of(sum, steps) ?? sum;
}
