/* View of what a carrier's accepted parts cost in a period. */

import type { UnitCost } from '../../../core/routing/carrier-cost.ts';
import { firstIdAt, toMessageId } from '../../../core/base/message-id.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { micros, integer, textOrNull } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

export interface CarrierCostInput {
  readonly carrier: string;
  /** The answers from this instant on, and before that one. */
  readonly from: Instant;
  readonly to: Instant;
  /** Goes on from this id, which the last page returned. */
  readonly next: MessageId | null;
}

/** Parts that a carrier accepted at one price; null if the price is not known. */
interface PartsAtCost {
  readonly unitCost: UnitCost | null;
  readonly parts: number;
}

interface CarrierCostPage {
  readonly costs: readonly PartsAtCost[];
  /** The id to go on from; null at the end. */
  readonly next: MessageId | null;
}

/** Messages of one page: ids are times, so a page is a range of them, and takes some tens of milliseconds. */
const scannedMax = 20_000;

/** A message may be scheduled 30 days ahead and is valid for 3 more; its last answer may be a day late. */
const oldestMs = 34 * 24 * hourMs;

/** What a carrier accepted in a period, from a limited range of messages. */
export function readCarrierCosts(queries: Queries, input: CarrierCostInput): CarrierCostPage {
  const lower = input.next ?? firstIdAt(input.from - oldestMs);
  const upper = firstIdAt(input.to);
  const behind = queries.get(
    'select id from message where id >= ? and id < ? order by id limit 1 offset ?',
    lower,
    upper,
    scannedMax,
  );
  const end = behind ? toMessageId(integer(behind, 'id')) : upper;
  // A part in doubt that a receipt names was accepted, too.
  const rows = queries.all(
    `select cost, cost_currency, count(*) as parts from attempt where message >= ? and message < ? and carrier in (select id from carrier where name = ?)
      and (outcome = 'accepted' or (outcome = 'in_doubt' and carrier_id_key is not null))
      and answered_at >= ? and answered_at < ?
      group by cost, cost_currency`,
    lower,
    end,
    input.carrier,
    input.from,
    input.to,
  );
  const costs = rows.map((row) => {
    const currency = textOrNull(row, 'cost_currency');
    return {
      unitCost: currency === null ? null : { amount: micros(row, 'cost'), currency },
      parts: integer(row, 'parts'),
    };
  });
  return { costs, next: behind ? end : null };
}
