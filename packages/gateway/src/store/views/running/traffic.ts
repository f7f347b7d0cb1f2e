/* Views of the gateway's past traffic, and of its present queues. */

import { ok } from '@morsel/api/values/result.ts';
import { noCarrier } from '../../../core/named.ts';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { integer, micros, nullable, text } from '../../../state/tables/column.ts';
import { carrierSlotTable, slotMs } from '../../../state/tables/route.ts';
import { shape } from '../../../state/tables/table.ts';
import { trafficSlotTable } from '../../../state/tables/alarm/traffic.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

/** Rows are counted up to these numbers. */
const queuedMax = 100_000;
const otherMax = 10_000;

const inDoubt = `select count(*) from (select distinct message, part from doubt limit ?) as open
  join part on part.message = open.message and part.number = open.part where part.state = 'in_doubt'`;
const queueShape = shape({ queued: integer, oldest: nullable(integer) });
const chargedShape = shape({ currency: text, amount: micros });

/** Reads present counts, each up to a limit by an index. `minute`: the first one whose charges are added up. */
export async function readPresent(queries: Queries, minute: number) {
  const counted = async (of: string) =>
    (await queries.value(integer, `select count(*) from (select 1 from ${of} limit ?) as counted`, otherMax)) ?? 0;
  const queue = await queries.row(
    queueShape,
    'select count(*) as queued, min(due) as oldest from (select due from queue limit ?) as waiting',
    queuedMax,
  );
  return {
    queued: queue?.queued ?? 0,
    oldestQueuedAt: queue?.oldest ?? null,
    inDoubt: (await queries.value(integer, inDoubt, otherMax)) ?? 0,
    unmatchedReceipts: await counted('unmatched_receipt'),
    deadLetters: await counted("notification where state = 'dead'"),
    openAlarms: await counted('alarm where closed_at is null'),
    criticalAlarms: await counted("alarm where closed_at is null and severity = 'critical'"),
    // The charges of accounts in the given minute and since then.
    charged: await queries.rows(
      chargedShape,
      `select currency, sum(charged) as amount from traffic_slot
        where span = 60 and slot >= ? and currency <> '' group by currency order by currency`,
      minute,
    ),
  };
}

const spans = { minute: minuteMs, hour: hourMs } as const;
const noSums = { messages: 0, parts: 0, refused: 0, sent: 0, bounced: 0, delivered: 0, failed: 0, inbound: 0 };

/** Lists slots, the newest first. A slot has a row for each currency, and one for sums that are not money. */
const history: View<'traffic.history'> = async (queries, { span: word, after, limit }) => {
  const [span, before] = [spans[word] / secondMs, Number(after ?? beforeNewest)];
  const rows = await queries.find(
    trafficSlotTable,
    `where span = ? and slot in (select distinct slot from traffic_slot where span = ? and slot < ?
      order by slot desc limit ?) order by slot desc, currency`,
    span,
    span,
    before,
    limit + 1,
  );
  const slots = [...Map.groupBy(rows, ({ slot }) => slot)];
  const { items, next } = pageOf(slots, limit, ([slot]) => String(slot));
  const shown = items.map(([slot, ofSlot]) => ({
    ...(ofSlot.find(({ currency }) => currency === '') ?? noSums),
    at: slot * spans[word],
    charged: ofSlot.flatMap(({ currency, charged: amount }) => (currency === '' ? [] : [{ currency, amount }])),
  }));
  return ok({ items: shown, next });
};

/** Lists slots of a carrier, the newest first. */
const ofCarrier: View<'traffic.ofCarrier'> = async (queries, { carrier, after, limit }) => {
  const id = await queries.value(integer, 'select id from carrier where name = ?', carrier);
  if (id === undefined) return noCarrier(carrier);
  const where = 'where carrier = ? and slot < ? order by slot desc limit ?';
  const rows = await queries.find(carrierSlotTable, where, id, Number(after ?? beforeNewest), limit + 1);
  const { items, next } = pageOf(rows, limit, ({ slot }) => String(slot));
  return ok({ items: items.map(({ slot, ...row }) => ({ at: slot * slotMs, ...row })), next });
};

export const trafficViews = { 'traffic.history': history, 'traffic.ofCarrier': ofCarrier };
