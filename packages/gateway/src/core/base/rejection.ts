import type { MessageEvent } from './message.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/**
 * Everything that we refuse, as one closed list. `edge/refusals.ts` says what each is over HTTP and over SMPP, and the
 * compiler keeps that table complete. No rejection carries a token, a password or a text.
 */
export type Rejection =
  | { readonly code: 'malformed_request'; readonly detail: string; readonly field?: string | undefined }
  | { readonly code: 'missing_parameter'; readonly field: string }
  | { readonly code: 'invalid_parameter'; readonly field: string; readonly detail: string }
  | { readonly code: 'invalid_sender'; readonly detail: string }
  /** Of optional parameters, which only a PDU has. */
  | { readonly code: 'invalid_tlv'; readonly fault: TlvFault; readonly detail: string }
  | {
      readonly code: 'text_not_encodable';
      readonly detail: string;
      readonly character: string;
      readonly position: number;
    }
  | { readonly code: 'text_too_long'; readonly numParts: number; readonly maxParts: number }
  | { readonly code: 'unauthorized' }
  | {
      readonly code: 'insufficient_balance';
      readonly totalCost: Micros;
      readonly clientBalance: Micros;
      readonly clientCurrency: string;
    }
  | {
      readonly code: 'spend_cap_reached';
      readonly period: 'day' | 'month';
      readonly cap: Micros;
      readonly spent: Micros;
      readonly totalCost: Micros;
      readonly clientCurrency: string;
      readonly at: Instant;
      /** When the day or the month is over. */
      readonly endsAt: Instant;
    }
  /** The account is known where its token was good: it is for the log alone. */
  | { readonly code: 'forbidden'; readonly detail: string; readonly account?: string }
  | { readonly code: 'message_not_found' }
  | { readonly code: 'idempotency_conflict' }
  | { readonly code: 'too_late'; readonly event: MessageEvent }
  | { readonly code: 'not_found'; readonly detail: string }
  | { readonly code: 'method_not_allowed'; readonly allow: string }
  | { readonly code: 'too_large'; readonly status: 413 | 414 | 431; readonly detail: string }
  | { readonly code: 'unsupported_media_type'; readonly detail: string }
  | { readonly code: 'request_timeout' }
  | { readonly code: 'sender_not_allowed'; readonly rule: 'senders' }
  | { readonly code: 'destination_blocked'; readonly rule: 'countries' | 'premium' | 'unknown' | 'fixed-line' }
  | {
      readonly code: 'rate_limited';
      readonly rule: 'rate' | 'receiver-velocity' | 'prefix-velocity' | 'repeat';
      /** So many, of parts or of messages, in so many seconds. */
      readonly count: number;
      readonly seconds: number;
      /** What could go now. */
      readonly left: number;
      readonly waitMs: number;
    }
  | {
      readonly code: 'no_route';
      readonly receiver: string;
      /** There is one, and its carriers would leave less than the account's margin. Clients are not told. */
      readonly isBelowMargin?: true;
      /** What the operator is told in place of the client's sentence. */
      readonly detail?: string;
    }
  | { readonly code: 'no_price'; readonly receiver: string }
  /** `ofSender`: of this sender alone; null for every sender of the account. */
  | { readonly code: 'receiver_opted_out'; readonly ofSender: string | null }
  | { readonly code: 'already_exists'; readonly detail: string }
  /** It cannot be removed or changed while something needs it or works with it. */
  | { readonly code: 'in_use'; readonly detail: string }
  /** It does not fit what is stored, such as the most that is kept of something. */
  | { readonly code: 'conflict'; readonly detail: string }
  | { readonly code: 'does_not_exist'; readonly detail: string }
  | { readonly code: 'internal_error' }
  | { readonly code: 'unavailable'; readonly detail: string };

/** What is wrong: they cannot be told apart, one is not carried, has the wrong length, lacks another, or says what cannot be. */
export type TlvFault = 'stream' | 'not_allowed' | 'length' | 'missing' | 'value';

export type RejectionCode = Rejection['code'];
