import type { InboundCoding } from '../../core/routing/carrier-profile.ts';
import type { Concatenation, Ports } from '../../core/message/inbound.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands about inbound messages (mobile-originated, MO) and the numbers that they are sent to. */

/** A deliver_sm or data_sm that is not a receipt: a whole inbound message, or one part of it. */
export interface RecordInbound {
  readonly kind: 'inbound';
  readonly at: Instant;
  /** For the message, if this part completes one. */
  readonly id: MessageId;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly dataCoding: number;
  readonly esmClass: number;
  /** As received, with the user data header. */
  readonly octets: Uint8Array;
  readonly coding: InboundCoding;
  readonly concatenation: Concatenation | null;
  readonly ports: Ports | null;
}

/** Records that every inbound message with an id below `before` was answered. */
export interface InboundAnswered {
  readonly kind: 'inbound-answered';
  readonly at: Instant;
  readonly before: MessageId;
}

/** A link ended before an inbound message was answered, so the carrier may send it again. */
export interface ExpectRepeat {
  readonly kind: 'expect-repeat';
  readonly at: Instant;
  readonly inbound: RecordInbound;
}

export interface InboundRecorded {
  readonly became: 'message' | 'waiting' | 'duplicate';
}

/** Makes incomplete messages of parts that have waited since `before` or longer, at most one for each id. */
export interface ExpireInbound {
  readonly kind: 'expire-inbound';
  readonly at: Instant;
  readonly before: Instant;
  readonly ids: readonly MessageId[];
}

export interface InboundExpired {
  /** There may be more. */
  readonly isFull: boolean;
  readonly messages: number;
}

export interface AddNumber {
  readonly kind: 'add-number';
  readonly at: Instant;
  readonly number: string;
  readonly digits: string;
  readonly numberKind: NumberKind;
  /** Null for a shared number. */
  readonly account: string | null;
}

/** Gives an existing number to another account, or makes it a shared number. */
export interface SetNumber extends Omit<AddNumber, 'kind'> {
  readonly kind: 'set-number';
}

export interface RemoveNumber extends Omit<AddNumber, 'kind' | 'account'> {
  readonly kind: 'remove-number';
}

export type NumberCommand = AddNumber | SetNumber | RemoveNumber;

export interface NumberResults {
  'add-number': null;
  'set-number': null;
  'remove-number': null;
}

/** Routes messages to a number that start with a word to an account. */
export interface AddKeyword extends Omit<RemoveKeyword, 'kind'> {
  readonly kind: 'add-keyword';
  readonly account: string;
}

export interface RemoveKeyword extends Omit<RemoveNumber, 'kind'> {
  readonly kind: 'remove-keyword';
  /** Folded. */
  readonly word: string;
}

/** Delivers inbound messages again, by the current numbers, keywords and destinations. */
export interface ReplayInbound {
  readonly kind: 'replay-inbound';
  readonly at: Instant;
  /** In the order of delivery. */
  readonly ids: readonly MessageId[];
  /** Also moves messages that have an account to the one that the current numbers and keywords name. */
  readonly isRerouted: boolean;
}

/** Numbers of messages. Each message counts once in one of the first four. */
export interface InboundReplayed {
  /** Messages with a new notification. */
  readonly replayed: number;
  /** Messages whose notification is still waiting for delivery. */
  readonly waiting: number;
  /** Messages whose account has no destination for them. */
  readonly withoutDestination: number;
  /** Messages that still match no account. */
  readonly unmatched: number;
  /** Messages that have another account than before. */
  readonly rerouted: number;
}
