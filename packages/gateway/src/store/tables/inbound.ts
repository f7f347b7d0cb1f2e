import type { Concatenation, InboundContent } from '../../core/message/inbound.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { InboundRoute, NumberKeywords } from '../../core/number/inbound-route.ts';
import type { OwnedNumber } from '../../core/number/owners.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';
import type { RecordInbound } from '../commands/inbound.ts';
import type { NotificationRow } from './notification.ts';

/* Rows for commands about inbound messages. */

export interface InboundPartRow extends Omit<RecordInbound, 'kind' | 'id' | 'at' | 'concatenation'> {
  readonly isNew: boolean;
  readonly id: number;
  /** Null only in rows from before the gateway joined parts. */
  readonly concatenation: Concatenation | null;
  readonly receivedAt: Instant;
}

/** An inbound message. A replay changes only its account and how that was found. */
export interface InboundRow extends InboundContent, InboundRoute {
  readonly id: MessageId;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  /** Null only in rows from before messages could be replayed. */
  readonly dataCoding: number | null;
  readonly numParts: number;
  readonly partsReceived: number;
  readonly complete: boolean;
  /** When its last part came. */
  readonly receivedAt: Instant;
}

/** A part of a message that was made. */
export interface JoinedRow {
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly concatenation: Concatenation;
  readonly digest: Uint8Array;
  readonly joinedAt: Instant;
  readonly isNew: boolean;
}

/** An inbound message of one part that its carrier may send again. */
export interface RepeatRow {
  change: Change;
  /** Null of a new one. */
  readonly id: number | null;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly digest: Uint8Array;
  readonly expectedAt: Instant;
  /** The id of the message that was taken as the repeat; null until it comes. */
  takenBy: MessageId | null;
}

export interface NumberRow extends OwnedNumber {
  /** Null for a shared number: only its keywords lead to accounts. */
  readonly account: number | null;
  readonly createdAt: Instant;
  readonly isNew: boolean;
  /** It existed and has another account now. */
  readonly isChanged?: boolean;
}

export interface KeywordRow {
  readonly digits: string;
  readonly kind: NumberKind;
  readonly word: string;
  /** Null for a removed one. */
  readonly account: number | null;
  readonly createdAt: Instant;
}

/** Inbound messages that one group has loaded and made. */
export class InboundRows {
  /** Waiting parts, by `inboundKey`, in the order of their arrival. */
  readonly waiting = new Map<string, InboundPartRow[]>();
  /** Parts that wait no more. Those that arrived in this group need not be written. */
  readonly left: InboundPartRow[] = [];
  /** Parts of finished messages, by `inboundKey` and part number. */
  readonly joined = new Map<string, Map<number, JoinedRow>>();
  /** The keys of parts that have waited too long. */
  overdue: readonly string[] = [];
  /** A command looked at as many parts as it may. */
  isFull = false;
  readonly made: InboundRow[] = [];
  /** Messages of one part that may come again, by `repeatKey`. */
  readonly repeats = new Map<string, RepeatRow[]>();
  /** At a start: messages of one part that the last run may not have answered. */
  unanswered: readonly InboundRow[] = [];
  /** Every message with an id below it was answered; undefined if that has not changed. */
  answered: MessageId | undefined;
  readonly numbers = new Map<string, NumberRow>();
  readonly removedNumbers: NumberRow[] = [];
  /** The keywords of each number, by `numberKey`. Groups share one map; a change makes another. */
  keywords: ReadonlyMap<string, NumberKeywords> = new Map();
  /** Keywords that changed, by number and word. */
  readonly changedKeywords = new Map<string, KeywordRow>();
  /** Messages to replay, as stored, and the notifications of each. */
  readonly stored = new Map<MessageId, { row: InboundRow; readonly notifications: NotificationRow[] }>();
  /** Replayed messages that have another account now. */
  readonly rerouted: InboundRow[] = [];
}

type Together = Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver'>;

/** What the parts of one message have in common. */
export function inboundKey(part: Together, { kind, reference, total }: Concatenation): string {
  // No address contains a NUL: it ends addresses on the wire.
  return [part.carrier, part.sender, part.receiver, kind, reference, total].join('\0');
}

/** What a message of one part and its repeat have in common, besides their content. */
export function repeatKey({ carrier, sender, receiver }: Together): string {
  return [carrier, sender, receiver].join('\0');
}

export function numberKey({ kind, digits }: { readonly kind: NumberKind; readonly digits: string }): string {
  return `${kind} ${digits}`;
}
