import { operate } from '../../../../test/support/store/operate.ts';
import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

describe('a top-up or an adjustment', () => {
  it('takes no balance below its limit, unless it is forced', async () => {
    await using store = await TestStore.open();
    await store.addAccount('credit', 5, { creditLimit: toMicros(10n) });
    assert.equal((await store.one(adjust(-15n))).ok, true);
    const refused = await store.one(adjust(-1n));
    assert.ok(!refused.ok && refused.error.code === 'conflict');
    assert.match(
      refused.error.detail,
      /would be -0\.000011, below the account's limit of -0\.00001: use a smaller amount, or --force/,
    );
    assert.equal((await store.one(adjust(-1n, { force: true }))).ok, true);
    assert.equal(await store.balance(2), -11);
    const set = (settings: object) =>
      store.one(operate('account.set', { account: 'credit', ...settings }, { at: 0, made: {} }));
    assert.equal((await set({ partsMax: 5 })).ok, true, 'what has nothing to do with its limit');
    assert.equal((await set({ creditLimit: toMicros(10n) })).ok, false);
    assert.equal((await store.one(adjust(1n))).ok, true);
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('is posted once for each idempotency key, after a restart and in one group; another account may use the same key', async () => {
    await using store = await TestStore.open();
    await store.addAccount('credit', 0);
    const first = await store.one(topUp(5n, 'k'));
    const entry = (await store.ids('entry'))[1] ?? assert.fail('an entry is there');
    const posted = { account: 'credit', amount: 5n, balance: 5n, entry };
    assert.deepEqual(first, { ok: true, value: { ...posted, replayed: false } });
    assert.equal((await store.one(topUp(7n, 'other'))).ok, true);
    await store.restart();
    assert.deepEqual(await store.one(topUp(5n, 'k')), { ok: true, value: { ...posted, replayed: true } });
    assert.equal((await store.one(topUp(5n, 'k', 'acme'))).ok, true);
    await store.apply(topUp(1n, 'twice'), topUp(1n, 'twice'));
    assert.equal(await store.balance(2), 13);
    assert.equal(await store.balance(1), 105);
    for (const other of [topUp(6n, 'k'), adjust(5n, { key: 'k' })]) {
      const conflict = await store.one(other);
      assert.ok(!conflict.ok && conflict.error.code === 'already_exists');
      assert.equal(
        conflict.error.detail,
        `key k was already used for entry ${entry}, a top-up of 0.000005: use another key`,
      );
    }
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('leaves room in the 64 bits of a balance for every refund', async () => {
    await using store = await TestStore.open();
    await store.addAccount('credit', 0);
    const most = 2n ** 62n;
    /** One posting is at most 100,000,000,000. */
    const step = 10n ** 17n;
    const move = async (by: bigint) => {
      for (let left = by; left !== 0n;) {
        const amount = left > step ? step : left < -step ? -step : left;
        assert.ok((await store.one(adjust(amount, { force: true }))).ok);
        left -= amount;
      }
    };
    await move(most);
    assert.equal((await store.one(topUp(1n))).ok, false);
    await move(-2n * most);
    assert.equal((await store.one(adjust(-1n, { force: true }))).ok, false);
    assert.deepEqual(await store.moneyFaults(), ['M2: no balance is below its limit: not so for {"name":"credit"}']);
  });
});

describe('ledger entries', () => {
  it('have the balance right after them, even if a refund comes between two charges of a group (M1)', async () => {
    await using store = await TestStore.open();
    const [first, second, third] = [store.accept(), store.accept({ numParts: 2 }), store.accept()];
    await store.apply(first);
    await store.apply(second, { kind: 'cancel', at: store.now, message: first.id, account: null }, third);
    assert.deepEqual(
      (await store.rows('select kind, amount, balance_after, messages, parts from entry order by id')).map(
        Object.values,
      ),
      [
        ['top-up', 100, 100, 0, 0],
        ['charge', -10, 90, 1, 1],
        ['charge', -20, 70, 1, 2],
        ['refund', 10, 80, 1, 1],
        ['charge', -10, 70, 1, 1],
      ],
    );
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('are in the order of their times, even if a command waited or the clock stepped back', async () => {
    await using store = await TestStore.open();
    const late = store.now + 5_000;
    await store.apply({ ...topUp(1n, undefined, 'acme'), at: late }, store.accept());
    await store.restart();
    await store.apply(store.accept());
    assert.deepEqual((await store.rows('select created_at from entry order by id')).map(Object.values), [
      [store.now],
      [late],
      [late],
      [late],
    ]);
  });

  it('never change and are never deleted (M4)', async () => {
    await using store = await TestStore.open();
    const change = (sql: string) => () => store.run(sql);
    await assert.rejects(change('update entry set amount = 0'), /entries of the ledger cannot be changed/);
    await assert.rejects(
      change("update entry set reason = 'x' where kind = 'top-up'"),
      /entries of the ledger cannot be changed/,
    );
    await assert.rejects(change('delete from entry'), /entries of the ledger cannot be (changed or )?deleted/);
    assert.equal(await store.value('select count(*) from entry'), 1);
  });
});

function topUp(amount: bigint, key?: string, account = 'credit'): CommandOf<'operate'> {
  return operate('posting.topUp', { account, amount: toMicros(amount), key }, { at: 0 });
}

function adjust(amount: bigint, more: { readonly force?: true; readonly key?: string } = {}): CommandOf<'operate'> {
  const given = { account: 'credit', amount: toMicros(amount), reason: 'test', ...more };
  return operate('posting.adjust', given, { at: 0 });
}
