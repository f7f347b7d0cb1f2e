/* View of a carrier's charges for accepted parts in a period. */

import { firstIdAt, type MessageId } from '../../../core/base/message-id.ts';
import { dayMs, hourMs, type Instant } from '@morsel/api/values/time.ts';
import { integer, messageId, nullable, text } from '../../../state/tables/column.ts';
import { attemptTable } from '../../../state/tables/message.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';

export interface CarrierCostInput {
  readonly carrier: string;
  readonly from: Instant;
  readonly to: Instant;
  readonly by?: keyof typeof groups | undefined;
  /** Where this page starts; null for the first page. */
  readonly next: MessageId | null;
}

/** What the sums are divided by: of an attempt, and of its message. */
const groups = {
  account:
    '(select account.name from message join account on account.id = message.account where message.id = attempt.message)',
  prefix:
    '(select route.prefix from message join route on route.id = message.route where message.id = attempt.message)',
  day: `cast(answered_at / ${dayMs} as text)`,
} as const;

/** The price is null if it is not known. */
const costShape = shape({ unitCost: attemptTable.members.cost, ofGroup: nullable(text), parts: integer });

interface CarrierCostPage {
  readonly costs: readonly ShapeOf<typeof costShape>[];
  /** Null if there is no next page. */
  readonly next: MessageId | null;
}

/** The most messages that one page looks at. A page takes some tens of milliseconds. */
const scannedMax = 20_000;

/** From acceptance to answer: 30 days until it is due, 3 days of validity, and a day for a late answer. */
const oldestMs = 34 * 24 * hourMs;

/** One page looks at a limited range of messages. */
export async function readCarrierCosts(queries: Queries, input: CarrierCostInput): Promise<CarrierCostPage> {
  const lower = input.next ?? firstIdAt(input.from - oldestMs);
  const upper = firstIdAt(input.to);
  const behind = await queries.value(
    messageId,
    'select id from message where id >= ? and id < ? order by id limit 1 offset ?',
    lower,
    upper,
    scannedMax,
  );
  const end = behind ?? upper;
  // An attempt in doubt with an id was accepted, too, because a receipt matched it.
  const costs = await queries.rows(
    costShape,
    `select cost_amount as unit_cost_amount, cost_currency as unit_cost_currency, ${input.by ? groups[input.by] : 'cast(null as text)'} as of_group,
        count(*) as parts from attempt where message >= ? and message < ? and carrier in (select id from carrier where name = ?)
      and (outcome = 'accepted' or (outcome = 'in_doubt' and carrier_id_key is not null))
      and answered_at >= ? and answered_at < ?
      group by cost_amount, cost_currency, of_group order by cost_amount nulls first, cost_currency nulls first, of_group`,
    lower,
    end,
    input.carrier,
    input.from,
    input.to,
  );
  const dated = costs.map((each) => ({ ...each, ofGroup: input.by === 'day' ? dayOf(each.ofGroup) : each.ofGroup }));
  return { costs: dated, next: behind ?? null };
}

/** `2026-01-31` of a number of days since 1970. */
function dayOf(days: string | null): string {
  return new Date(Number(days) * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
