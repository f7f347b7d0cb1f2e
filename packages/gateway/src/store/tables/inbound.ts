import type { InboundCoding } from '../../core/routing/carrier-profile.ts';
import type { Concatenation, InboundContent, Ports } from '../../core/message/inbound.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { InboundRoute, NumberKeywords } from '../../core/number/inbound-route.ts';
import type { OwnedNumber } from '../../core/number/owned-number.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';
import type { NotificationRow } from './notification.ts';

/* The rows that commands about messages from phones work on. */

export interface InboundPartRow {
  readonly isNew: boolean;
  readonly id: number;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly dataCoding: number;
  readonly esmClass: number;
  readonly octets: Uint8Array;
  readonly coding: InboundCoding;
  /** Null only of a row that is older than joining. */
  readonly concatenation: Concatenation | null;
  readonly ports: Ports | null;
  readonly receivedAt: Instant;
}

/** A message from a phone, as it is made; of one that is replayed nothing changes but whose it is. */
export interface InboundRow extends InboundContent, InboundRoute {
  readonly id: MessageId;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  /** Null only of a row that is older than replaying. */
  readonly dataCoding: number | null;
  readonly numParts: number;
  readonly partsReceived: number;
  readonly complete: boolean;
  /** When its last part came. */
  readonly receivedAt: Instant;
}

/** A part of which a message was made. */
export interface JoinedRow {
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly concatenation: Concatenation;
  readonly digest: Uint8Array;
  readonly joinedAt: Instant;
  readonly isNew: boolean;
}

/** An inbound message of one part that its carrier may bring again. */
export interface RepeatRow {
  change: Change;
  /** Null of a new one. */
  readonly id: number | null;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly digest: Uint8Array;
  readonly expectedAt: Instant;
  /** The id of the message that was taken for it; null while it has not come. */
  takenBy: MessageId | null;
}

export interface NumberRow extends OwnedNumber {
  /** Null for a shared number: only keywords lead from it to accounts. */
  readonly account: number | null;
  readonly createdAt: Instant;
  readonly isNew: boolean;
  /** It was there, and has another account. */
  readonly isChanged?: boolean;
}

/** A keyword on a number. */
export interface KeywordRow {
  readonly digits: string;
  readonly kind: NumberKind;
  readonly word: string;
  /** Null for one that is there no more. */
  readonly account: number | null;
  readonly createdAt: Instant;
}

/** What one group has loaded and made of messages from phones. */
export class InboundRows {
  /** Parts that wait, by what they have in common, in the order in which they came. */
  readonly waiting = new Map<string, InboundPartRow[]>();
  /** Parts that wait no more: those that this group brought need not be written at all. */
  readonly left: InboundPartRow[] = [];
  /** Parts of messages that were made, by what they have in common, and by their number. */
  readonly joined = new Map<string, Map<number, JoinedRow>>();
  /** Parts that have waited too long, by the same keys. */
  overdue: readonly string[] = [];
  /** A command looked at as many parts as it may. */
  isFull = false;
  readonly made: InboundRow[] = [];
  /** Messages of one part that may come again, by `repeatKey`. */
  readonly repeats = new Map<string, RepeatRow[]>();
  /** For a start: messages of one part that the last run may not have answered. */
  unanswered: readonly InboundRow[] = [];
  /** Every message with an id below it was answered; undefined where that is no news. */
  answered: MessageId | undefined;
  readonly numbers = new Map<string, NumberRow>();
  readonly removedNumbers: NumberRow[] = [];
  /** Of every number that has any, by `numberKey`: the same map from group to group, and another one after a change. */
  keywords: ReadonlyMap<string, NumberKeywords> = new Map();
  /** Keywords that changed, by number and word. */
  readonly changedKeywords = new Map<string, KeywordRow>();
  /** Messages that are replayed, as they are now, and the notifications of each. */
  readonly stored = new Map<MessageId, { row: InboundRow; readonly notifications: NotificationRow[] }>();
  /** Those of them that have another account now. */
  readonly rerouted: InboundRow[] = [];
}

type Together = Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver'>;

/** What the parts of one message have in common. */
export function inboundKey(part: Together, { kind, reference, total }: Concatenation): string {
  // No address holds a NUL: it ends them on the wire.
  return [part.carrier, part.sender, part.receiver, kind, reference, total].join('\0');
}

/** What a message of one part and its repeat have in common, beside their content. */
export function repeatKey({ carrier, sender, receiver }: Together): string {
  return [carrier, sender, receiver].join('\0');
}

export function numberKey({ kind, digits }: { readonly kind: NumberKind; readonly digits: string }): string {
  return `${kind} ${digits}`;
}
