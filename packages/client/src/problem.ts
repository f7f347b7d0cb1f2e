/* The problems that the gateway refuses a request with (RFC 9457), and how they are read without repeating secrets. */

import type { Decimal } from './amount.ts';
import { present } from './fields.ts';
import type { Fields } from './fields.ts';
import type { DeliveryEvent } from './results.ts';

/** Codes of the current gateway. */
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

/** A code never changes its meaning. New ones may come. */
export type ProblemCode = KnownProblemCode | (string & {});

/** The problem of a refusal (RFC 9457). Its members depend on the code. */
export interface Problem {
  readonly code: ProblemCode;
  readonly status: number;
  /** A sentence for people; its wording may change. */
  readonly detail?: string;
  /** The wrong field, if there is one. */
  readonly field?: string;
  readonly requestId?: string;
  /** The rule of the account that the message breaks. */
  readonly rule?: string;
  /** too_late: the event of the message. */
  readonly event?: DeliveryEvent;
  /** text_not_encodable: the character, and its position in code points from 0. */
  readonly character?: string;
  readonly position?: number;
  /** text_too_long. */
  readonly numParts?: number;
  readonly maxParts?: number;
  /** insufficient_balance and spend_cap_reached. */
  readonly totalCost?: number;
  readonly clientBalance?: number;
  readonly clientCurrency?: string;
  /** spend_cap_reached: `day` or `month`, its cap, what is spent, and when it ends. */
  readonly period?: 'day' | 'month' | (string & {});
  readonly cap?: number;
  readonly spent?: number;
  readonly endsAt?: string;
  /** The exact amounts. */
  readonly exact: {
    readonly totalCost?: Decimal;
    readonly clientBalance?: Decimal;
    readonly cap?: Decimal;
    readonly spent?: Decimal;
  };
}

/** Sent values that must not appear in an error. */
export interface Secrets {
  readonly token: string;
  readonly text?: string | undefined;
}

/** Reads a problem; undefined without a `code`, because then it is not the gateway's. */
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

/** A word, an id or a time, which an error message may repeat; undefined for anything else. */
export function wordOf(text: string | null | undefined, { token }: Secrets): string | undefined {
  return typeof text === 'string' && /^[\w.:+-]{1,64}$/.test(text) && !text.includes(token) ? text : undefined;
}

/** A text this short is not secret, and would be found in any sentence. */
const textMin = 3;

function sentenceOf(sentence: string | undefined, { token, text = '' }: Secrets): string | undefined {
  const isLeak = sentence?.includes(token) === true || (text.length >= textMin && sentence?.includes(text) === true);
  return isLeak ? undefined : sentence;
}

function oneCharacter(text: string | undefined): string | undefined {
  return text !== undefined && /^.$/su.test(text) ? text : undefined;
}
