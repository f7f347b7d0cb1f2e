/*
 * All reasons for which the gateway refuses a request: each code with its details. `edge/refusals.ts` translates each
 * code to HTTP and SMPP. No rejection contains a token, a password or the text of a message.
 */

import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { refused } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export type Rejection<C extends RejectionCode = RejectionCode> = {
  readonly [Code in C]: { readonly code: Code } & Readonly<Rejections[Code]>;
}[C];

export function invalid(field: string, detail: string): { ok: false; error: Rejection } {
  return refused({ code: 'invalid_parameter', field, detail });
}

export type RejectionCode = keyof Rejections;

/** `stream`: the options cannot be told apart. `missing`: the option needs another option, which is missing. */
export type OptionFault = 'stream' | 'not_allowed' | 'length' | 'missing' | 'value';

interface Rejections {
  malformed_request: { detail: string; field?: string | undefined };
  missing_parameter: { field: string };
  invalid_parameter: {
    field: string;
    detail: string;
    /** All faults of a document; the first is that of `field`. */
    faults?: readonly { readonly field: string; readonly detail: string }[] | undefined;
  };
  invalid_sender: { detail: string };
  /** An optional parameter of a protocol, or an extra. */
  invalid_option: { fault: OptionFault; detail: string };
  text_not_encodable: { detail: string; character: string; position: number };
  text_too_long: { numParts: number; maxParts: number };
  unauthorized: object;
  insufficient_balance: { totalCost: Micros; clientBalance: Micros; clientCurrency: string };
  spend_cap_reached: {
    period: 'day' | 'month';
    cap: Micros;
    spent: Micros;
    totalCost: Micros;
    clientCurrency: string;
    at: Instant;
    /** The end of the day or month of this cap. */
    endsAt: Instant;
  };
  /** `account` is set if the token was valid. It is only logged, not sent to the client. */
  forbidden: { detail: string; account?: string };
  message_not_found: object;
  idempotency_conflict: object;
  too_late: { event: MessageEvent };
  not_found: { detail: string };
  method_not_allowed: { allow: string };
  too_large: { status: 413 | 414 | 431; detail: string };
  unsupported_media_type: { detail: string };
  request_timeout: object;
  sender_not_allowed: { rule: 'senders' };
  destination_blocked: { rule: 'countries' | 'premium' | 'unknown' | 'fixed-line' };
  rate_limited: {
    rule: 'rate' | 'receiver-velocity' | 'prefix-velocity' | 'repeat';
    /** The rule allows `count` parts or messages in `seconds` seconds. */
    count: number;
    seconds: number;
    /** Number of parts or messages that the account could send now. */
    left: number;
    waitMs: number;
  };
  no_route: {
    receiver: string;
    /** A route exists, but every carrier of it leaves less than the account's least margin. Clients do not see this. */
    isBelowMargin?: true;
    /** A sentence that the operator sees instead of the sentence for clients. */
    detail?: string;
  };
  no_price: { receiver: string };
  /** `ofSender` is the sender that the receiver opted out of; null for all senders of the account. */
  receiver_opted_out: { ofSender: string | null };
  /** The Host of the request is not a name of the listener. */
  misdirected: { detail: string };
  already_exists: { detail: string };
  /** The operator cannot remove or change an object that another object uses. */
  in_use: { detail: string };
  /** The request contradicts stored data, or a maximum number of stored objects is reached. */
  conflict: { detail: string };
  does_not_exist: { detail: string };
  /** Operators only: nobody is signed in to the console. */
  sign_in_refused: { detail: string };
  /** Operators only: passwords or codes were tried too often. */
  too_many_tries: { detail: string; waitMs: number };
  internal_error: object;
  unavailable: { detail: string };
}
