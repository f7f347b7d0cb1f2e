/* The class `MorselError`: calls of `Morsel` reject only with this error. */

import type { Problem, ProblemCode } from './problem.ts';
import type { DeliveryReport } from './results.ts';

/**
 * - `refused`: the gateway refused the request. `problem` contains the reason.
 * - `network`: no complete answer came.
 * - `timeout`: no answer came in time.
 * - `aborted`: your `signal` aborted the call.
 * - `unreadable`: the answer does not come from the gateway, but for example from a proxy or a login page, or is a
 *   redirect.
 * - `invalid`: an argument is wrong; nothing was sent.
 */
export type ErrorKind = 'refused' | 'network' | 'timeout' | 'aborted' | 'unreadable' | 'invalid';

/** The codes of errors that are not refusals of the gateway. */
export type LocalCode =
  | 'network_error'
  | 'timeout'
  | 'not_final'
  | 'aborted'
  | 'unreadable_answer'
  | 'answer_too_large'
  | 'redirected'
  | 'invalid_argument';

/**
 * Calls of `Morsel` reject only with this error. The error contains neither the token nor the text of a message, so it
 * can be logged.
 */
export class MorselError extends Error {
  override readonly name = 'MorselError';
  declare readonly kind: ErrorKind;
  declare readonly code: ProblemCode | LocalCode;
  /** The HTTP status of the answer; undefined if no answer came. */
  declare readonly status: number | undefined;
  /** The name of the wrong field or argument, if the error concerns a field or an argument. */
  declare readonly field: string | undefined;
  /** The id of the request, for questions to the operator of the gateway. */
  declare readonly requestId: string | undefined;
  /** How many milliseconds to wait before a retry, if the answer had a `Retry-After` header. */
  declare readonly retryAfterMs: number | undefined;
  /** Whether the same call may succeed later. */
  declare readonly isTransient: boolean;
  /**
   * Whether the effect of the call is unknown: a message may have been sent or canceled. To learn the result of `send`,
   * call it again with `idempotencyKey` of this error; nothing is sent or charged twice.
   */
  declare readonly isInDoubt: boolean;
  /** The idempotency key that all tries of this `send` used. */
  declare readonly idempotencyKey: string | undefined;
  /** The complete problem with which the gateway refused the request. */
  declare readonly problem: Problem | undefined;
  /** The last report that `waitForFinal` got. */
  declare readonly report: DeliveryReport | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message);
    const known = Object.entries(facts).filter(([, value]) => value !== undefined);
    Object.assign(this, { isTransient: false, isInDoubt: false }, Object.fromEntries(known));
  }
}

export type ErrorFacts = Pick<MorselError, 'kind' | 'code' | 'message'> & Partial<MorselError>;

/** Returns a copy of the error with additional members. */
export function extended(
  error: MorselError,
  more: Pick<ErrorFacts, 'isInDoubt' | 'idempotencyKey' | 'report'>,
): MorselError {
  return new MorselError(Object.assign({ message: error.message }, error, more));
}

export function invalid(field: string, message: string): MorselError {
  return new MorselError({ kind: 'invalid', code: 'invalid_argument', field, message: `${field} ${message}` });
}

/**
 * Throws if an argument is not an object. Callers in plain JavaScript may omit a required argument or pass another
 * type.
 */
export function needObject(field: string, value: object, what: string): void {
  if (typeof value !== 'object' || value === null) throw invalid(field, `must be ${what}`);
}
