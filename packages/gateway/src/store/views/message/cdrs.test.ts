import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';
import type { ViewInput } from '../views.ts';
import type { Chunk } from './cdr-check.ts';
import type { CdrRecord } from './cdrs.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

/** A store with three messages: one part, delivered; two parts, refused; and one that waits. */
async function storeOfThree() {
  const store = await TestStore.open();
  const [delivered, refused, waiting] = [
    store.accept(),
    store.accept({ numParts: 2, totalCost: toMicros(20n) }),
    store.accept(),
  ];
  await store.apply(delivered, refused);
  await store.claim(2);
  await store.one(store.outcome(delivered.id, { carrierId: '7F', carrierIdKey: '7f' }));
  await store.one(store.outcome(refused.id, { outcome: 'refused', code: '11' }));
  await store.one(store.receipt('7f'));
  await store.one(waiting);
  return { store, delivered: delivered.id, refused: refused.id };
}

const price = toMicros(10n);

async function allRecords(store: TestStore, input: Partial<ViewInput<'cdr.list'>> = {}): Promise<CdrRecord[]> {
  const records: CdrRecord[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: { readonly items: readonly CdrRecord[]; readonly next: string | null } = await viewOf(
      store.queries,
      'cdr.list',
      { limit: 2, ...input, after },
    );
    records.push(...page.items);
    after = page.next;
  }
  return records;
}

async function checked(store: TestStore) {
  const sums: Chunk['sums'][number][] = [];
  const faults: string[] = [];
  for (let after: string | undefined; ;) {
    const chunk = await viewOf(store.queries, 'cdr.check', { after });
    sums.push(...chunk.sums);
    faults.push(...chunk.faults.map(({ part, fault }) => `${part}: ${fault.replaceAll(/\d{6,}/g, 'N')}`));
    if (chunk.next === null) return { sums, faults };
    after = chunk.next;
  }
}

describe('the CDRs', () => {
  it('have one record for each ended part, with its money and carrier, and add up to the ledger', async () => {
    const { store, delivered, refused } = await storeOfThree();
    const records = await allRecords(store);
    const shownOf = (id: number) =>
      records
        .filter(({ msgId }) => msgId === id)
        .map(({ part, event, amount, carrier, carrierMessageId }) => [part, event, amount, carrier, carrierMessageId]);
    assert.deepEqual(shownOf(delivered), [[1, 'delivered', price, 'alpha', '7F']]);
    assert.deepEqual(shownOf(refused), [
      [1, 'rejected', 0n, 'alpha', null],
      [2, 'canceled', 0n, null, null],
    ]);
    assert.equal(records.length, 3);
    const { sums, faults } = await checked(store);
    assert.deepEqual(faults, []);
    const [sum] = sums;
    assert.ok(sum && sum.charged - sum.refunded === sum.recorded + sum.open);
    assert.deepEqual([sum.messages, sum.recorded, sum.open], [3, price, price]);
    await store[Symbol.asyncDispose]();
  });

  it('have a record of each correction, which has only the refund of that correction', async () => {
    await using store = await TestStore.open();
    const sent = store.accept();
    await store.one(sent);
    await store.claim(1);
    await store.one(store.outcome(sent.id, { carrierId: '77', carrierIdKey: '77' }));
    store.now += 1_000_000_000;
    await store.one({ kind: 'expire', at: store.now, max: 10 });
    await store.one(store.receipt('77'));
    const records = await allRecords(store);
    assert.deepEqual(
      records.map(({ event, amount, corrects }) => [event, amount, corrects]),
      [
        ['unknown', price, null],
        ['delivered', 0n, records[0]?.id],
      ],
    );
    assert.deepEqual((await checked(store)).faults, []);
  });

  it('are checked: changed, missing and additional records are found', async () => {
    const damages: readonly (readonly [sql: string, fault: RegExp])[] = [
      ["update cdr set event = 'expired' where part = 2", /^2: the newest record is not of the end canceled$/],
      ['delete from cdr where part = 2', /^2: record N of the part does not exist$/],
      ['update part set cdr = null where number = 2', /^2: the part has ended, but it has no record$/],
      ['update cdr set refund_entry = null where part = 2', /^2: the records have another refund than the part$/],
      ["update part set state = 'queued' where number = 2", /^2: the part has a record, but it has not ended$/],
      [
        `insert into cdr (id, account, message, part, ended_at, event)
          select id + 1000, account, message, part, ended_at, event from cdr where part = 2`,
        /^2: record N belongs to no end of the part$/,
      ],
    ];
    for (const [sql, fault] of damages) {
      const { store } = await storeOfThree();
      await store.run(sql);
      assert.match((await checked(store)).faults[0] ?? '', fault);
      await store[Symbol.asyncDispose]();
    }
  });
});
