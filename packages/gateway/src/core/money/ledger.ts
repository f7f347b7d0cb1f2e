/*
 * Decides about an account's money: whether the balance and the spending caps allow a charge, when to notify of a low
 * balance, and which parts to refund.
 */

import type { Account } from '../account/account.ts';
import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { endOfDay, endOfMonth } from './calendar.ts';
import type { FinalEvent } from '../base/message.ts';
import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, type Instant } from '@morsel/api/values/time.ts';

/** Spending in one day and one month, with the end of each. Refunds are not deducted. */
export interface Spent {
  readonly day: Micros;
  readonly dayEndsAt: Instant;
  readonly month: Micros;
  readonly monthEndsAt: Instant;
}

export interface LedgerStanding {
  readonly balance: Micros;
  readonly spent: Spent;
}

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
 * Longer than any day, even at the end of summer time; `monthMaxMs` is longer than any month. If a stored period ends
 * further in the future than this, the clock was ahead when the period was stored.
 */
const dayMaxMs = 26 * hourMs;
const monthMaxMs = 32 * 24 * hourMs;

function isWithin(at: Instant, endsAt: Instant, maxMs: number): boolean {
  return at < endsAt && endsAt - at <= maxMs;
}

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
 * The lowest threshold above the balance, if the account was not yet notified of it since its last top-up. Refunds do
 * not reset this: otherwise a balance near a threshold would cause a notification every minute.
 */
export function alertBelow(lowBalance: readonly Micros[], balance: Micros, alertedBelow: Micros | null): Micros | null {
  const passed = lowestAbove(lowBalance, balance);
  return passed !== null && (alertedBelow === null || passed < alertedBelow) ? passed : null;
}

/** The highest threshold of which the account was not yet notified. No balance from it on causes a notification. */
export function alertFloor(lowBalance: readonly Micros[], alertedBelow: Micros | null): Micros | null {
  return lowBalance.find((threshold) => alertedBelow === null || threshold < alertedBelow) ?? null;
}

export function lowestAbove(lowBalance: readonly Micros[], balance: Micros): Micros | null {
  return lowBalance.findLast((threshold) => balance < threshold) ?? null;
}

/** The history of a part that reached its final state. It decides whether the part is refunded. */
export interface PartEnd {
  readonly state: FinalEvent;
  readonly reachedCarrier: boolean;
  /** Whether the carrier's answer refused the part. A rejection in a receipt is no refusal: the part was accepted. */
  readonly wasRefused: boolean;
  readonly everInDoubt: boolean;
}

/** A part that was ever in doubt is not refunded. */
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
