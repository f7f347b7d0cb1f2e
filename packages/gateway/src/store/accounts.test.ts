import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AccountSettings } from '../core/account.ts';
import { toMicros } from '../core/money.ts';
import type { ResultOf } from './commands.ts';
import { TestStore } from './test-store.ts';

describe('an account whose settings change', () => {
  it('is charged by them in the next commit, after a restart too', () => {
    using store = new TestStore();
    set(store, { creditLimit: toMicros(10n), dayCap: toMicros(110n), timeZone: 'Europe/Zurich' });
    store.restart();
    for (let sent = 0; sent < 11; sent++) assert.ok(store.one(store.accept()).ok, String(sent));
    assert.equal(store.balance(), -10);
    const refusal = store.one(store.accept());
    assert.ok(!refusal.ok && refusal.error.code === 'insufficient_balance');
    set(store, { creditLimit: toMicros(1_000n) });
    const capped = store.one(store.accept());
    assert.ok(!capped.ok && capped.error.code === 'spend_cap_reached');
    assert.deepEqual([store.balance(), store.value('select spent_day from account')], [-10, 110]);
    set(store, { dayCap: null });
    assert.ok(store.one(store.accept()).ok);
  });

  it('can have no limit below what it owes (M2)', () => {
    using store = new TestStore();
    set(store, { creditLimit: toMicros(10n) });
    for (let sent = 0; sent < 11; sent++) store.one(store.accept());
    const refusal = set(store, { creditLimit: toMicros(9n) });
    assert.ok(!refusal.ok && refusal.error.code === 'invalid_parameter');
    assert.match(refusal.error.detail, /owes 0\.00001 already/);
    assert.equal(store.value('select credit_limit from account'), 10);
  });

  it('takes no price list of another currency, nor one that is not there', () => {
    using store = new TestStore();
    const at = store.now;
    store.one({ kind: 'set-prices', at, list: 'dollars', currency: 'USD', prices: [] });
    for (const [priceList, code] of [
      ['dollars', 'invalid_parameter'],
      ['nothing', 'does_not_exist'],
    ] as const) {
      const refusal = store.one({ kind: 'set-account', at, account: 'acme', priceList, settings: {} });
      assert.ok(!refusal.ok && refusal.error.code === code, priceList);
    }
  });

  it('raises one alert a threshold until its balance is put up; a refund does not put it up', () => {
    using store = new TestStore();
    set(store, { lowBalance: [toMicros(50n), toMicros(10n)] });
    const raised = (times: number) =>
      Array.from({ length: times }, () => {
        const accepted = store.one<'accept'>(store.accept());
        return accepted.ok ? (accepted.value.alert?.threshold ?? null) : undefined;
      });
    assert.deepEqual(raised(5), [null, null, null, null, null]);
    assert.deepEqual(raised(1), [50n]);
    const canceled = store.accept();
    store.one(canceled);
    store.one({ kind: 'cancel', at: store.now, message: canceled.id, account: 1 });
    assert.equal(store.balance(), 40);
    assert.deepEqual(raised(4), [null, null, null, 10n]);
    const top = { kind: 'top-up', at: store.now, account: 'acme', reason: 'more', actor: 'test' } as const;
    store.one({ ...top, amount: toMicros(55n) });
    assert.deepEqual(raised(1), [50n]);
    const alerts = store.database.prepare('select threshold, balance from alert order by id').all();
    assert.deepEqual(
      alerts.map(({ threshold, balance }) => [threshold, balance]),
      [
        [50, 40],
        [10, 0],
        [50, 45],
      ],
    );
  });
});

function set(store: TestStore, settings: Partial<AccountSettings>): ResultOf<'set-account'> {
  return store.one<'set-account'>({
    kind: 'set-account',
    at: store.now,
    account: 'acme',
    priceList: undefined,
    settings,
  });
}
