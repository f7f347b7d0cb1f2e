/* Counts of the gateway's traffic in each minute and in each hour. The console draws them. */

import { hourMs, minuteMs } from '@morsel/api/values/time.ts';
import { integer, micros, text } from '../column.ts';
import { table, type RowOf } from '../table.ts';

/** The lengths of slots in seconds, and how many slots of each are kept: two days of minutes, and 400 days of hours. */
export const trafficSpans = [
  { span: minuteMs / 1_000, kept: 2 * 24 * 60 },
  { span: hourMs / 1_000, kept: 400 * 24 },
] as const;

/**
 * The counts of a slot. The row without a currency has the counts that are not money. The row of a currency has the
 * charges of the accounts with that currency.
 */
export const trafficSlotTable = table('traffic_slot', {
  key: ['span', 'slot', 'currency'],
  fixed: {
    span: integer,
    slot: integer,
    currency: text,
    messages: integer,
    parts: integer,
    /** Messages that were refused. */
    refused: integer,
    /** Parts that a carrier accepted. */
    sent: integer,
    /** Parts that a carrier refused. */
    bounced: integer,
    delivered: integer,
    failed: integer,
    inbound: integer,
    charged: micros,
  },
  sums: ['messages', 'parts', 'refused', 'sent', 'bounced', 'delivered', 'failed', 'inbound', 'charged'],
});
export type TrafficSlot = Readonly<Omit<RowOf<typeof trafficSlotTable>, 'change'>>;
/** The counts of a slot, without the slot itself. */
export type Traffic = Omit<TrafficSlot, 'span' | 'slot'>;
