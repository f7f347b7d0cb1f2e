/* Numbers, keywords, inbound messages, parts that wait for other parts, and messages that may be sent again. */

import type { NumberKind } from '@morsel/api/values/number.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Concatenation, Inbound, InboundContent, PartContent } from '../../core/message/inbound.ts';
import type { SaidContent } from '../../core/message/content.ts';
import type { InboundRoute } from '../../core/number/inbound-route.ts';
import {
  bytes,
  flag,
  idOf,
  integer,
  keyed,
  messageId,
  nullable,
  personal,
  refersTo,
  sealed,
  text,
  word,
} from './column.ts';
import { by, query, search } from './lookup.ts';
import { group, pick, shape, table, type RowOf } from './table.ts';

export const numberTable = table('number', {
  isAudited: true,
  key: ['digits', 'kind'],
  indexes: { number_account: { on: ['account'] } },
  fixed: {
    /** The digits without a plus, because carriers write one number with and without it. */
    digits: text,
    kind: word<NumberKind>(),
    number: text,
    createdAt: integer,
  },
  moving: {
    /** The account of messages to the number that match no keyword. Null for a shared number. */
    account: nullable(idOf('account')),
  },
});
export type NumberRow = RowOf<typeof numberTable>;

export const keywordTable = table('keyword', {
  isAudited: true,
  key: ['digits', 'kind', 'word'],
  indexes: { keyword_account: { on: ['account'] } },
  fixed: {
    digits: refersTo('number', text),
    kind: refersTo('number', word<NumberKind>()),
    word: text,
    account: idOf('account'),
    createdAt: integer,
  },
});
export type KeywordRow = RowOf<typeof keywordTable>;

export const numberByDigits = by(numberTable, ['digits', 'kind']);
export const keywordByWord = by(keywordTable, ['digits', 'kind', 'word']);
export const keywordsOfAccount = search<[account: number]>()('keyword.of-account', keywordTable, ({ account }) => [
  account,
]);
/** The keywords of a number, as stored before the group of commands. A number may have thousands. */
export const keywordsOfNumber = query<[digits: string, kind: NumberKind]>()(
  'keyword.of-number',
  shape(pick(keywordTable, 'word', 'account')),
);

/** A whole inbound message, or one part of it. */
export interface RecordInbound extends Inbound {
  readonly at: Instant;
  /** The id for the inbound message, if this part completes the message. */
  readonly id: MessageId;
  readonly carrier: number;
}

/** Inbound messages. A replay changes only a message's account, and how the account was found. */
export const inboundTable = table('inbound', {
  key: ['id'],
  about: { of: 'inbound', by: 'id' },
  indexes: { inbound_account: { on: ['account', 'id'] }, inbound_receiver: { on: ['receiver', 'id'] } },
  fixed: {
    id: messageId,
    carrier: idOf('carrier'),
    sender: personal('number', text),
    /** The account's number that the message was sent to. */
    receiver: personal('row', text),
    /** The carrier's own code of the coding of the first part. */
    code: nullable(integer),
    dcs: word<InboundContent['dcs']>(),
    /** The text, or the octets and their header (state/sealing/content.ts). Null once they are erased. */
    content: nullable(personal('text', sealed)),
    numParts: integer,
    partsReceived: integer,
    complete: flag,
    /** When the last part of the message came. */
    receivedAt: integer,
  },
  moving: {
    account: nullable(idOf('account')),
    matchedBy: nullable(word<NonNullable<InboundRoute['matchedBy']>>()),
    keyword: nullable(text),
  },
});
export type InboundRow = RowOf<typeof inboundTable>;
/** An inbound message with its content opened. */
export type OpenInbound = Omit<InboundRow, 'content'> & SaidContent;
export const inboundById = by(inboundTable, ['id']);

/** The values that all parts of one message share, and the number of this part. */
const placeMembers = {
  carrier: idOf('carrier'),
  sender: personal('number', text),
  receiver: personal('number', text),
  concatenation: group({ kind: word<Concatenation['kind']>(), reference: integer, total: integer, number: integer }),
};

/** Parts of inbound messages that wait for the other parts. */
export const inboundPartTable = table('inbound_part', {
  erased: 'rows',
  key: ['id'],
  ids: 'traffic',
  indexes: {
    inbound_part_message: {
      on: ['carrier', 'sender', 'receiver', 'concatenation_kind', 'concatenation_reference', 'concatenation_total'],
    },
    inbound_part_received: { on: ['received_at'] },
  },
  fixed: {
    id: integer,
    ...placeMembers,
    code: nullable(integer),
    /** The octets and their header (state/sealing/content.ts). */
    content: personal('text', sealed),
    coding: word<PartContent['coding']>(),
    receivedAt: integer,
  },
});
export type InboundPartRow = RowOf<typeof inboundPartTable>;

/** Parts of inbound messages that are complete. */
export const joinedTable = table('inbound_joined', {
  erased: 'rows',
  key: [
    'carrier',
    'sender',
    'receiver',
    'concatenation_kind',
    'concatenation_reference',
    'concatenation_total',
    'concatenation_number',
  ],
  indexes: { inbound_joined_at: { on: ['joined_at'] } },
  fixed: { ...placeMembers, digest: personal('row', keyed(bytes)), joinedAt: integer },
});
export type JoinedRow = RowOf<typeof joinedTable>;

/** Inbound messages of one part that their carrier may send again. */
export const repeatTable = table('inbound_repeat', {
  erased: 'rows',
  key: ['id'],
  ids: 'traffic',
  indexes: {
    inbound_repeat_expected: { on: ['expected_at'] },
    inbound_repeat_numbers: { on: ['carrier', 'sender', 'receiver'] },
  },
  fixed: {
    id: integer,
    carrier: idOf('carrier'),
    sender: personal('number', text),
    receiver: personal('number', text),
    digest: personal('row', keyed(bytes)),
    expectedAt: integer,
  },
  moving: {
    /** The id of the message that was taken as the repeat; null until it comes. */
    takenBy: nullable(messageId),
  },
});
export type RepeatRow = RowOf<typeof repeatTable>;
/** Repeats of inbound messages that are still expected. */
export const repeatsBetween = search<[carrier: number, sender: string, receiver: string]>()(
  'inbound_repeat.between',
  repeatTable,
);
export const newestRepeat = query<[]>()('inbound_repeat.newest', shape({ expectedAt: nullable(integer) }));

/** The values that all parts of one message share. */
type Together = readonly [
  carrier: number,
  sender: string,
  receiver: string,
  kind: Concatenation['kind'],
  reference: number,
  total: number,
];

export function togetherOf(part: Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver' | 'concatenation'>): Together {
  const { kind, reference, total } = part.concatenation;
  return [part.carrier, part.sender, part.receiver, kind, reference, total];
}

/** Waiting parts of one message, in the order of their arrival. */
export const partsTogether = search<Together>()('inbound_part.together', inboundPartTable, togetherOf);
export const joinedTogether = search<Together>()('inbound_joined.together', joinedTable, togetherOf);
