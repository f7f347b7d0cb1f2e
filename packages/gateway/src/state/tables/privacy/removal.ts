/* How far old personal data is removed, and what stays of it. */

import type { Retained } from '@morsel/api/values/account.ts';
import { bytes, integer, messageId, micros, nullable, text, word } from '../column.ts';
import { by, query, search } from '../lookup.ts';
import { shape, table, type ValuesOf } from '../table.ts';

/** How far the removal has come, for the accounts with this number of days. */
export const retentionTable = table('retention', {
  key: ['what', 'days'],
  fixed: { what: word<Retained>(), days: integer },
  moving: {
    /** All messages with this id or a lower one were looked at. */
    through: integer,
    /** How many messages were erased or removed. */
    removed: integer,
    /** When the last ones were. */
    at: integer,
  },
});
export const retentionOf = by(retentionTable, ['what', 'days']);

/** The removal after a number of days, or the erasure with this id. */
export type LeftBy = Retained | `erasure-${number}`;

/** Messages that were not finished when the removal passed them. They follow when they are. */
export const leftBehindTable = table('left_behind', {
  key: ['what', 'message'],
  fixed: { what: word<LeftBy>(), message: messageId },
});
export const leftBehind = search<[what: LeftBy, after: number, max: number]>()('left_behind.after', leftBehindTable);

/**
 * What the removed messages of a charge, or the removed part of a refund, add up to. Entries never change, so the check of
 * the ledger needs it.
 */
export const removedChargeTable = table('removed_charge', {
  key: ['entry'],
  fixed: { entry: integer, messages: integer, parts: integer, amount: micros },
  sums: ['messages', 'parts', 'amount'],
});

/** The key of the codes that stand for erased phone numbers. One row. */
export const numberKeyTable = table('number_key', { key: ['id'], fixed: { id: integer, key: bytes } });
export const numberKeyId = 1;
export const numberKeyById = by(numberKeyTable, ['id']);

/** A message, as far as its removal must know it. */
const oldMessage = {
  id: messageId,
  account: nullable(integer),
  sender: text,
  receiver: text,
  hasText: integer,
  isOpen: integer,
};
const oldMessageShape = shape({
  ...oldMessage,
  entry: integer,
  numParts: integer,
  totalCost: micros,
  tags: nullable(text),
});
export type OldMessage = ValuesOf<typeof oldMessage>;

export const oldMessages = query<[after: number, before: number, max: number]>()('message.old', oldMessageShape);
export const oldMessageById = query<[id: number]>()('message.old-by-id', oldMessageShape);

const inboundShape = shape(oldMessage);
export const oldInbound = query<[after: number, before: number, max: number]>()('inbound.old', inboundShape);
export const oldInboundById = query<[id: number]>()('inbound.old-by-id', inboundShape);

/** The newest CDRs of the parts of messages. */
export const cdrsOfMessages = query<[first: number, last: number]>()(
  'part.cdrs',
  shape({ message: messageId, cdr: integer }),
);
/** The CDR that one corrects. */
export const correctedBy = query<[id: number]>()('cdr.corrects', shape({ corrects: nullable(integer) }));

/** The refunds of the parts of messages. */
export const refundsOfMessages = query<[first: number, last: number]>()(
  'entry.refunds',
  shape({ entry: integer, message: messageId, amount: micros }),
);
