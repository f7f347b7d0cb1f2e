/* Erasures of one phone number. */

import type { erasurePhases } from '@morsel/api/values/account.ts';
import { integer, nullable, personal, text, word } from '../column.ts';
import { by } from '../lookup.ts';
import { table, type RowOf } from '../table.ts';

export const erasureTable = table('erasure', {
  key: ['id'],
  ids: 'operator',
  indexes: { erasure_open: { on: ['phase'], where: [{ phase: { not: 'done' } }] } },
  fixed: {
    id: integer,
    at: integer,
    actor: text,
    reason: text,
    /** Stands for the number in what is left. Made of chance. */
    code: text,
  },
  moving: {
    /** Deleted with the last row that has it. */
    receiver: nullable(personal('number', text)),
    phase: word<(typeof erasurePhases)[number]>(),
    /** The last id that the phase has looked at. */
    through: integer,
    /** Erased messages and inbound messages. */
    messages: integer,
    inbound: integer,
    /** Places in the files where the number still is; null if nobody looked. */
    stale: nullable(integer),
    /** Tables and columns that have the number in rows that stay, with spaces; null if nobody looked. */
    leftIn: nullable(text),
    endedAt: nullable(integer),
  },
});
export type ErasureRow = RowOf<typeof erasureTable>;
export const erasureById = by(erasureTable, ['id']);
