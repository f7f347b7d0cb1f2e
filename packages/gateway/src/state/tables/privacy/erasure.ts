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
    /** The random code that replaces the number in the remaining rows. */
    code: text,
  },
  moving: {
    /** The phone number. It is deleted with the last row that has the number. */
    receiver: nullable(personal('number', text)),
    phase: word<(typeof erasurePhases)[number]>(),
    /** The last id that the present phase has checked. */
    through: integer,
    /** Numbers of erased messages and inbound messages. */
    messages: integer,
    inbound: integer,
    /** The number of places in the files that still have the number; null if nobody looked. */
    stale: nullable(integer),
    /** Tables and columns, with spaces, whose remaining rows have the number; null if nobody looked. */
    leftIn: nullable(text),
    endedAt: nullable(integer),
  },
});
export type ErasureRow = RowOf<typeof erasureTable>;
export const erasureById = by(erasureTable, ['id']);
