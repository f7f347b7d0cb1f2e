import { operate } from '../../../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Reader } from '../../reader.ts';
import { checkStart, toMicros } from '@morsel/api/values/money.ts';
import { manyRows, TestStore } from '../../../../test/support/store/store.ts';

/** The heap has room for a chunk twice, but not for the rows of all messages at once. */
const heapMaxMib = 24;
/** The rows of twelve thousand messages do not fit into the heap. */
const messages = manyRows(12_000, 3_000);
const ofGroup = 1_000;

it('the memory of a ledger check does not grow with the ledger', async () => {
  await using store = await TestStore.open();
  const prices = [{ prefix: '41', price: toMicros(10n) }];
  await store.one(operate('price.set', { list: 'default', prices }, { at: store.now }));
  await store.addAccount('rich', messages * 100);
  for (let at = 0; at < messages; at += ofGroup) {
    await store.apply(...Array.from({ length: ofGroup }, () => store.accept({ account: 2, numParts: 3 })));
  }
  await using reader = new Reader({
    place: store.place,
    heapMaxMib,
    onFault: (reason) => assert.fail(reason),
    onFatal: (reason) => assert.fail(reason),
  });
  let looked = 0;
  for (let after: string | null = checkStart; after !== null;) {
    const chunk: Awaited<ReturnType<typeof reader.ask<'ledgerCheck'>>> = await reader.ask('ledgerCheck', { after });
    assert.ok(chunk.ok && chunk.value);
    assert.deepEqual(chunk.value.faults, []);
    if (chunk.value.stage === 'messages') looked += chunk.value.looked;
    after = chunk.value.next;
  }
  assert.equal(looked, messages);
});
