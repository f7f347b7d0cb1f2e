/* The progress of removing old personal data, and the rows that remain of it. */

import type { Retained } from '@morsel/api/values/account.ts';
import { bytes, flag, integer, json, messageId, micros, nullable, text, word } from '../column.ts';
import { by, query, search } from '../lookup.ts';
import { shape, table, type ShapeOf } from '../table.ts';

/** The progress of the removal for accounts with this number of days. */
export const retentionTable = table('retention', {
  key: ['what', 'days'],
  fixed: { what: word<Retained>(), days: integer },
  moving: {
    /** All messages with this id or a lower one were checked. */
    through: integer,
    /** How many messages were erased or removed. */
    removed: integer,
    /** When a message was last erased or removed. */
    at: integer,
  },
});
export const retentionOf = by(retentionTable, ['what', 'days']);

/** Which process left a message behind: the removal after a number of days, or the erasure with this id. */
export type LeftBy = Retained | `erasure-${number}`;

/** Messages that had not ended when the removal passed them. They are removed after their end. */
export const leftBehindTable = table('left_behind', {
  key: ['what', 'message'],
  fixed: { what: word<LeftBy>(), message: messageId },
});
export const leftBehind = search<[what: LeftBy, after: number, max: number]>()('left_behind.after', leftBehindTable);

/**
 * The sums of the removed messages of a charge, or of the removed part of a refund. Entries never change, so the ledger
 * check needs these sums.
 */
export const removedChargeTable = table('removed_charge', {
  key: ['entry'],
  fixed: { entry: integer, messages: integer, parts: integer, amount: micros },
  sums: ['messages', 'parts', 'amount'],
});

/** The key that makes the codes of erased phone numbers. The table has one row. */
export const numberKeyTable = table('number_key', { key: ['id'], fixed: { id: integer, key: bytes } });
export const numberKeyId = 1;
export const numberKeyById = by(numberKeyTable, ['id']);

/** The columns of a message or an inbound message that its removal needs. */
const oldShape = shape({
  id: messageId,
  account: nullable(integer),
  sender: text,
  receiver: text,
  tags: nullable(json<readonly string[]>()),
  hasText: flag,
  isOpen: flag,
});
export type OldMessage = ShapeOf<typeof oldShape>;

type Following = [after: number, before: number, max: number];
/** Old messages, in the order of their ids. */
export const oldMessages = {
  message: query<Following>()('message.old', oldShape),
  inbound: query<Following>()('inbound.old', oldShape),
};
export const oldMessageById = {
  message: query<[id: number]>()('message.old-by-id', oldShape),
  inbound: query<[id: number]>()('inbound.old-by-id', oldShape),
};
