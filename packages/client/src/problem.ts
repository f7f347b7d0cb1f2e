/*
 * The problems (RFC 9457) with which the gateway refuses requests, and the code that reads them without their secrets.
 */

import type * as contract from './contract.ts';
import { isSent, type Decimal, type Members } from './amount.ts';
import type { DeliveryEvent } from './results.ts';

/** The problem codes of the current gateway. */
export type KnownProblemCode = contract.ProblemCode;

/** A problem code. The meaning of a code never changes, but newer gateways may have more codes. */
export type ProblemCode = KnownProblemCode | (string & {});

/** The problem with which the gateway refused a request (RFC 9457). The members of the problem depend on its code. */
export interface Problem extends Partial<Omit<contract.Problem, 'code' | 'status' | 'event'>> {
  readonly code: ProblemCode;
  readonly status: number;
  /** For too_late: the current event of the message. */
  readonly event?: DeliveryEvent;
  /** The exact amounts as text, because numbers may be rounded. */
  readonly exact: {
    readonly totalCost?: Decimal;
    readonly clientBalance?: Decimal;
    readonly cap?: Decimal;
    readonly spent?: Decimal;
  };
}

/** Values of the request that must not appear in an error. */
export interface Secrets {
  readonly token: string;
  readonly text?: string | undefined;
}

/**
 * Reads a problem, without the members that repeat the token or the text of the message. Returns undefined if the answer
 * has no `code`, because then the answer does not come from the gateway.
 */
export function readProblem({ all, exact }: Members, status: number, secrets: Secrets): Problem | undefined {
  const safe = Object.entries(all).filter(([, value]) =>
    typeof value === 'string' ? !isLeak(value, secrets) : typeof value !== 'object',
  );
  const problem = { ...Object.fromEntries(safe), status, exact };
  // The message of an error shows `code` and `field`.
  for (const name of ['code', 'field']) if (!isWord(Reflect.get(problem, name))) Reflect.deleteProperty(problem, name);
  return isSent<Problem>(problem, 'code') ? problem : undefined;
}

/** Whether a value is a word or an id. */
export function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:+-]{1,64}$/.test(value);
}

/**
 * The shortest message text that is searched for in a problem. One or two letters occur in almost every sentence by
 * chance.
 */
const textMin = 3;

export function isLeak(value: string, { token, text = '' }: Secrets): boolean {
  return value.includes(token) || (text.length >= textMin && value.includes(text));
}
