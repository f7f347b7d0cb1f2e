/*
 * The decisions about an account's money: whether a charge fits the balance and the caps, when a low balance is
 * notified, and which parts are refunded.
 */

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

/** Spending of the day and the month that end then, without deducting refunds. */
export interface Spent {
  readonly day: Micros;
  readonly dayEndsAt: Instant;
  readonly month: Micros;
  readonly monthEndsAt: Instant;
}

/** The state of an account before and after a charge. */
export interface LedgerStanding {
  readonly balance: Micros;
  readonly spent: Spent;
}

/**
 * The account after a charge of `cost`, or the refusal: the balance would fall below its limit (M2), or spending would
 * pass a cap. A cost of 0 always fits, even if the account is below its limit (after a forced adjustment) or beyond a
 * lowered cap.
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

/**
 * Longer than any day and any month, with an extra hour for the end of summer time. A period that ends later comes from
 * a clock that was ahead.
 */
const dayMaxMs = 26 * hourMs;
const monthMaxMs = 32 * 24 * hourMs;

function isWithin(at: Instant, endsAt: Instant, maxMs: number): boolean {
  return at < endsAt && endsAt - at <= maxMs;
}

/** Spending so far in the day and the month of that instant. */
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
 * The lowest threshold above the balance, if no notification was made since the balance was last raised. Refunds do not
 * raise it: a balance near its threshold would notify every minute.
 */
export function alertBelow(lowBalance: readonly Micros[], balance: Micros, alertedBelow: Micros | null): Micros | null {
  const passed = lowestAbove(lowBalance, balance);
  return passed !== null && (alertedBelow === null || passed < alertedBelow) ? passed : null;
}

/** The lowest threshold above the balance. */
export function lowestAbove(lowBalance: readonly Micros[], balance: Micros): Micros | null {
  return lowBalance.findLast((threshold) => balance < threshold) ?? null;
}

/** The history of a part at its end, which decides its refund. */
export interface PartEnd {
  readonly state: FinalEvent;
  /** A carrier accepted or finally refused it: the part reached a carrier. */
  readonly reachedCarrier: boolean;
  /**
   * A carrier finally refused it in its answer to submit_sm. A rejection in a receipt comes after an acceptance, and
   * does not count.
   */
  readonly wasRefused: boolean;
  /** It was in doubt at least once, so it may have reached a carrier. */
  readonly everInDoubt: boolean;
}

/**
 * Whether the part is refunded under the account's policy. A part that was in doubt never is.
 */
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
