import { operate } from '../../../../test/support/store/operate.ts';
import type { AnyResult, CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idempotencyLifeMs } from '../../../core/message/idempotency.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

const hashes = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const;

function keyed(
  store: TestStore,
  more: Partial<CommandOf<'accept'>> = {},
  key = 'k',
  hash: Uint8Array = hashes[0],
): CommandOf<'accept'> {
  return store.accept({ ...more, idempotency: { key, hash } });
}

/** The message of a result, or the code of its refusal. */
function said(result: AnyResult | undefined, command: CommandOf<'accept'>): number | string {
  if (!result?.ok) return result?.error.code ?? '';
  const { value } = result;
  return value && 'first' in value && value.first ? value.first.message : command.id;
}

describe('a key in the store (M7)', () => {
  it('is decided by the commit: in a group of equal requests one is the first, and the others get its answer', async () => {
    await using store = await TestStore.open();
    const commands = Array.from({ length: 20 }, () => keyed(store));
    const results = await store.apply(...commands);
    const [first] = commands;
    assert.deepEqual(
      new Set(results.map((result, at) => said(result, commands[at] ?? store.accept()))),
      new Set([first?.id]),
    );
    for (const result of results)
      assert.equal(result.ok && result.value && 'clientBalance' in result.value && result.value.clientBalance, 90n);
    assert.deepEqual([await store.value('select count(*) from message'), await store.balance()], [1, 90]);
  });

  it('keeps amounts that no JavaScript number can hold', async () => {
    await using store = await TestStore.open();
    const huge = toMicros(9_007_199_254_740_993n);
    await store.one(operate('posting.topUp', { account: 'acme', amount: huge }, { at: 0 }));
    await store.apply(keyed(store));
    const [again] = await store.apply(keyed(store));
    assert.ok(again?.ok && again.value && 'clientBalance' in again.value);
    assert.equal(again.value.clientBalance, huge + 90n);
  });

  it('belongs to its account', async () => {
    await using store = await TestStore.open();
    await store.addAccount('other', 100);
    await store.apply(keyed(store), keyed(store, { account: 2 }));
    assert.deepEqual([await store.balance(), await store.balance(2)], [90, 90]);
  });

  it('is not used up by a refusal: the next message of the same group is decided by itself', async () => {
    await using store = await TestStore.open();
    const dear = keyed(store, { totalCost: toMicros(101n) });
    const cheap = keyed(store);
    const results = await store.apply(dear, cheap, keyed(store));
    assert.deepEqual(
      results.map((result) => said(result, cheap)),
      ['insufficient_balance', cheap.id, cheap.id],
    );
    assert.equal(await store.balance(), 90);
  });

  it('is not used up by a group that was rolled back', async () => {
    await using store = await TestStore.open();
    const known = store.accept();
    await store.apply(known);
    const broken = keyed(store, { id: known.id });
    const whole = keyed(store, {}, 'other');
    const results = await store.apply(broken, whole);
    assert.deepEqual([said(results[0], broken), said(results[1], whole)], ['internal_error', whole.id]);
    const again = keyed(store);
    assert.equal(said((await store.apply(again))[0], again), again.id);
  });

  it('is valid for seven days, whether swept or not, and can be used for another message then', async () => {
    await using store = await TestStore.open();
    const first = keyed(store);
    await store.apply(first);
    store.now += idempotencyLifeMs - 1;
    assert.equal(said((await store.apply(keyed(store)))[0], first), first.id);
    store.now += 1;
    const second = keyed(store, {}, 'k', hashes[1]);
    assert.equal(said((await store.apply(second))[0], second), second.id);
    assert.equal(said((await store.apply(keyed(store, {}, 'k', hashes[1])))[0], first), second.id);
    assert.equal(await store.value('select count(*) from idempotency_key'), 1);
  });

  it('is swept in batches, the oldest first, and never too early', async () => {
    await using store = await TestStore.open();
    for (const key of ['a', 'b', 'c', 'd']) {
      await store.apply(keyed(store, {}, key));
      store.now += 1_000;
    }
    const sweep = { kind: 'sweep', at: store.now, before: store.now - 1_000, max: 2 } as const;
    const left = async () =>
      (await store.rows('select key from idempotency_key order by key')).map(({ key }) => key).join('');
    assert.deepEqual(await store.one(sweep), { ok: true, value: { isMore: true } });
    assert.equal(await left(), 'cd');
    assert.deepEqual(await store.one(sweep), { ok: true, value: { isMore: false } });
    assert.equal(await left(), 'd');
    assert.deepEqual(await store.value('select count(*) from message'), 4);
  });
});
