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
export const leftBehind = search<[what: LeftBy, after: number, max: number]>()(
  leftBehindTable,
  'where what = ? and message > ? order by message limit ?',
);

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

const hasContent = '(case when content is null then 0 else 1 end) as has_text';

/** A part is not final, or a receipt still waits for its destination. */
const messageIsOpen = `(case when exists (select 1 from part where part.message = message.id and part.deadline is not null)
    or exists (select 1 from notification where subject = message.id and notification.kind = 'receipt' and notification.state = 'waiting')
  then 1 else 0 end) as is_open`;
const messageColumns = `select id, account, sender, receiver, entry, num_parts, total_cost, tags, ${hasContent}, ${messageIsOpen} from message`;
export const oldMessages = query<[after: number, before: number, max: number]>()(
  oldMessageShape,
  `${messageColumns} where id > ? and id < ? order by id limit ?`,
);
export const oldMessageById = query<[id: number]>()(oldMessageShape, `${messageColumns} where id = ?`);

const inboundShape = shape(oldMessage);
const inboundIsOpen = `(case when exists (select 1 from notification where subject = inbound.id and notification.kind = 'inbound'
    and notification.state = 'waiting') then 1 else 0 end) as is_open`;
const inboundColumns = `select id, account, sender, receiver, ${hasContent}, ${inboundIsOpen} from inbound`;
export const oldInbound = query<[after: number, before: number, max: number]>()(
  inboundShape,
  `${inboundColumns} where id > ? and id < ? order by id limit ?`,
);
export const oldInboundById = query<[id: number]>()(inboundShape, `${inboundColumns} where id = ?`);

/** The newest CDRs of the parts of messages. */
export const cdrsOfMessages = query<[first: number, last: number]>()(
  shape({ message: messageId, cdr: integer }),
  'select message, cdr from part where message between ? and ? and cdr is not null',
);
/** The CDR that one corrects. */
export const correctedBy = query<[id: number]>()(
  shape({ corrects: nullable(integer) }),
  'select corrects from cdr where id = ?',
);

/** The refunds of the parts of messages. */
export const refundsOfMessages = query<[first: number, last: number]>()(
  shape({ entry: integer, message: messageId, amount: micros }),
  `select entry.id as entry, part.message, entry.amount from part join entry on entry.id = part.refund_entry
    where part.message between ? and ?`,
);
