/* `MorselError`, the only error that calls of `Morsel` reject with. */

import { present } from './fields.ts';
import type { Problem, ProblemCode } from './problem.ts';
import type { DeliveryReport } from './results.ts';

/**
 * - `refused`: the gateway refused the request. `problem` says why.
 * - `network`: no answer came, or an incomplete one.
 * - `timeout`: no answer came in time.
 * - `aborted`: your `signal` aborted the call.
 * - `unreadable`: an answer that is not the gateway's: a proxy, a login page, a redirect.
 * - `invalid`: an argument is wrong; nothing was sent.
 */
export type ErrorKind = 'refused' | 'network' | 'timeout' | 'aborted' | 'unreadable' | 'invalid';

/** Codes of errors other than refusals. */
export type LocalCode =
  | 'network_error'
  | 'timeout'
  | 'not_final'
  | 'aborted'
  | 'unreadable_answer'
  | 'answer_too_large'
  | 'redirected'
  | 'invalid_argument';

export interface ErrorFacts {
  readonly kind: ErrorKind;
  readonly code: ProblemCode | LocalCode;
  readonly message: string;
  readonly status?: number | undefined;
  readonly field?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly isTransient?: boolean;
  readonly isInDoubt?: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly problem?: Problem | undefined;
  readonly report?: DeliveryReport | undefined;
}

/**
 * The only error that a call of `Morsel` rejects with. It has neither the token nor the text of a message, so it can be
 * logged.
 */
export class MorselError extends Error {
  override readonly name = 'MorselError';
  declare readonly kind: ErrorKind;
  declare readonly code: ProblemCode | LocalCode;
  /** The HTTP status, if there was an answer. */
  declare readonly status: number | undefined;
  /** The wrong field, if there is one. */
  declare readonly field: string | undefined;
  /** The id by which the operator finds the request. */
  declare readonly requestId: string | undefined;
  /** Milliseconds after which the gateway asked to retry, if it did. */
  declare readonly retryAfterMs: number | undefined;
  /** Whether the same call may succeed later. */
  declare readonly isTransient: boolean;
  /**
   * Whether the call may have had its effect: a message may have been sent. Call `send` again with this error's
   * `idempotencyKey` to learn the result; nothing is sent or charged twice.
   */
  declare readonly isInDoubt: boolean;
  /** The idempotency key of all tries of `send`. */
  declare readonly idempotencyKey: string | undefined;
  /** The whole problem of a refusal. */
  declare readonly problem: Problem | undefined;
  /** The last report, of `waitForFinal`. */
  declare readonly report: DeliveryReport | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message);
    Object.assign(this, { isTransient: false, isInDoubt: false, ...present({ ...facts, message: undefined }) });
  }
}

/** The same error with the caller's additions. */
export function extended(
  error: MorselError,
  more: Pick<ErrorFacts, 'isInDoubt' | 'idempotencyKey' | 'report'>,
): MorselError {
  return new MorselError(Object.assign({ message: error.message }, error, more));
}

export function invalid(field: string, message: string): MorselError {
  return new MorselError({ kind: 'invalid', code: 'invalid_argument', field, message: `${field} ${message}` });
}

/** `hint` follows the name: a suggestion, or the list. */
export function unknownField(field: string, hint: string): MorselError {
  return new MorselError({
    kind: 'invalid',
    code: 'invalid_argument',
    field,
    message: `unknown field ${field}${hint}`,
  });
}

/** Callers without types may omit a required argument, or pass another type. */
export function needObject(field: string, value: object, what: string): void {
  if (typeof value !== 'object' || value === null) throw invalid(field, `must be ${what}`);
}
