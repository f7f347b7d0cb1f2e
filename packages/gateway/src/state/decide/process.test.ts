import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { write } from '../../../test/support/clients/inbound-messages.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { TestStore } from '../../../test/support/store/store.ts';
import { firstIdAt, nextMessageId, nodeCount } from '../../core/base/message-id.ts';

const other = 5;
const claim = { carrier: 1, link: 1, isWhole: false };

/** A store with two nodes: message 1001 is in flight on a link of this node, 1002 on a link of the other. */
async function ofTwoNodes(): Promise<TestStore> {
  const store = await TestStore.open();
  await store.run(
    `insert into node (id, last_message_id, lease, inbound_answered, seen_at, last_cdr, groups)
      values (${other}, 0, ${other}, 1, 0, 0, 0)`,
  );
  await store.restart();
  await store.apply(
    store.accept({ claim: { ...claim, lease: store.lease } }),
    store.accept({ claim: { ...claim, lease: other } }),
  );
  return store;
}

const states = async (store: TestStore) => [await store.part(1001), await store.part(1002)];
const begin = async (store: TestStore) => store.one<'begin'>({ kind: 'begin', at: store.now });

describe('a lease belongs to one node', () => {
  it('and a start of its node leaves the claims of other nodes alone (P1)', async () => {
    await using store = await ofTwoNodes();
    const { lease } = store;
    const begun = await begin(store);
    assert.equal(begun.ok && begun.value.inDoubt, 1);
    assert.deepEqual(await states(store), ['in_doubt', 'claimed']);
    assert.equal(store.lease, lease + nodeCount);
  });

  it('and when another node ends it, parts in flight are in doubt, once', async () => {
    await using store = await ofTwoNodes();
    const takeOver = { kind: 'take-over', at: store.now, node: other, lease: other } as const;
    assert.deepEqual(await store.one<'take-over'>(takeOver), { ok: true, value: { inDoubt: 1 } });
    assert.deepEqual(await states(store), ['claimed', 'in_doubt']);
    assert.equal(await store.value('select lease from node where id = ?', other), other + nodeCount);
    const detail = `lease ${other} of node ${other} has ended already`;
    assert.deepEqual(await store.one<'take-over'>(takeOver), { ok: false, error: { code: 'conflict', detail } });
    const missing = await store.one<'take-over'>({ ...takeOver, node: 6 });
    assert.equal(missing.ok ? '' : missing.error.code, 'does_not_exist');
    await begin(store);
    assert.deepEqual(await states(store), ['in_doubt', 'in_doubt']);
  });
});

it('when the node that got unanswered messages ends, their repeats are expected', async () => {
  await using store = await ofTwoNodes();
  const send = async (id = store.ownId()) => {
    const result = await store.one<'inbound'>(write(store, '41791112233', 'hello', { id }));
    return result.ok && result.value.became;
  };
  const id = nextMessageId(0, store.now, other);
  assert.equal(await send(id), 'message');
  await store.run(`update node set last_message_id = ${id} where id = ${other}`);
  await begin(store);
  assert.equal(await send(), 'message');
  await store.one({ kind: 'inbound-answered', at: store.now, before: store.ownId() });
  await store.one({ kind: 'take-over', at: store.now, node: other, lease: other });
  assert.deepEqual([await send(), await send()], ['duplicate', 'message']);
});

const priced = (at: number) =>
  `insert into price_list_version (price_list, version, effective_at, created_at, changes, place, is_whole)
      values (1, ${at}, ${at}, ${at}, 1, ${at}, 1)`;

describe('a start with a clock that is days ahead continues from the newest of', () => {
  const soon = 50_000;
  const rows: readonly (readonly [what: string, make: (store: TestStore) => unknown, later: number])[] = [
    ['the record of the time', () => undefined, 0],
    ['the prices', (store) => store.run(priced(store.now + soon)), soon],
    [
      'the bases of price lists',
      (store) =>
        store.run(`insert into price_list_base (price_list, since, base) values (1, ${store.now + soon}, null)`),
      soon,
    ],
    ['the messages', (store) => store.one(store.accept({ id: firstIdAt(store.now + soon) })), soon],
    [
      'the records of other nodes',
      (store) =>
        store.run(
          `insert into node (id, last_message_id, lease, inbound_answered, seen_at, last_cdr, groups)
            values (${other}, 0, ${other}, 1, ${store.now + hourMs}, 0, 0)`,
        ),
      hourMs,
    ],
    [
      'the dates of a trusted clock alone',
      async (store) => {
        await store.run(priced(store.now + soon));
        await store.run(priced(store.now + 25 * hourMs));
        await store.one(store.accept({ id: firstIdAt(store.now + 25 * hourMs) }));
      },
      soon,
    ],
  ];
  for (const [what, make, later] of rows) {
    it(what, async () => {
      await using store = await TestStore.open();
      await make(store);
      await store.restart();
      const begun = await store.one<'begin'>({ kind: 'begin', at: store.now + 48 * hourMs, aheadMaxMs: 24 * hourMs });
      assert.equal(begun.ok && begun.value.seenAt - store.now, later);
      assert.equal(begun.ok && begun.value.untrustedFrom, store.now + 48 * hourMs);
    });
  }
});

it('a start with a right clock looks for messages of a clock that ran ahead before', async () => {
  await using store = await TestStore.open();
  const untrustedFrom = async () => {
    await store.restart();
    const begun = await store.one<'begin'>({ kind: 'begin', at: store.now, aheadMaxMs: 24 * hourMs });
    return begun.ok && begun.value.untrustedFrom;
  };
  assert.equal(await untrustedFrom(), null);
  await store.one(store.accept({ id: firstIdAt(store.now + 25 * hourMs) }));
  assert.equal(await untrustedFrom(), store.now);
});
