import type { InboundCoding } from '../../core/routing/carrier-profile.ts';
import type { Concatenation, Ports } from '../../core/message/inbound.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What is written of messages from phones, and of the numbers they are sent to. */

/** A deliver_sm or data_sm that is no receipt: a message, or a part that waits for the others of its message. */
export interface RecordInbound {
  readonly kind: 'inbound';
  readonly at: Instant;
  /** For the message that it makes, if it makes one. */
  readonly id: MessageId;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly dataCoding: number;
  readonly esmClass: number;
  /** As they came, a user data header among them. */
  readonly octets: Uint8Array;
  readonly coding: InboundCoding;
  readonly concatenation: Concatenation | null;
  readonly ports: Ports | null;
}

/** Note that every inbound message with an id below `before` was answered. */
export interface InboundAnswered {
  readonly kind: 'inbound-answered';
  readonly at: Instant;
  readonly before: MessageId;
}

/** A link ended before an inbound message was answered: its carrier may bring it again. */
export interface ExpectRepeat {
  readonly kind: 'expect-repeat';
  readonly at: Instant;
  readonly inbound: RecordInbound;
}

export interface InboundRecorded {
  readonly became: 'message' | 'waiting' | 'duplicate';
}

/** Make messages, as far as they came, of parts that have waited since `before` or longer: at most one for each id. */
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

/** Gives a number that is there to another account, or to its keywords alone. */
export interface SetNumber extends Omit<AddNumber, 'kind'> {
  readonly kind: 'set-number';
}

export interface RemoveNumber {
  readonly kind: 'remove-number';
  readonly at: Instant;
  readonly number: string;
  readonly digits: string;
  readonly numberKind: NumberKind;
}

export type NumberCommand = AddNumber | SetNumber | RemoveNumber;

export interface NumberResults {
  'add-number': null;
  'set-number': null;
  'remove-number': null;
}

/** Have messages to a number that begin with a word go to an account. */
export interface AddKeyword {
  readonly kind: 'add-keyword';
  readonly at: Instant;
  readonly number: string;
  readonly digits: string;
  readonly numberKind: NumberKind;
  /** Folded. */
  readonly word: string;
  readonly account: string;
}

export interface RemoveKeyword {
  readonly kind: 'remove-keyword';
  readonly at: Instant;
  readonly number: string;
  readonly digits: string;
  readonly numberKind: NumberKind;
  readonly word: string;
}

/** Tell accounts anew of messages from phones, by the numbers, keywords and destinations of now. */
export interface ReplayInbound {
  readonly kind: 'replay-inbound';
  readonly at: Instant;
  /** In the order in which they are told. */
  readonly ids: readonly MessageId[];
  /** Also those that have an account go to whose they are by now. */
  readonly isRerouted: boolean;
}

/** How many messages it was of each kind; each counts once as one of the first four. */
export interface InboundReplayed {
  /** They have a new notification. */
  readonly replayed: number;
  /** What they would be told is on its way already. */
  readonly waiting: number;
  /** Their account has no destination for them. */
  readonly withoutDestination: number;
  /** They are still nobody's. */
  readonly unmatched: number;
  /** Those that have an account now and had none, or another one, before. */
  readonly rerouted: number;
}
