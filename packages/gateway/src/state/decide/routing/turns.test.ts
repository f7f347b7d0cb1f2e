import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { priorityNumbers } from '../../../core/message/priority.ts';
import { routeCommand } from '../../../../test/support/store/routing-commands.ts';
import { manyRows, TestStore } from '../../../../test/support/store/store.ts';

/*
 * Which account is claimed next when several accounts and priorities wait for one carrier: the real engine on a real
 * file.
 */

const { high, normal } = priorityNumbers;
const bulkAccount = 2;

async function withBulk(messages: number, account = bulkAccount): Promise<TestStore> {
  const store = await TestStore.open();
  for (const name of ['bulk', 'other']) await store.addAccount(name, 100_000_000);
  await store.apply(...Array.from({ length: messages }, () => store.accept({ account, priority: normal })));
  return store;
}

/** The accounts of the parts of this many claims of one size. */
async function accountsOf(store: TestStore, claims: number, max: number): Promise<number[]> {
  const claimed = await messagesOf(store, claims, max);
  const accounts = await accountOf(store);
  return claimed.map((message) => accounts.get(message) ?? 0);
}

async function accountOf(store: TestStore): Promise<ReadonlyMap<number, number>> {
  const rows = await store.rows('select id, account from message');
  return new Map(rows.map((row) => [Number(row['id']), Number(row['account'])]));
}

/** The messages of the same. */
async function messagesOf(store: TestStore, claims: number, max: number): Promise<number[]> {
  const messages: number[] = [];
  for (let each = 0; each < claims; each++) {
    for (const { message } of await store.claim(max)) messages.push(message);
  }
  return messages;
}

describe('priorities', () => {
  for (const max of [1, 3, 10, 25]) {
    it(`high passes what waits, and one in ten is left to the others, with ${max} in a claim`, async () => {
      await using store = await withBulk(60);
      await store.apply(...Array.from({ length: 60 }, () => store.accept({ account: 3, priority: high })));
      const claimed = (await accountsOf(store, Math.ceil(50 / max), max)).slice(0, 50);
      assert.equal(claimed.filter((account) => account === bulkAccount).length, 5);
      assert.equal(claimed[0], 3);
      for (let at = 0; at + 10 <= 50; at += 10) {
        assert.ok(claimed.slice(at, at + 10).includes(bulkAccount), 'bulk moves on in each ten');
      }
    });
  }

  it('high alone, and normal alone, get everything', async () => {
    await using store = await withBulk(20);
    assert.equal((await store.claim(20)).length, 20);
    await store.apply(...Array.from({ length: 20 }, () => store.accept({ account: 3, priority: high })));
    assert.equal((await store.claim(20)).length, 20);
  });

  it('fill a claim with bulk when little is urgent', async () => {
    await using store = await withBulk(40);
    await store.apply(store.accept({ priority: high }), store.accept({ account: 3, priority: high }));
    const claimed = await accountsOf(store, 1, 30);
    assert.deepEqual(claimed.slice(0, 2), [1, 3]);
    assert.equal(claimed.length, 30);
  });

  it('report after a claim the most urgent one that is left', async () => {
    await using store = await withBulk(5);
    await store.apply(store.accept({ priority: high }), store.accept({ account: 3, priority: high }));
    const left = async (max: number) => {
      const claimed = await store.one<'claim'>({
        kind: 'claim',
        at: store.now,
        carrier: 1,
        link: 1,
        lease: 1,
        isWhole: false,
        up: [],
        max,
      });
      return claimed.ok ? claimed.value.left : undefined;
    };
    assert.deepEqual([await left(1), await left(1), await left(1), await left(10)], [high, normal, normal, null]);
  });
});

describe('accounts', () => {
  it('wait a few claims at most behind one that has thousands waiting', async () => {
    await using store = await withBulk(0);
    for (let each = 0; each < manyRows(10, 1); each++)
      await store.apply(...Array.from({ length: 1_000 }, () => store.accept({ account: bulkAccount })));
    for (const max of [1, 1, 1, 5]) {
      const mine = store.accept();
      await store.apply(mine);
      const claims = [await store.claim(max), await store.claim(max)].flat().map(({ message }) => message);
      assert.ok(claims.includes(mine.id), `not within two claims of ${max}`);
    }
    // The cost of a claim does not grow with the number of waiting parts.
    const began = performance.now();
    for (let each = 0; each < 50; each++) assert.equal((await store.claim(10)).length, 10);
    assert.ok(performance.now() - began < 5_000);
  });

  it('have one turn each, however many routes their parts wait on, and keep their order over them', async () => {
    await using store = await withBulk(0);
    await store.one(routeCommand({ at: store.now, prefix: '42', carrier: 'alpha' }));
    const mine = [2, 1, 2, 1].map((route) => store.accept({ account: bulkAccount, route }));
    const theirs = [1, 2].map(() => store.accept());
    await store.apply(...mine, ...theirs);
    const claimed = (await store.claim(6, { up: [] })).map(({ message }) => message);
    assert.deepEqual(
      claimed.filter((id) => mine.some((each) => each.id === id)),
      mine.map(({ id }) => id),
    );
    assert.deepEqual(claimed.slice(0, 4).filter((id) => theirs.some((each) => each.id === id)).length, 2);
  });

  it('take turns from one claim to the next, and a new account is not behind one that was served', async () => {
    await using store = await withBulk(10);
    await store.apply(...Array.from({ length: 10 }, () => store.accept({ account: 3 })));
    assert.deepEqual(await accountsOf(store, 4, 1), [2, 3, 2, 3]);
    await store.apply(store.accept());
    assert.deepEqual(await accountsOf(store, 3, 1), [1, 2, 3]);
  });

  it('keep the order in which they were accepted, through priorities and turns', async () => {
    await using store = await withBulk(30);
    await store.apply(...Array.from({ length: 30 }, () => store.accept({ account: 3 })));
    const claimed = await messagesOf(store, 20, 3);
    const accounts = await accountOf(store);
    for (const account of [2, 3]) {
      const own = claimed.filter((id) => accounts.get(id) === account);
      assert.equal(own.length, 30);
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
      );
    }
  });
});
