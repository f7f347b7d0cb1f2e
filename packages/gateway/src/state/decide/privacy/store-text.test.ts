import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

/* A text that must not be stored is kept only until no carrier can need it any more. */

const textOf = (store: TestStore) => store.value('select content from message');

async function claimed(numParts = 1, settings = {}) {
  const store = await TestStore.open({ isCompared: true });
  const message = store.accept({ numParts, storeText: false, ...settings });
  await store.one(message);
  await store.claim(numParts);
  return { store, id: message.id };
}

test('the text and the TLVs are removed with the answer of the last part', async () => {
  const { store, id } = await claimed(2, { extras: [{ tag: 0x1400, octets: '0a' }] });
  await using _ = store;
  await store.one(store.outcome(id, { carrierId: 'a', carrierIdKey: 'a' }));
  assert.notEqual(await textOf(store), null, 'the second part may be sent again');
  await store.one(store.outcome(id, { part: 2, carrierId: 'b', carrierIdKey: 'b' }));
  assert.deepEqual(await store.rows('select content, extras from message'), [{ content: null, extras: null }]);
  await store.one(store.receipt('a'));
  await store.one(store.receipt('b'));
  assert.equal(await store.event(id), 'delivered');
});

test('the text is kept for another try and for a part in doubt', async () => {
  const { store, id } = await claimed();
  await using _ = store;
  await store.one(store.outcome(id, { outcome: 'temporary' }));
  assert.notEqual(await textOf(store), null);
  store.now += 30_000;
  await store.claim(1);
  await store.one(store.outcome(id, { attempt: 2, outcome: 'in_doubt' }));
  assert.notEqual(await textOf(store), null);
  await store.one(operate('message.settle', { id: String(id), as: 'sent' }, { at: store.now }));
  assert.equal(await textOf(store), null);
});

test('the text is removed with a refusal or a cancel, and kept in a message that stores it', async () => {
  for (const storeText of [false, true]) {
    const { store, id } = await claimed(1, { storeText });
    await using _ = store;
    const waiting = store.accept({ storeText });
    await store.one(waiting);
    await store.one(store.outcome(id, { outcome: 'refused' }));
    await store.one({ kind: 'cancel', at: store.now, message: waiting.id, account: null });
    const kept = storeText ? 2 : 0;
    assert.equal(Number(await store.value('select count(*) from message where content is not null')), kept);
  }
});
