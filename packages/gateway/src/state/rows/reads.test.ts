import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TestStore } from '../../../test/support/store/store.ts';

/* A round is one flight of questions to a database and their answers. Over a network, each round delays the commit. */

const claim = { carrier: 1, link: 1, lease: 1, isWhole: false };

it('without memory, reads take these rounds: accept 1, claim 3, outcome 2 (message, account), receipt 3 (attempt first)', async () => {
  await using store = await TestStore.open({ isCompared: true });
  const direct = store.accept({ claim });
  const queued = store.accept({ numParts: 2, idempotency: { key: 'k', hash: new Uint8Array(32) } });
  const groups = [
    [direct, queued],
    [{ kind: 'claim', at: store.now, ...claim, up: [1], max: 10 }],
    [direct.id, queued.id].map((id) => store.outcome(id, { carrierId: `${id}`, carrierIdKey: `${id}` })),
    [store.receipt(`${direct.id}`), store.receipt(`${queued.id}`)],
  ] as const;
  await store.restart();
  const rounds: number[] = [];
  for (const group of groups) {
    await store.apply(...group);
    rounds.push(store.rounds);
    await store.restart();
  }
  assert.deepEqual(rounds, [1, 3, 2, 3]);
  assert.deepEqual([await store.part(direct.id), await store.part(queued.id)], ['delivered', 'delivered']);
});
