import { operate } from '../../../../test/support/store/operate.ts';
import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { stories } from '../../../../test/support/store/stories/story.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

describe('a top-up or an adjustment', () => {
  stories({
    'takes no balance below its limit, unless it is forced': `
      account credit 5 limit=10; adjust credit -15 -> -10; adjust credit -1 -> conflict; adjust credit -1 force -> -11
      adjust credit 1 -> -10`,
    'is posted once for each idempotency key, after a restart and in one group; another account may use the same key': `
      account credit; top-up credit 5 key=k -> 5; top-up credit 7 key=other -> 12; restart; top-up credit 5 key=k -> 5
      top-up acme 5 key=k -> 105; top-up credit 1 key=twice & top-up credit 1 key=twice -> 13 & 13; balance 2 = 13
      top-up credit 6 key=k -> already_exists; adjust credit 5 key=k -> already_exists; rows entry account=2 = 3`,
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
  stories({
    'have the balance right after them, even if a refund comes between two charges of a group (M1)': `
      accept; accept 2 & cancel 1 & accept; rows entry = 5; rows entry kind=charge amount=-20 balance_after=70 parts=2 = 1
      rows entry kind=refund balance_after=80 messages=1 = 1; rows entry kind=charge amount=-10 balance_after=70 = 1`,
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
