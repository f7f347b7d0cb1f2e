/* The ledger. */

import type { EntryKind } from '@morsel/api/values/money.ts';
import { idOf, integer, messageId, micros, nullable, text, word } from './column.ts';
import { by } from './lookup.ts';
import { table, type RowOf } from './table.ts';

export const entryTable = table('entry', {
  isAudited: true,
  key: ['id'],
  ids: 'traffic',
  guard: 'entries of the ledger cannot be changed or deleted: post an adjustment',
  indexes: {
    entry_account: { on: ['account', 'id'] },
    entry_key: { on: ['account', 'key'], isUnique: true, where: [{ key: { not: null } }] },
  },
  fixed: {
    id: integer,
    account: idOf('account'),
    kind: word<EntryKind>(),
    part: nullable(integer),
    reason: text,
    actor: text,
    /** The idempotency key, so that a repeated top-up is made only once. */
    key: nullable(text),
    createdAt: integer,
  },
  /** A charge grows until its group of commands is written. Stored entries never change. */
  moving: {
    amount: micros,
    balanceAfter: micros,
    messages: integer,
    /** How many parts the messages of a charge have; 1 for a refund. */
    parts: integer,
    firstMessage: nullable(messageId),
    lastMessage: nullable(messageId),
  },
});
export type EntryRow = RowOf<typeof entryTable>;
export const entryByKey = by(entryTable, ['account', 'key']);
