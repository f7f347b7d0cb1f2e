/* Alerts for the operator. */

import { idOf, integer, micros, nullable, text, word } from '../column.ts';
import { table, type RowOf } from '../table.ts';

/** What an alert is about, by its kind. */
const about = {
  /** Of a low balance. */
  threshold: nullable(micros),
  balance: nullable(micros),
  /** Of a part with less margin than its account must keep. The prefix is that of its route. */
  carrier: nullable(idOf('carrier')),
  prefix: nullable(text),
  unitPrice: nullable(micros),
  unitCost: nullable(micros),
  /** The webhook that the gateway stopped. */
  webhook: nullable(idOf('webhook')),
  /** The trouble of the gateway itself. */
  detail: nullable(text),
};

export const alertTable = table('alert', {
  key: ['id'],
  ids: 'traffic',
  indexes: { alert_account: { on: ['account', 'id'] }, alert_at: { on: ['at'] } },
  fixed: {
    id: integer,
    /** Null for an alert about the gateway itself. */
    account: nullable(idOf('account')),
    kind: word<'low-balance' | 'below-margin' | 'webhook-paused' | 'webhook-off' | 'disk-full' | 'database-away'>(),
    at: integer,
    ...about,
  },
});
export type AlertRow = RowOf<typeof alertTable>;
export type NewAlert = Pick<AlertRow, 'account' | 'kind' | 'at'> & Partial<Pick<AlertRow, keyof typeof about>>;
