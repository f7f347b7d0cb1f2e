import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestStore } from '../../../../test/support/store/store.ts';

/* A carrier that takes long messages whole: one request, one answer and one receipt stand for all parts. */

const whole = { carrier: 1, link: 1, lease: 1, isWhole: true };

async function states(store: TestStore): Promise<unknown[]> {
  return (await store.rows('select state from part order by message, number')).map((row) => row['state']);
}

describe('a long message in one request', () => {
  for (const way of ['claimed when accepted', 'claimed later'] as const) {
    it(`${way}: is answered and delivered once for all its parts`, async () => {
      await using store = await TestStore.open();
      await store.one(store.accept({ numParts: 3, claim: way === 'claimed when accepted' ? whole : null }));
      if (way === 'claimed later') {
        const claimed = await store.claim(10, whole);
        assert.deepEqual(
          claimed.map(({ number, attempt }) => [number, attempt]),
          [[1, 1]],
        );
      }
      assert.deepEqual(await states(store), ['claimed', 'claimed', 'claimed']);
      await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
      assert.deepEqual(await states(store), ['sent', 'sent', 'sent']);
      await store.one(store.receipt('a'));
      assert.deepEqual(await states(store), ['delivered', 'delivered', 'delivered']);
      assert.equal(await store.event(1001), 'delivered');
    });
  }

  it('is answered after a restart of the engine, too, when its rows are no longer in memory', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 3, claim: whole }));
    await store.restart();
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.restart();
    await store.one(store.receipt('a', { state: 'UNDELIVERABLE' }));
    assert.deepEqual(await states(store), ['undelivered', 'undelivered', 'undelivered']);
  });

  it('settles with a receipt that came before its answer (D1)', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2, claim: whole }));
    await store.one(store.receipt('a'));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    assert.deepEqual(await states(store), ['delivered', 'delivered']);
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 0);
  });

  it('is refused, comes back or is in doubt as a whole', async () => {
    for (const [outcome, expected] of [
      ['refused', 'rejected'],
      ['busy', 'queued'],
      ['temporary', 'queued'],
      ['in_doubt', 'in_doubt'],
    ] as const) {
      await using store = await TestStore.open();
      await store.one(store.accept({ numParts: 2, claim: whole }));
      await store.one(store.outcome(1001, { outcome, commandStatus: outcome === 'in_doubt' ? null : 8 }));
      assert.deepEqual(await states(store), [expected, expected]);
    }
  });

  it('in doubt is settled by the receipt between its numbers', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2, claim: whole }));
    await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
    await store.one(store.receipt('never heard of'));
    assert.deepEqual(await states(store), ['delivered', 'delivered']);
    assert.equal(await store.value('select count(*) from doubt'), 0);
  });

  it('goes in parts if one of them was sent before', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ numParts: 2 }));
    await store.claim(1);
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    const claimed = await store.claim(10, whole);
    assert.deepEqual(
      claimed.map(({ number }) => number),
      [2],
    );
    await store.one(store.outcome(1001, { part: 2, carrierId: 'b', carrierIdKey: 'b' }));
    await store.one(store.receipt('b'));
    assert.deepEqual(await states(store), ['sent', 'delivered']);
  });

  it('a message of one part is like any other', async () => {
    await using store = await TestStore.open();
    await store.one(store.accept({ claim: whole }));
    assert.equal(await store.value('select sum(claim_is_whole) from part'), 0);
  });
});
