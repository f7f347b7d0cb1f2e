/* Counts that are written now and then, not on the path of a message. */

import { ok } from '@morsel/api/values/result.ts';
import { dayMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import {
  refusalHourTable,
  refusalTable,
  ruleHitTable,
  ruleSlotTable,
  tokenDayTable,
  type RefusalHour,
  type RefusalRow,
} from '../../tables/account.ts';
import { carrierSlotTable, slotMs, type CarrierSlot } from '../../tables/route.ts';
import type { RowOf } from '../../tables/table.ts';
import { trafficSlotTable, trafficSpans, type Traffic } from '../../tables/alarm/traffic.ts';
import { effect } from '../../tables/lookup.ts';
import type { Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';

/** How often an account's messages broke a rule since this was last said, and the last one that did. */
export type RuleHits = Readonly<Omit<RowOf<typeof ruleHitTable>, 'change'>>;

/** What a token was used for on a day since this was last said. */
export interface TokenUse {
  readonly token: string;
  /** Requests that it authenticated, whatever became of them. */
  readonly requests: number;
  /** Messages that were accepted and charged. */
  readonly messages: number;
  /** When it was used last: says the day, too. */
  readonly lastAt: Instant;
}

/** Adds to what was counted before. */
interface AddCounts {
  readonly at: Instant;
  readonly ruleHits: readonly RuleHits[];
  readonly tokenUses: readonly TokenUse[];
  readonly refusals: readonly RefusalRow[];
  readonly refusalHours: readonly RefusalHour[];
  readonly carrierSlots: readonly CarrierSlot[];
  readonly traffic: readonly Traffic[];
}

const tokenDaysKept = 400;
const refusalHoursKept = 400 * 24;
/** Eight days. */
const slotsKept = (8 * dayMs) / slotMs;
/** Alarms look at the last two. */
const ruleSlotsKept = 2;
/** Of one account: enough to look at, and no other account loses its own. */
const refusalsKept = 1_000;

const deleteTokenDays = effect<[token: string, before: number]>()('token_day.delete-old');
const deleteRuleSlots = effect<[before: number]>()('rule_slot.delete-old');
const deleteRefusals = effect<[account: string, kept: number]>()('refusal.delete-old');
const deleteRefusalHours = effect<[before: number]>()('refusal_hour.delete-old');
const deleteCarrierSlots = effect<[carrier: number, before: number]>()('carrier_slot.delete-old');
const deleteTraffic = effect<[span: number, before: number]>()('traffic_slot.delete-old');

export const addCountsCommand = {
  decide(
    rows: Rows,
    { at, ruleHits, tokenUses, refusals, refusalHours, carrierSlots, traffic }: AddCounts,
  ): Decided<null> {
    keepRefusals(rows, refusals, refusalHours);
    keepSlots(rows, carrierSlots);
    keepTraffic(rows, at, traffic);
    keepRuleHits(rows, ruleHits);
    for (const use of tokenUses) {
      const day = countTokenUse(rows, use);
      // The day of its last use always stays.
      rows.run(deleteTokenDays, use.token, day - tokenDaysKept);
    }
    return ok(null);
  },
};

function keepRuleHits(rows: Rows, ruleHits: readonly RuleHits[]): void {
  for (const hits of ruleHits) {
    rows.put(ruleHitTable, hits);
    const { account, rule, watched, refused, lastAt } = hits;
    const slot = Math.floor(lastAt / slotMs);
    rows.put(ruleSlotTable, { slot, account, rule, broken: watched + refused, refused });
    rows.run(deleteRuleSlots, slot - ruleSlotsKept);
  }
}

function keepRefusals(rows: Rows, refusals: readonly RefusalRow[], hours: readonly RefusalHour[]): void {
  for (const refusal of refusals) rows.add(refusalTable, { ...refusal, id: rows.nextId(refusalTable) });
  for (const account of new Set(refusals.map((each) => each.account))) {
    rows.run(deleteRefusals, account, refusalsKept);
  }
  for (const each of hours) rows.put(refusalHourTable, each);
  const newest = hours.at(-1)?.hour;
  if (newest !== undefined) rows.run(deleteRefusalHours, newest - refusalHoursKept);
}

function keepSlots(rows: Rows, slots: readonly CarrierSlot[]): void {
  for (const each of slots) {
    rows.put(carrierSlotTable, each);
    rows.run(deleteCarrierSlots, each.carrier, each.slot - slotsKept);
  }
}

function keepTraffic(rows: Rows, at: Instant, traffic: readonly Traffic[]): void {
  if (traffic.length === 0) return;
  for (const { span, kept } of trafficSpans) {
    const slot = Math.floor(at / (span * secondMs));
    for (const sums of traffic) rows.put(trafficSlotTable, { ...sums, span, slot });
    rows.run(deleteTraffic, span, slot - kept);
  }
}

/** Adds a use to those of its token on its day. Returns the day, counted from 1970. */
export function countTokenUse(rows: Rows, use: TokenUse): number {
  const day = Math.floor(use.lastAt / dayMs);
  rows.put(tokenDayTable, { ...use, day });
  return day;
}
