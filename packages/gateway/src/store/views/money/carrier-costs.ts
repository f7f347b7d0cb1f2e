/* The view of a carrier's charges for accepted parts in a period. */

import { ok } from '@morsel/api/values/result.ts';
import { noCarrier } from '../../../core/named.ts';
import { firstIdAt, toMessageId } from '../../../core/base/message-id.ts';
import { dayMs, hourMs } from '@morsel/api/values/time.ts';
import { integer, messageId, nullable, text } from '../../../state/tables/column.ts';
import { attemptTable } from '../../../state/tables/message.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { shape } from '../../../state/tables/table.ts';
import type { View } from '../view.ts';

/** The SQL of each value by which the sums are grouped, made from an attempt and its message. */
const groups = {
  account:
    '(select account.name from message join account on account.id = message.account where message.id = attempt.message)',
  prefix:
    '(select route.prefix from message join route on route.id = message.route where message.id = attempt.message)',
  day: `cast(answered_at / ${dayMs} as text)`,
} as const;

/** The price is null if it is not known. */
const costShape = shape({ unitCost: attemptTable.members.cost, ofGroup: nullable(text), parts: integer });

/** The most messages that one page reads. A page takes some tens of milliseconds. */
const scannedMax = 20_000;

/** The longest time from acceptance to an answer: 30 days until due, 3 days of validity, a day for a late answer. */
const oldestMs = 34 * 24 * hourMs;

/** Adds up the charges of a limited range of messages in one page. */
export const carrierCost: View<'carrier.cost'> = async (
  queries,
  { carrier: name, from, to: given, by, after, now },
) => {
  if (from > now) return invalid('from', 'must be a time in the past');
  const to = given ?? now;
  if (to <= from) return invalid('to', 'must be later than from');
  const carrier = await queries.row(carrierShape, carrierQuery, name);
  if (!carrier) return noCarrier(name);
  const lower = after === undefined ? firstIdAt(from - oldestMs) : toMessageId(Number(after));
  const upper = firstIdAt(to);
  const behind = await queries.value(
    messageId,
    'select id from message where id >= ? and id < ? order by id limit 1 offset ?',
    lower,
    upper,
    scannedMax,
  );
  // An attempt in doubt with an id was accepted, too, because a receipt matched it.
  const rows = await queries.rows(
    costShape,
    `select cost_amount as unit_cost_amount, cost_currency as unit_cost_currency, ${by ? groups[by] : 'cast(null as text)'} as of_group,
        count(*) as parts from attempt where message >= ? and message < ? and carrier in (select id from carrier where name = ?)
      and (outcome = 'accepted' or (outcome = 'in_doubt' and carrier_id_key is not null))
      and answered_at >= ? and answered_at < ?
      group by cost_amount, cost_currency, of_group order by cost_amount nulls first, cost_currency nulls first, of_group`,
    lower,
    behind ?? upper,
    name,
    from,
    to,
  );
  const costs = rows.map(({ unitCost, ofGroup, parts }) => ({
    group: by === 'day' ? dayOf(ofGroup) : ofGroup,
    unitCost: unitCost?.amount ?? null,
    currency: unitCost?.currency ?? null,
    parts,
  }));
  return ok({ carrier: name, ...carrier, from, to, costs, next: behind === undefined ? null : String(behind) });
};

const carrierShape = shape({ costList: nullable(text) });
const carrierQuery = `select price_list.name as cost_list from carrier
  left join price_list on price_list.id = carrier.cost_list where carrier.name = ? and carrier.status <> 'removed'`;

/** Turns days since 1970 into a date such as `2026-01-31`. */
function dayOf(days: string | null): string {
  return new Date(Number(days) * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
