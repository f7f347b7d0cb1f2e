import type { Account } from '../account/account.ts';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { endOfDay, endOfMonth } from './calendar.ts';
import type { FinalEvent } from '../base/message.ts';
import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

export type EntryKind = 'top-up' | 'charge' | 'refund' | 'adjustment';

/** What an account spent in the day and the month that end then; refunds are not taken off. */
export interface Spent {
  readonly day: Micros;
  readonly dayEndsAt: Instant;
  readonly month: Micros;
  readonly monthEndsAt: Instant;
}

/** What a charge goes by, and what it leaves behind. */
export interface LedgerStanding {
  readonly balance: Micros;
  readonly spent: Spent;
}

/**
 * How an account stands after a charge of `cost`, or why there is none: the balance would pass below its limit (M2), or
 * more would be spent in a day or a month than its caps allow. What costs nothing needs no cover: it takes nothing from an
 * account that is below its limit already (an adjustment was forced) or beyond a cap (that was lowered).
 */
export function charge(
  account: Account,
  standing: LedgerStanding,
  { cost, at }: { readonly cost: Micros; readonly at: Instant },
): Result<LedgerStanding, Rejection> {
  const balance = toMicros(standing.balance - cost);
  const { currency: clientCurrency } = account;
  if (cost === zeroMicros) return ok({ balance, spent: spentAt(standing.spent, account, at) });
  if (balance < -account.creditLimit) {
    return refused({
      code: 'insufficient_balance',
      totalCost: cost,
      clientBalance: standing.balance,
      clientCurrency,
    });
  }
  const before = spentAt(standing.spent, account, at);
  const spent = { ...before, day: toMicros(before.day + cost), month: toMicros(before.month + cost) };
  if (account.dayCap !== null && spent.day > account.dayCap) {
    const { day, dayEndsAt: endsAt } = before;
    return refused({ ...capOf('day', account.dayCap, day), totalCost: cost, clientCurrency, endsAt, at });
  }
  if (account.monthCap !== null && spent.month > account.monthCap) {
    const { month, monthEndsAt: endsAt } = before;
    return refused({ ...capOf('month', account.monthCap, month), totalCost: cost, clientCurrency, endsAt, at });
  }
  return ok({ balance, spent });
}

function capOf(period: 'day' | 'month', cap: Micros, spent: Micros) {
  return { code: 'spend_cap_reached', period, cap, spent } as const;
}

/** Longer than any day and any month, with an hour more where summer time ends. What ends later is of a clock that was ahead. */
const dayMaxMs = 26 * hourMs;
const monthMaxMs = 32 * 24 * hourMs;

function isWithin(at: Instant, endsAt: Instant, maxMs: number): boolean {
  return at < endsAt && endsAt - at <= maxMs;
}

/** What was spent by then, of the day and the month of that instant. */
export function spentAt(spent: Spent, { timeZone }: Pick<Account, 'timeZone'>, at: Instant): Spent {
  const isSameDay = isWithin(at, spent.dayEndsAt, dayMaxMs);
  const isNewMonth = !isWithin(at, spent.monthEndsAt, monthMaxMs);
  if (isSameDay && !isNewMonth) return spent;
  return {
    day: isSameDay ? spent.day : zeroMicros,
    dayEndsAt: isSameDay ? spent.dayEndsAt : endOfDay(at, timeZone),
    month: isNewMonth ? zeroMicros : spent.month,
    monthEndsAt: isNewMonth ? endOfMonth(at, timeZone) : spent.monthEndsAt,
  };
}

/**
 * The lowest threshold above the balance, if nobody was told of it since the balance was last put up; refunds put up
 * nothing, or a balance about its threshold would tell it every minute.
 */
export function alertBelow(lowBalance: readonly Micros[], balance: Micros, alertedBelow: Micros | null): Micros | null {
  const passed = lowestAbove(lowBalance, balance);
  return passed !== null && (alertedBelow === null || passed < alertedBelow) ? passed : null;
}

/** The lowest threshold above the balance. */
export function lowestAbove(lowBalance: readonly Micros[], balance: Micros): Micros | null {
  return lowBalance.findLast((threshold) => balance < threshold) ?? null;
}

/** What is known of a part at its end that decides whether its price goes back. */
export interface PartEnd {
  readonly state: FinalEvent;
  /** A carrier accepted it, or refused it for good: the part reached a carrier. */
  readonly reachedCarrier: boolean;
  /** A carrier refused it for good in its answer to submit_sm. A rejection in a receipt comes after an acceptance, and is none. */
  readonly wasRefused: boolean;
  /** It was in doubt at least once: nobody can say that it did not reach one. */
  readonly everInDoubt: boolean;
}

/** Whether the part's price goes back under the account's policy. What is in doubt never does (decisions, section 4). */
export function isRefunded(end: PartEnd, policy: RefundPolicy): boolean {
  if (end.everInDoubt || end.state === 'delivered' || end.state === 'unknown') return false;
  switch (policy) {
    case 'never':
      return false;
    case 'unsent':
      return !end.reachedCarrier;
    case 'refused':
      return !end.reachedCarrier || end.wasRefused;
    case 'undelivered':
      return true;
  }
}
