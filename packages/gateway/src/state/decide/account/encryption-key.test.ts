import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { newMasterKeyLine } from '../../sealing/master-key.ts';
import { Vault } from '../../sealing/vault.ts';
import { encryptionKeyTable } from '../../tables/account.ts';
import { readMessage } from '../../../store/views/message/messages.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { testMasterKey } from '../../../../test/support/store/vault.ts';

const textOf = async (store: TestStore, id: Parameters<typeof readMessage>[1]) =>
  (await readMessage(store.queries, id))?.text;

it('a new key seals new texts, and old texts still open; an account whose texts were erased has none of them', async () => {
  await using store = await TestStore.open();
  const [first, second] = [store.accept(), store.accept()];
  await store.apply(first);
  assert.deepEqual(await store.one(operate('encryptionKey.rotate', { account: 'acme' }, { at: store.now })), {
    ok: true,
    value: { keys: 1 },
  });
  await store.apply(second);
  const versions = await store.rows('select content from message order by id');
  assert.deepEqual(
    versions.map(({ content }) => content instanceof Uint8Array && content[2]),
    [1, 2],
  );
  for (const { id } of [first, second]) assert.equal(await textOf(store, id), 'hello');
  const erase = operate('account.erase', { account: 'acme' }, { at: store.now });
  assert.match(JSON.stringify(await store.one(erase)), /is active/);
  await store.one(operate('account.suspend', { account: 'acme' }, { at: store.now }));
  assert.ok((await store.one(erase)).ok);
  const erased = await readMessage(store.queries, first.id);
  assert.deepEqual([erased?.text, erased?.erased, await textOf(store, second.id)], [null, true, null]);
  // Messages that still wait end, and are refunded.
  assert.deepEqual(await store.claim(10), []);
  assert.equal((await readMessage(store.queries, first.id))?.event, 'expired');
  assert.ok((await store.one(operate('account.resume', { account: 'acme' }, { at: store.now }))).ok);
  const third = store.accept();
  await store.apply(third);
  assert.equal(await textOf(store, third.id), 'hello');
});

it('all keys are wrapped by another master key, and the former master key is not needed any more', async () => {
  await using store = await TestStore.open();
  const message = store.accept();
  await store.apply(message);
  const former = readFileSync(testMasterKey, 'utf8');
  const next = newMasterKeyLine();
  try {
    writeFileSync(testMasterKey, next + former);
    const keys = Number(await store.value('select count(*) from encryption_key'));
    const rewrap = operate('encryptionKey.rewrap', {}, { at: store.now });
    assert.deepEqual(await store.one(rewrap), { ok: true, value: { keys } });
    assert.deepEqual(await store.one(rewrap), { ok: true, value: { keys: 0 } });
    writeFileSync(testMasterKey, next);
    const stored = await store.queries.find(encryptionKeyTable, 'order by account, version');
    new Vault(testMasterKey).check(stored);
    writeFileSync(testMasterKey, former);
    assert.throws(() => new Vault(testMasterKey).check(stored), /is not the one of this database/);
  } finally {
    writeFileSync(testMasterKey, next + former);
  }
  assert.equal(await textOf(store, message.id), 'hello');
});
