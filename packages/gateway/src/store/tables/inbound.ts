/* Numbers and their keywords, inbound messages, the parts that wait for others, and what carriers may send again. */

import type { NumberKind } from '@morsel/api/values/number.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Concatenation, InboundContent } from '../../core/message/inbound.ts';
import type { InboundRoute, NumberKeywords } from '../../core/number/inbound-route.ts';
import type { InboundCoding } from '../../core/routing/carrier-profile.ts';
import { bytes, flag, integer, messageId, nullable, text, word } from './column.ts';
import type { NotificationRow } from './notification.ts';
import { group, nullableGroup, table } from './table.ts';
import type { RowOf } from './table.ts';

export const numberTable = table('number', {
  key: ['digits', 'kind'],
  fixed: {
    /** Without the plus: carriers write one number with and without it. */
    digits: text,
    kind: word<NumberKind>(),
    number: text,
    createdAt: integer,
  },
  moving: {
    /** With keywords, the account of messages without a keyword. Null for a shared number. */
    account: nullable(integer),
  },
});
export type NumberRow = RowOf<typeof numberTable>;

export const keywordTable = table('keyword', {
  key: ['digits', 'kind', 'word'],
  fixed: { digits: text, kind: word<NumberKind>(), word: text, account: integer, createdAt: integer },
});
export type KeywordRow = RowOf<typeof keywordTable>;

/** Inbound messages. A replay changes only the account of a message and how it was found. */
export const inboundTable = table('inbound', {
  key: ['id'],
  fixed: {
    id: messageId,
    carrier: integer,
    sender: text,
    receiver: text,
    /** Of the first part. */
    dataCoding: integer,
    dcs: word<InboundContent['dcs']>(),
    text: nullable(text),
    octets: nullable(bytes),
    header: nullable(bytes),
    numParts: integer,
    partsReceived: integer,
    complete: flag,
    /** When its last part came. */
    receivedAt: integer,
  },
  moving: {
    account: nullable(integer),
    matchedBy: nullable(word<NonNullable<InboundRoute['matchedBy']>>()),
    keyword: nullable(text),
  },
});
export type InboundRow = RowOf<typeof inboundTable>;

/** What the parts of one message have in common, and the number of this part. */
const placeMembers = {
  carrier: integer,
  sender: text,
  receiver: text,
  concatenation: group({ kind: word<Concatenation['kind']>(), reference: integer, total: integer, number: integer }),
};

/** Parts that wait for the other parts of their message. */
export const inboundPartTable = table('inbound_part', {
  key: ['id'],
  fixed: {
    id: integer,
    ...placeMembers,
    dataCoding: integer,
    esmClass: integer,
    octets: bytes,
    coding: word<InboundCoding>(),
    ports: nullableGroup({ destination: integer, source: integer }),
    receivedAt: integer,
  },
});
export type InboundPartRow = RowOf<typeof inboundPartTable>;

/** Parts of messages that were made. */
export const joinedTable = table('inbound_joined', {
  key: [
    'carrier',
    'sender',
    'receiver',
    'concatenation_kind',
    'concatenation_reference',
    'concatenation_total',
    'concatenation_number',
  ],
  fixed: { ...placeMembers, digest: bytes, joinedAt: integer },
});
export type JoinedRow = RowOf<typeof joinedTable>;

/** Inbound messages of one part that their carrier may send again. */
export const repeatTable = table('inbound_repeat', {
  key: ['id'],
  fixed: { id: integer, carrier: integer, sender: text, receiver: text, digest: bytes, expectedAt: integer },
  moving: {
    /** The id of the message that was taken as the repeat; null until it comes. */
    takenBy: nullable(messageId),
  },
});
export type RepeatRow = RowOf<typeof repeatTable>;

/** Inbound messages that one group has loaded and made. */
export class InboundRows {
  /** Waiting parts, by `inboundKey`, in the order of their arrival. */
  readonly waiting = new Map<string, InboundPartRow[]>();
  /** Stored parts that wait no more. */
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
  readonly numbers = new Map<string, NumberRow>();
  readonly removedNumbers: NumberRow[] = [];
  /** The keywords of each number, by `numberKey`. Groups share one map; a change makes another. */
  keywords: ReadonlyMap<string, NumberKeywords> = new Map();
  /** Keywords that changed, by number and word. */
  readonly changedKeywords = new Map<string, KeywordRow>();
  /** Messages to replay, and the notifications of each. */
  readonly stored = new Map<MessageId, { readonly row: InboundRow; readonly notifications: NotificationRow[] }>();
}

type Together = Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver'>;

/** What the parts of one message have in common. */
export function inboundKey({
  carrier,
  sender,
  receiver,
  concatenation: { kind, reference, total },
}: Together & Pick<InboundPartRow, 'concatenation'>): string {
  // No address contains a NUL: it ends addresses on the wire.
  return [carrier, sender, receiver, kind, reference, total].join('\0');
}

/** What a message of one part and its repeat have in common, besides their content. */
export function repeatKey({ carrier, sender, receiver }: Together): string {
  return [carrier, sender, receiver].join('\0');
}

export function numberKey({ kind, digits }: { readonly kind: NumberKind; readonly digits: string }): string {
  return `${kind} ${digits}`;
}
