import type { DoubtSettlement } from '@morsel/api/values/message.ts';
import type { ResultOf } from '../../commands.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InDoubtPolicy } from '../../../core/routing/carrier.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

describe('a part in doubt that the operator settles', () => {
  it('as resend: waits again, at once, and is sent once more', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store);
    assert.ok((await settle(store, { message, as: 'resend' })).ok);
    const [claimed] = await store.claim(1);
    assert.deepEqual([claimed?.message, claimed?.attempt], [message, 2]);
  });

  it('as sent: waits for its receipt, which its numbers find', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store);
    await settle(store, { message, as: 'sent' });
    assert.equal(await store.event(message), 'sent');
    await store.one(store.receipt('77'));
    assert.equal(await store.event(message), 'delivered');
  });

  it('as unknown: ends without a refund, and a later receipt corrects it', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store);
    const balance = await store.balance();
    await settle(store, { message, as: 'unknown' });
    assert.deepEqual([await store.event(message), await store.balance()], ['unknown', balance]);
    const late = store.outcome(message, { carrierId: '77', carrierIdKey: '77' });
    await store.one(late);
    await store.one(store.receipt('77'));
    assert.equal(await store.event(message), 'delivered');
  });

  it('is one part of several, if a part is named', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store, 2);
    assert.ok((await settle(store, { message, part: 2, as: 'unknown' })).ok);
    const states = await store.rows('select state from part order by number');
    assert.deepEqual(states.map(Object.values), [['in_doubt'], ['unknown']]);
  });

  it('is refused where nothing is in doubt, and a resend after the end of the validity', async () => {
    await using store = await TestStore.open();
    const sent = store.accept();
    await store.one(sent);
    const nothing = await settle(store, { message: sent.id, as: 'resend' });
    assert.ok(!nothing.ok && nothing.error.code === 'does_not_exist');
    const message = await doubtful(store);
    store.now += 60_000;
    const late = await settle(store, { message, as: 'resend' });
    assert.ok(!late.ok && late.error.code === 'invalid_parameter');
    assert.equal(await store.value("select count(*) from part where state = 'in_doubt'"), 1);
  });
});

describe('receipts with unknown ids for a long message in doubt', () => {
  const count = 5;

  for (const together of [true, false]) {
    it(`settle as many parts as they are, ${together ? 'in one group' : 'one by one'}, and nothing is sent again`, async () => {
      await using store = await TestStore.open();
      const message = await doubtful(store, count, 'resend');
      await store.restart();
      const receipts = Array.from({ length: count }, (_, place) => store.receipt(`r${count - place}`));
      if (together) await store.apply(...receipts);
      else for (const receipt of receipts) await store.one(receipt);
      assert.equal(await store.event(message), 'delivered');
      assert.deepEqual(await goAgain(store), []);
      assert.deepEqual(await store.one(store.receipt('r1')), { ok: true, value: { became: 'duplicate' } });
      assert.equal(await store.value('select count(*) from doubt'), 0);
    });
  }

  it('settle the parts in their order, whatever their states', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store, 3);
    for (const [place, state] of (['UNDELIVERABLE', 'ENROUTE', 'DELIVERED', 'DELIVERED'] as const).entries()) {
      await store.one(store.receipt(place === 3 ? 'r1' : `r${place}`, { state }));
    }
    assert.deepEqual(
      await store.rows('select state from part where message = ? order by number', message),
      ['undelivered', 'delivered', 'delivered'].map((state) => ({ state })),
    );
    assert.deepEqual([await store.event(message), await store.balance()], ['undelivered', 70]);
  });

  it('wait while one of its parts is in flight, and are looked at again after its answer', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store, 2, 'resend', 3);
    for (const id of ['r1', 'r2']) await store.one(store.receipt(id));
    assert.equal(await store.value('select count(*) from unmatched_receipt'), 2);
    await store.one(store.outcome(message, { part: 3, carrierId: 'r3', carrierIdKey: 'r3' }));
    await store.one({ kind: 'rematch', at: store.now, max: 10 });
    await store.one(store.receipt('r3'));
    assert.equal(await store.event(message), 'delivered');
    assert.deepEqual(await goAgain(store), []);
  });

  for (const then of ['the next receipt comes', 'a part would be sent again'] as const) {
    it(`wait while two messages could be meant, and are looked at again when ${then}`, async () => {
      await using store = await TestStore.open();
      const message = await doubtful(store, 2, 'resend');
      const other = await doubtful(store, 1, 'resend');
      for (const id of ['r1', 'r2']) await store.one(store.receipt(id));
      // A late answer: this one is in doubt no more.
      await store.one(store.outcome(other, { carrierId: 'r3', carrierIdKey: 'r3' }));
      await store.restart();
      if (then === 'the next receipt comes') {
        await store.one(store.receipt('r4'));
        assert.equal(await store.event(message), 'delivered', 'the earlier ones count first');
      }
      assert.deepEqual(await goAgain(store), []);
      assert.deepEqual([await store.event(message), await store.event(other)], ['delivered', 'sent']);
    });
  }

  it('settle first the parts without a later accepted attempt', async () => {
    await using store = await TestStore.open();
    const message = await doubtful(store, 2, 'resend');
    assert.equal((await goAgain(store, 1)).length, 1);
    await store.one(store.outcome(message, { attempt: 2, carrierId: 'r3', carrierIdKey: 'r3' }));
    await store.one(store.receipt('r2'));
    assert.deepEqual([await store.part(message, 1), await store.part(message, 2)], ['sent', 'delivered']);
    await store.one(store.receipt('r3'));
    assert.equal(await store.event(message), 'delivered');
  });
});

/** Sends parts again whose time has come. */
async function goAgain(store: TestStore, max = 10): Promise<readonly unknown[]> {
  store.now += 31_000;
  await store.one({ kind: 'expire', at: store.now, max: 10 });
  return store.claim(max);
}

/**
 * A message of which the carrier may have the first parts, with others in flight. Parts in doubt are held or sent
 * again.
 */
async function doubtful(
  store: TestStore,
  doubts = 1,
  policy: InDoubtPolicy = 'hold',
  numParts = doubts,
): Promise<MessageId> {
  await store.run(`update carrier set in_doubt = '${policy}'`);
  const sent = store.accept({ numParts, claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
  await store.one(sent);
  for (let part = 1; part <= doubts; part++) {
    await store.one(store.outcome(sent.id, { part, outcome: 'in_doubt', carrierId: null, carrierIdKey: null }));
  }
  return sent.id;
}

function settle(
  store: TestStore,
  { message, ...given }: { readonly message: MessageId; readonly as: DoubtSettlement; readonly part?: number },
): Promise<ResultOf<'operate'>> {
  return store.one<'operate'>(operate('message.settle', { id: String(message), ...given }, { at: store.now }));
}
