/*
 * The problems (RFC 9457) with which the gateway refuses requests, and the code that reads them without their secrets.
 */

import type { Decimal } from './amount.ts';
import { present, type Fields } from './fields.ts';
import type { DeliveryEvent } from './results.ts';

/** The problem codes of the current gateway. */
export type KnownProblemCode =
  | 'malformed_request'
  | 'missing_parameter'
  | 'invalid_parameter'
  | 'invalid_sender'
  | 'text_not_encodable'
  | 'text_too_long'
  | 'unauthorized'
  | 'insufficient_balance'
  | 'spend_cap_reached'
  | 'forbidden'
  | 'sender_not_allowed'
  | 'message_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'idempotency_conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'no_route'
  | 'no_price'
  | 'destination_blocked'
  | 'receiver_opted_out'
  | 'too_late'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

/** A problem code. The meaning of a code never changes, but newer gateways may have more codes. */
export type ProblemCode = KnownProblemCode | (string & {});

/** The problem with which the gateway refused a request (RFC 9457). The members of the problem depend on its code. */
export interface Problem {
  readonly code: ProblemCode;
  readonly status: number;
  /** A sentence for people. Newer gateways may change the wording. */
  readonly detail?: string;
  /** The name of the wrong field, if the problem concerns a field. */
  readonly field?: string;
  readonly requestId?: string;
  /** The rule of the account that refused the message. */
  readonly rule?: string;
  /** For too_late: the current event of the message. */
  readonly event?: DeliveryEvent;
  /** For text_not_encodable: the character, and its position in code points from 0. */
  readonly character?: string;
  readonly position?: number;
  /** For text_too_long: the number of parts of the text, and the maximum. */
  readonly numParts?: number;
  readonly maxParts?: number;
  /**
   * For insufficient_balance and spend_cap_reached: the cost of the message, and the balance and currency of the
   * account.
   */
  readonly totalCost?: number;
  readonly clientBalance?: number;
  readonly clientCurrency?: string;
  /**
   * For spend_cap_reached: the period (`day` or `month`), the spending cap, the amount already spent, and the end of
   * the period.
   */
  readonly period?: 'day' | 'month' | (string & {});
  readonly cap?: number;
  readonly spent?: number;
  readonly endsAt?: string;
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
 * Reads a problem. Returns undefined if the answer has no `code`, because then the answer does not come from the
 * gateway.
 */
export function readProblem(fields: Fields, status: number, secrets: Secrets): Problem | undefined {
  const word = (name: string): string | undefined => wordOf(fields.optionalText(name), secrets);
  const code = word('code');
  if (code === undefined) return undefined;
  const totalCost = fields.optionalAmount('totalCost');
  const clientBalance = fields.optionalAmount('clientBalance');
  const cap = fields.optionalAmount('cap');
  const spent = fields.optionalAmount('spent');
  return present({
    code,
    status,
    detail: sentenceOf(fields.optionalText('detail'), secrets),
    field: word('field'),
    requestId: word('requestId'),
    rule: word('rule'),
    event: word('event'),
    character: oneCharacter(fields.optionalText('character')),
    position: fields.optionalCount('position'),
    numParts: fields.optionalCount('numParts'),
    maxParts: fields.optionalCount('maxParts'),
    totalCost: totalCost?.number,
    clientBalance: clientBalance?.number,
    clientCurrency: word('clientCurrency'),
    period: word('period'),
    cap: cap?.number,
    spent: spent?.number,
    endsAt: word('endsAt'),
    exact: present({
      totalCost: totalCost?.exact,
      clientBalance: clientBalance?.exact,
      cap: cap?.exact,
      spent: spent?.exact,
    }),
  });
}

/** Returns the text if it is a word, an id or a time, which may appear in an error; undefined for any other text. */
export function wordOf(text: string | null | undefined, { token }: Secrets): string | undefined {
  return typeof text === 'string' && /^[\w.:+-]{1,64}$/.test(text) && !text.includes(token) ? text : undefined;
}

/** The shortest message text that we remove from sentences. One or two letters occur in almost every sentence by chance. */
const textMin = 3;

function sentenceOf(sentence: string | undefined, { token, text = '' }: Secrets): string | undefined {
  const isLeak = sentence?.includes(token) === true || (text.length >= textMin && sentence?.includes(text) === true);
  return isLeak ? undefined : sentence;
}

function oneCharacter(text: string | undefined): string | undefined {
  return text !== undefined && /^.$/su.test(text) ? text : undefined;
}
