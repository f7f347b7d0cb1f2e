import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idempotencyLifeMs } from '../../../core/message/idempotency.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { stories } from '../../../../test/support/store/stories/story.ts';

const huge = 9_007_199_254_740_993n;

describe('a key in the store (M7)', () => {
  stories({
    'is decided by the commit: of equal requests one is the first, and the others get its answer': `
      accept key=k & accept key=k & accept key=k -> 90 & 90 & 90; rows message = 1; balance = 90`,
    'is there after a restart with its first answer, whatever the balance is now': `
      accept 3 key=k -> 70; accept & accept; restart; accept 3 key=k -> 70; balance = 50`,
    'keeps amounts that no JavaScript number can hold': `
      account big ${huge}; accept account=2 key=k -> ${huge - 10n}; accept account=2 key=k -> ${huge - 10n}`,
    'refuses another request, and charges nothing': `
      accept key=k; accept key=k hash=2 -> idempotency_conflict; balance = 90`,
    'belongs to its account': 'account other 100; accept key=k & accept account=2 key=k -> 90 & 90; rows message = 2',
    'is not used up by a refusal: the next message of the same group is decided by itself': `
      accept 11 key=k & accept key=k & accept key=k -> insufficient_balance & 90 & 90; rows message = 1`,
    'is valid for seven days, whether swept or not, and can be used for another message then': `
      accept key=k; wait ${idempotencyLifeMs - 1}ms; accept key=k -> 90; wait 1ms; accept key=k hash=2 -> 80
      accept key=k hash=2 -> 80; rows message = 2; rows idempotency_key = 1`,
  });

  it('is not used up by a group that was rolled back', async () => {
    await using store = await TestStore.open();
    const known = store.accept();
    await store.apply(known);
    const idempotency = { key: 'k', hash: new Uint8Array(32) };
    const [broken] = await store.apply(store.accept({ id: known.id, idempotency }), store.accept());
    assert.ok(broken?.ok === false && broken.error.code === 'internal_error');
    const again = await store.one(store.accept({ idempotency }));
    assert.ok(again.ok && again.value !== null && !('first' in again.value && again.value.first));
  });

  it('is swept in batches, the oldest first, and never too early', async () => {
    await using store = await TestStore.open();
    for (const key of ['a', 'b', 'c', 'd']) {
      await store.one(store.accept({ idempotency: { key, hash: new Uint8Array(32) } }));
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
