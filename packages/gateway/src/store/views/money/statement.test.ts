import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { toMicros } from '@morsel/api/values/money.ts';
import { TestStore, propertyRuns } from '../../../../test/support/store/store.ts';
import type { Queries } from '../queries.ts';
import { balanceBefore, readStatement } from './statement.ts';
import { operate } from '../../../../test/support/store/operate.ts';

/** The ids of two accounts. */
const [acme, other] = [1, 2];

/** Reads all pages, one after the other. `between` is called after each page. */
async function pagesOf(
  queries: Queries,
  account: number,
  wanted: Parameters<typeof readStatement>[2],
  between: () => Promise<unknown> = async () => {},
) {
  const first = await readStatement(queries, account, wanted);
  const entries = [...first.entries];
  for (let page = first; page.next !== null;) {
    await between();
    page = await readStatement(queries, account, { ...wanted, after: page.next });
    entries.push(...page.entries);
  }
  return { ...first, entries };
}

it('has the closing balance as opening plus all amounts, for every interval and page, with and without messages', async () => {
  await using store = await TestStore.open();
  await store.addAccount('other', 1_000);
  const start = store.now;
  for (let round = 0; round < 60; round++) {
    store.now += 10;
    const of = (account: number) =>
      store.accept({
        account,
        numParts: 1 + (round % 3),
        unitPrice: toMicros(1n),
        totalCost: toMicros(1n + BigInt(round % 3)),
      });
    const sends = [of(1), of(2), of(1)];
    const [first] = sends;
    await store.apply(...sends);
    if (round % 4 === 0 && first)
      await store.apply({ kind: 'cancel', at: store.now, message: first.id, account: null });
    if (round % 7 === 0)
      await store.one(operate('posting.topUp', { account: 'acme', amount: toMicros(5n) }, { at: store.now }));
  }
  assert.deepEqual(await store.moneyFaults(), []);
  const queries = store.queries;
  const time = fc.integer({ min: start - 5, max: store.now + 15 });
  const half = fc.tuple(time, time).filter(([from, to]) => from < to);
  const page = fc.record({
    entriesMax: fc.integer({ min: 1, max: 12 }),
    messagesMax: fc.constantFrom(null, 1, 3, 100),
  });
  await fc.assert(
    fc.asyncProperty(half, page, fc.constantFrom(acme, other), async ([from, to], size, account) => {
      const found = await pagesOf(queries, account, { from, to, ...size });
      const moved = found.entries.reduce((sum, entry) => sum + entry.amount, 0n);
      assert.equal(found.opening + moved, found.closing);
      assert.equal(found.entries.length, new Set(found.entries.map(({ entry }) => entry)).size);
      assert.ok(found.entries.every(({ at }) => at >= from && at < to));
      const counted = await store.value(
        'select count(*) from entry where account = ? and created_at >= ? and created_at < ?',
        account,
        from,
        to,
      );
      assert.equal(found.entries.length, counted);
      assert.equal(await balanceBefore(queries, account, from), found.opening);
      assert.equal(await balanceBefore(queries, account, to), found.closing);
      for (const entry of found.entries) {
        if (entry.kind !== 'charge' || size.messagesMax === null) continue;
        assert.equal(entry.charged?.length, entry.messages);
        assert.equal(
          entry.charged?.reduce((sum, { cost }) => sum - cost, 0n),
          entry.amount,
        );
        assert.equal(
          entry.charged?.reduce((sum, { parts }) => sum + parts, 0),
          entry.parts,
        );
        assert.equal(entry.charged?.at(-1)?.balance, entry.balance);
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

it('is consistent although charges go on between its pages, and has none of them', async () => {
  await using store = await TestStore.open();
  await store.one(operate('posting.topUp', { account: 'acme', amount: toMicros(1_000_000n) }, { at: store.now }));
  for (let round = 0; round < 20; round++) await store.apply(store.accept());
  const found = await pagesOf(store.queries, acme, { from: null, to: null, entriesMax: 3, messagesMax: null }, () =>
    store.apply(store.accept()),
  );
  assert.equal(found.entries.length, 22);
  assert.equal(found.opening + found.entries.reduce((sum, entry) => sum + entry.amount, 0n), found.closing);
  assert.equal(await store.value("select count(*) from entry where kind = 'charge'"), 20 + 7);
});
