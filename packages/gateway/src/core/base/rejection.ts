/*
 * Every refusal of the gateway, as one closed list: the codes, each with its members. `edge/refusals.ts` says what each
 * code is over HTTP and SMPP. No rejection carries a token, a password or a text.
 */

import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** One code, or any of them. */
export type Rejection<C extends RejectionCode = RejectionCode> = {
  readonly [Code in C]: { readonly code: Code } & Readonly<Rejections[Code]>;
}[C];

export type RejectionCode = keyof Rejections;

/** What is wrong with a TLV: the TLVs cannot be told apart, it is not allowed, has a bad length or value, or lacks another. */
export type TlvFault = 'stream' | 'not_allowed' | 'length' | 'missing' | 'value';

interface Rejections {
  malformed_request: { detail: string; field?: string | undefined };
  missing_parameter: { field: string };
  invalid_parameter: { field: string; detail: string };
  invalid_sender: { detail: string };
  /** SMPP only. */
  invalid_tlv: { fault: TlvFault; detail: string };
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
    /** The end of the day or month. */
    endsAt: Instant;
  };
  /** `account` is set if the token was valid. It goes to the log only. */
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
    /** The limit: this many parts or messages in this many seconds. */
    count: number;
    seconds: number;
    /** Parts or messages that the account could send now. */
    left: number;
    waitMs: number;
  };
  no_route: {
    receiver: string;
    /** A route exists, but its carriers would leave less than the account's margin. Clients do not see this. */
    isBelowMargin?: true;
    /** The sentence for the operator, in place of the client's. */
    detail?: string;
  };
  no_price: { receiver: string };
  /** The sender that the receiver opted out of; null for every sender of the account. */
  receiver_opted_out: { ofSender: string | null };
  already_exists: { detail: string };
  /** It cannot be removed or changed while something else uses it. */
  in_use: { detail: string };
  /** It contradicts what is stored, for example a maximum number of something. */
  conflict: { detail: string };
  does_not_exist: { detail: string };
  internal_error: object;
  unavailable: { detail: string };
}
