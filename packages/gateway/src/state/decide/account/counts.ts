/* Counts that are written at intervals, not with each message. */

import { ok } from '@morsel/api/values/result.ts';
import { dayMs, hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import {
  refusalHourTable,
  refusalTable,
  ruleHitTable,
  ruleSlotTable,
  tokenDayTable,
  type RefusalRow,
} from '../../tables/account.ts';
import { carrierSlotTable, slotMs } from '../../tables/route.ts';
import type { RowOf, Table } from '../../tables/table.ts';
import { trafficSlotTable, trafficSpans } from '../../tables/alarm/traffic.ts';
import { effect } from '../../tables/lookup.ts';
import type { Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';

/** The tables whose rows are added up in memory until they are written. */
export const countedTables = {
  ruleHits: ruleHitTable,
  ruleSlots: ruleSlotTable,
  tokenDays: tokenDayTable,
  refusalHours: refusalHourTable,
  carrierSlots: carrierSlotTable,
  traffic: trafficSlotTable,
} as const;

/** The counts since the last `add-counts`. */
export type CountLists = {
  readonly [K in keyof typeof countedTables]: readonly Omit<RowOf<(typeof countedTables)[K]>, 'change'>[];
};

/** Adds new counts to the stored ones. */
interface AddCounts extends CountLists {
  readonly at: Instant;
  readonly refusals: readonly RefusalRow[];
}

const tokenDaysKept = 400;
const refusalHoursKept = 400 * 24;
/** Traffic is kept for eight days. */
const slotsKept = (8 * dayMs) / slotMs;
/** Alarms look at the last two slots of a rule. */
const ruleSlotsKept = 2;
/** The most refusals that are kept of one account. No account displaces the refusals of another. */
const refusalsKept = 1_000;

const deleteTokenDays = effect<[token: string, before: number]>()('token_day.delete-old');
const deleteRuleSlots = effect<[before: number]>()('rule_slot.delete-old');
const deleteRefusals = effect<[account: string, kept: number]>()('refusal.delete-old');
const deleteRefusalHours = effect<[before: number]>()('refusal_hour.delete-old');
const deleteCarrierSlots = effect<[carrier: number, before: number]>()('carrier_slot.delete-old');
const deleteTraffic = effect<[span: number, before: number]>()('traffic_slot.delete-old');

export const addCountsCommand = {
  decide(rows: Rows, { at, refusals, ...counted }: AddCounts): Decided<null> {
    for (const refusal of refusals) rows.add(refusalTable, { ...refusal, id: rows.nextId(refusalTable) });
    for (const account of new Set(refusals.map((each) => each.account))) {
      rows.run(deleteRefusals, account, refusalsKept);
    }
    for (const name of countedNames) {
      const table: Table<object> = countedTables[name];
      for (const row of counted[name]) rows.put(table, row);
    }
    // The last day on which a token was used is always kept.
    for (const { token, day } of counted.tokenDays) rows.run(deleteTokenDays, token, day - tokenDaysKept);
    for (const { carrier, slot } of counted.carrierSlots) rows.run(deleteCarrierSlots, carrier, slot - slotsKept);
    rows.run(deleteRuleSlots, Math.floor(at / slotMs) - ruleSlotsKept);
    rows.run(deleteRefusalHours, Math.floor(at / hourMs) - refusalHoursKept);
    for (const { span, kept } of trafficSpans) {
      rows.run(deleteTraffic, span, Math.floor(at / (span * secondMs)) - kept);
    }
    return ok(null);
  },
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets which names there are
export const countedNames = Object.keys(countedTables) as readonly (keyof CountLists)[];
