import { present } from './fields.ts';
import type { Problem, ProblemCode } from './problem.ts';
import type { DeliveryReport } from './results.ts';

/**
 * - `refused`: the service answered, and said no. `problem` has why.
 * - `network`: no answer came, or half of one.
 * - `timeout`: no answer came in time.
 * - `aborted`: your `signal` said stop.
 * - `unreadable`: something answered, but not the service: a proxy, a login page, a redirect.
 * - `invalid`: the call cannot be made as it is; nothing was sent.
 */
export type ErrorKind = 'refused' | 'network' | 'timeout' | 'aborted' | 'unreadable' | 'invalid';

/** The codes of what is no refusal of the service's. */
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
 * The one error that every call of `Morsel` may reject with. Nothing in it holds the token or the text of a message, so
 * it can be logged as it is.
 */
export class MorselError extends Error {
  override readonly name = 'MorselError';
  declare readonly kind: ErrorKind;
  declare readonly code: ProblemCode | LocalCode;
  /** The HTTP status, if there was an answer. */
  declare readonly status: number | undefined;
  /** The field at fault, if it is one. */
  declare readonly field: string | undefined;
  /** What the operator finds the request by. */
  declare readonly requestId: string | undefined;
  /** In how many milliseconds the service wants to be asked again, if it said so. */
  declare readonly retryAfterMs: number | undefined;
  /** Whether the same call may succeed later, with nothing changed. */
  declare readonly isTransient: boolean;
  /**
   * Whether the call may have had its effect all the same: a message may have been sent. `send` again with this
   * error's `idempotencyKey`, and you are told what became of it; nothing is sent or charged twice.
   */
  declare readonly isInDoubt: boolean;
  /** The key that `send` used, in each of its tries. */
  declare readonly idempotencyKey: string | undefined;
  /** Of a refusal: all that the service said. */
  declare readonly problem: Problem | undefined;
  /** Of `waitForFinal`: the last report that came. */
  declare readonly report: DeliveryReport | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message);
    Object.assign(this, { isTransient: false, isInDoubt: false, ...present({ ...facts, message: undefined }) });
  }
}

/** The same error, with what its caller knows of it besides. */
export function extended(
  error: MorselError,
  more: Pick<ErrorFacts, 'isInDoubt' | 'idempotencyKey' | 'report'>,
): MorselError {
  return new MorselError(Object.assign({ message: error.message }, error, more));
}

export function invalid(field: string, message: string): MorselError {
  return new MorselError({ kind: 'invalid', code: 'invalid_argument', field, message: `${field} ${message}` });
}

/** `hint` follows the name: what was meant, or what there is. */
export function unknownField(field: string, hint: string): MorselError {
  return new MorselError({
    kind: 'invalid',
    code: 'invalid_argument',
    field,
    message: `unknown field ${field}${hint}`,
  });
}

/** Callers without types may leave out what has to be there, or hand in something else. */
export function needObject(field: string, value: object, what: string): void {
  if (typeof value !== 'object' || value === null) throw invalid(field, `has to be ${what}`);
}
