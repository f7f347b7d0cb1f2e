import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { accountDefaults, type Account } from '../account/account.ts';
import { charge, type Spent, type LedgerStanding, isRefunded } from './ledger.ts';
import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { hourMs } from '@morsel/api/values/time.ts';

const noon = Date.parse('2026-03-31T12:00:00Z');
const unspent: Spent = { day: zeroMicros, dayEndsAt: 0, month: zeroMicros, monthEndsAt: 0 };

function accountWith(settings: Partial<Account>): Account {
  return { ...accountDefaults, id: 1, name: 'acme', currency: 'EUR', status: 'active', priceList: 1, ...settings };
}

function micros(amount: number): Micros {
  return toMicros(BigInt(amount));
}

function spend(account: Account, cost: Micros, at: number, before?: LedgerStanding): LedgerStanding {
  const charged = charge(account, before ?? { balance: micros(1_000), spent: unspent }, { cost, at });
  assert.ok(charged.ok);
  return charged.value;
}

describe('a charge', () => {
  it('takes the balance to its limit and never below it (M2)', () => {
    const account = accountWith({ creditLimit: micros(50) });
    const after = charge(account, { balance: micros(100), spent: unspent }, { cost: micros(150), at: noon });
    assert.ok(after.ok);
    assert.equal(after.value.balance, -50n);
    const refusal = charge(account, after.value, { cost: micros(1), at: noon });
    assert.deepEqual(refusal, {
      ok: false,
      error: { code: 'insufficient_balance', totalCost: 1n, clientBalance: -50n, clientCurrency: 'EUR' },
    });
  });

  it('of 0 is allowed with a balance below its limit, and beyond a cap that was lowered', () => {
    const account = accountWith({ creditLimit: micros(50), dayCap: micros(5) });
    const owing = { ...spend(accountWith({}), micros(10), noon), balance: micros(-51) };
    assert.deepEqual(charge(account, owing, { cost: zeroMicros, at: noon }), { ok: true, value: owing });
    assert.ok(!charge(account, owing, { cost: micros(1), at: noon }).ok);
  });

  it('is allowed up to the daily cap, and again from midnight in the time zone of the account', () => {
    const account = accountWith({ dayCap: micros(10), timeZone: 'Europe/Zurich' });
    const full = spend(account, micros(10), noon);
    const refusal = charge(account, full, { cost: micros(1), at: noon });
    assert.ok(!refusal.ok && refusal.error.code === 'spend_cap_reached');
    const { period, cap, spent, endsAt } = refusal.error;
    assert.deepEqual([period, cap, spent], ['day', 10n, 10n]);
    assert.equal(new Date(endsAt).toISOString(), '2026-03-31T22:00:00.000Z');
    assert.ok(!charge(account, full, { cost: micros(1), at: endsAt - 1 }).ok);
    assert.ok(!charge(account, spend(account, micros(9), noon), { cost: micros(2), at: noon }).ok, 'not one too many');
    assert.ok(charge(account, full, { cost: micros(10), at: endsAt }).ok);
  });

  it('is allowed up to the monthly cap, on any day', () => {
    const account = accountWith({ monthCap: micros(10) });
    let standing = spend(account, micros(6), noon - 24 * hourMs);
    standing = spend(account, micros(4), noon, standing);
    const refusal = charge(account, standing, { cost: micros(1), at: noon + hourMs });
    assert.ok(!refusal.ok && refusal.error.code === 'spend_cap_reached');
    assert.deepEqual([refusal.error.period, refusal.error.spent], ['month', 10n]);
    assert.ok(charge(account, standing, { cost: micros(10), at: Date.parse('2026-04-01T00:00:00Z') }).ok);
  });

  it('is not limited by charges that a clock a year ahead recorded', () => {
    const account = accountWith({ dayCap: micros(5), monthCap: micros(5) });
    const ahead = spend(account, micros(5), noon + 365 * 24 * hourMs);
    assert.equal(spend(account, micros(5), noon, ahead).spent.day, 5n);
  });

  it('is counted exactly: the spent amount is the sum of all charges since midnight', () => {
    const account = accountWith({ creditLimit: micros(1_000_000), dayCap: micros(500), monthCap: micros(900) });
    const step = fc.record({ cost: fc.nat(200), hours: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let standing: LedgerStanding = { balance: zeroMicros, spent: unspent };
        let at = noon;
        const taken: { cost: number; day: string }[] = [];
        for (const { cost, hours } of steps) {
          at += hours * hourMs;
          const day = new Date(at).toISOString().slice(0, 10);
          const sumOf = (period: string) =>
            taken.filter((each) => each.day.startsWith(period)).reduce((sum, each) => sum + each.cost, 0);
          const fits = sumOf(day) + cost <= 500 && sumOf(day.slice(0, 7)) + cost <= 900;
          const charged = charge(account, standing, { cost: micros(cost), at });
          assert.equal(charged.ok, fits);
          if (!charged.ok) continue;
          taken.push({ cost, day });
          standing = charged.value;
          assert.equal(standing.spent.day, BigInt(sumOf(day)));
        }
      }),
    );
  });
});

it('a part that was ever in doubt is not refunded, whatever its final state and the policy are', () => {
  const end = { state: 'undelivered', reachedCarrier: false, wasRefused: true } as const;
  for (const policy of ['unsent', 'refused', 'undelivered'] as const) {
    assert.equal(isRefunded({ ...end, everInDoubt: false }, policy), true, policy);
    assert.equal(isRefunded({ ...end, everInDoubt: true }, policy), false, policy);
  }
});
