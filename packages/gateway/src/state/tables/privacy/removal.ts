/* How far old personal data is removed, and what stays of it. */

import type { Retained } from '@morsel/api/values/account.ts';
import { bytes, flag, integer, json, messageId, micros, nullable, text, word } from '../column.ts';
import { by, query, search } from '../lookup.ts';
import { shape, table, type ShapeOf } from '../table.ts';

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

/** A message or an inbound message, as far as its removal must know it. */
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
