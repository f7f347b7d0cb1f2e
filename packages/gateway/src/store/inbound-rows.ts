import type { InboundCoding } from '../core/carrier-profile.ts';
import type { Concatenation, InboundContent, Ports } from '../core/inbound.ts';
import type { MessageId } from '../core/message-id.ts';
import type { NumberKind, OwnedNumber } from '../core/owned-number.ts';
import type { Instant } from '../core/time.ts';

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

/** A message from a phone, as it is made; none is ever changed. */
export interface InboundRow extends InboundContent {
  readonly id: MessageId;
  /** Null when nobody owns the number. */
  readonly account: number | null;
  readonly carrier: number;
  readonly sender: string;
  readonly receiver: string;
  readonly dataCoding: number;
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

export interface NumberRow extends OwnedNumber {
  readonly account: number;
  readonly createdAt: Instant;
  readonly isNew: boolean;
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
  readonly numbers = new Map<string, NumberRow>();
  readonly removedNumbers: NumberRow[] = [];
}

type Together = Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver'>;

/** What the parts of one message have in common. */
export function inboundKey(part: Together, { kind, reference, total }: Concatenation): string {
  // No address holds a NUL: it ends them on the wire.
  return [part.carrier, part.sender, part.receiver, kind, reference, total].join('\0');
}

export function numberKey({ kind, digits }: { readonly kind: NumberKind; readonly digits: string }): string {
  return `${kind} ${digits}`;
}
