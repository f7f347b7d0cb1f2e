import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { unmatchedMax } from './unmatched.ts';
import { carrierCommand } from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { readLearned } from '../../../store/views/routing/learned.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';

/** Unmatched receipts one second apart, every third of them unreadable. */
async function storeWith(count: number): Promise<TestStore> {
  const store = await TestStore.open();
  for (let at = 0; at < count; at++) {
    store.now += 1_000;
    await store.one(store.receipt(`x${at}`, { state: at % 3 === 0 ? null : 'DELIVERED' }));
  }
  return store;
}

it('unmatched receipts are listed page by page, the newest first, each once (P6)', async () => {
  await using store = await storeWith(25);
  const queries = store.queries;
  for (const filter of [{}, { carrier: 'alpha' }, { why: 'unreadable' as const }]) {
    const ids: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await viewOf(queries, 'receipt.unmatched', { ...filter, after, limit: 4 });
      ids.push(...page.items.map((receipt) => receipt.carrierId));
      if (page.next === null) break;
      after = page.next;
    }
    const all = Array.from({ length: 25 }, (_, at) => `x${24 - at}`);
    assert.deepEqual(
      ids,
      all.filter((id) => !('why' in filter) || Number(id.slice(1)) % 3 === 0),
    );
  }
});

it('unmatched receipts are listed up to a time', async () => {
  await using store = await storeWith(10);
  const queries = store.queries;
  for (const [ago, count] of [
    [-1, 10],
    [0, 9],
    [3_000, 6],
    [100_000, 0],
  ] as const) {
    const { items } = await viewOf(queries, 'receipt.unmatched', { until: store.now - ago, limit: 50 });
    assert.equal(items.length, count, `${ago} ms ago`);
  }
});

it('beyond their limit the oldest unknown receipts are dropped for the newest, and counted (P6)', async () => {
  await using store = await storeWith(3);
  await store.run(
    `insert into unmatched_receipt (id, carrier, carrier_id_key, carrier_id, carrier_state, sender, receiver, received_at, why)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        select i + (select max(id) from unmatched_receipt), 1, 'f' || i, 'f' || i, 'DELIVERED', '', '', 0, 'unknown' from n`,
    unmatchedMax - 3,
  );
  store.now += 1_000;
  await store.restart();
  await store.apply(...Array.from({ length: 30 }, (_, at) => store.receipt(`new${at}`)));
  await store.restart();
  await store.one(store.receipt('last'));
  assert.equal(await store.value('select count(*) from unmatched_receipt'), unmatchedMax);
  assert.deepEqual(
    [
      await store.value("select count(*) from unmatched_receipt where why = 'unreadable'"),
      await store.value("select count(*) from unmatched_receipt where carrier_id like 'new%'"),
      await store.value("select count(*) from unmatched_receipt where carrier_id in ('x1', 'x2', 'f29')"),
      await store.value("select count(*) from unmatched_receipt where carrier_id = 'f30'"),
    ],
    [1, 30, 0, 1],
  );
  const learned = await readLearned(store.queries, 'alpha');
  assert.deepEqual(learned?.unmatched, {
    unknown: unmatchedMax - 1,
    undecided: 0,
    unreadable: 1,
    dropped: 31,
    droppedAt: store.now,
  });
});

it('a drop in a group that failed is undone', async () => {
  await using store = await storeWith(2);
  const [, failed] = await store.apply(store.receipt('fine'), store.accept({ account: 99 }));
  assert.equal(failed?.ok, false);
  await store.one(store.receipt('more'));
  assert.equal((await readLearned(store.queries, 'alpha'))?.unmatched.unknown, 3);
  assert.equal(await store.value('select count(*) from unmatched_receipt'), 4);
});

/**
 * The order in which the outcome of an attempt and its receipt may come: the receipt names the attempt by its numbers
 * alone.
 */
const meetings = ['the receipt before it', 'the receipt in the commit of it', 'the receipt behind it'] as const;
const namelessOutcomes = [
  ['in doubt', { outcome: 'in_doubt', commandStatus: null }],
  ['accepted with an empty id', {}],
] as const;

for (const [what, outcome] of namelessOutcomes) {
  for (const meeting of meetings) {
    it(`a part that is ${what}, ${meeting}, is delivered (D1)`, async () => {
      await using store = await TestStore.open();
      const claim = { carrier: 1, link: 1, lease: 1, isWhole: false };
      const { id } = store.accept({ claim });
      await store.one(store.accept({ id, claim }));
      const recorded = store.outcome(id, outcome);
      const receipt = store.receipt('77');
      if (meeting === 'the receipt before it') await store.one(receipt);
      if (meeting === 'the receipt in the commit of it') await store.apply(recorded, receipt);
      else await store.one(recorded);
      if (meeting === 'the receipt behind it') await store.one(receipt);
      await store.one({ kind: 'rematch', at: store.now, max: 10 });
      assert.equal(await store.event(id), 'delivered');
      assert.deepEqual(store.faults, []);
    });
  }
}

for (const [agoMs, expected] of [
  [0, 'delivered'],
  [59_000, 'delivered'],
  [61_000, 'sent'],
] as const) {
  it(`a receipt that another node stored ${agoMs} ms ago, while its answer was stored, leaves it ${expected} (D1)`, async () => {
    await using store = await TestStore.open();
    const sent = store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
    await store.one(sent);
    await store.one(store.outcome(sent.id, { carrierId: '77', carrierIdKey: '77' }));
    await store.run(
      `insert into unmatched_receipt (id, carrier, carrier_id_key, carrier_id, carrier_state, sender, receiver, received_at, why)
        values (?, 1, '77', '77', 'DELIVERED', '+41790000001', '+41790000002', ?, 'unknown')`,
      firstIdAt(store.now) + 1,
      store.now,
    );
    await store.restart();
    store.now += agoMs;
    await store.one({ kind: 'rematch', at: store.now, max: 10 });
    assert.equal(await store.event(sent.id), expected);
    assert.deepEqual(store.faults, []);
  });
}

const yearMs = 365 * 86_400_000;

for (const [what, answer] of [
  ['accepted', { carrierId: '1795370873904000', carrierIdKey: '1795370873904000' }],
  ['in doubt', { outcome: 'in_doubt', commandStatus: null }],
] as const) {
  for (const order of ['the receipt before it', 'the receipt behind it'] as const) {
    it(`a part that is ${what}, ${order}, is delivered though the clock was set back after it was sent (P5)`, async () => {
      await using store = await TestStore.open();
      const sent = store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
      await store.one(sent);
      await store.restart();
      store.now -= yearMs;
      const outcome = store.outcome(sent.id, answer);
      const receipt = store.receipt('1795370873904000');
      for (const command of order === 'the receipt before it' ? [receipt, outcome] : [outcome, receipt])
        await store.one(command);
      await store.one({ kind: 'rematch', at: store.now, max: 10 });
      assert.deepEqual(
        [await store.event(sent.id), await store.value('select count(*) from unmatched_receipt')],
        ['delivered', 0],
      );
    });
  }
}

it('a receipt finds the attempt of its id, though a void answer of its commit has the same id', async () => {
  await using store = await TestStore.open();
  const sent = store.accept({ claim: { carrier: 1, link: 1, lease: 1, isWhole: false } });
  await store.one(sent);
  const answer = store.outcome(sent.id, { carrierId: '77', carrierIdKey: '77' });
  await store.one(answer);
  await store.restart();
  await store.apply({ ...answer, attempt: 9 }, store.receipt('77'));
  assert.deepEqual(
    [await store.event(sent.id), await store.value('select count(*) from unmatched_receipt')],
    ['delivered', 0],
  );
});

it('a receipt finds the attempt of its carrier only, also in the commit of attempts with the same id', async () => {
  await using store = await TestStore.open();
  await store.one(carrierCommand({ at: store.now, name: 'beta' }));
  const messages = [1, 2].map((carrier) => {
    const claim = { carrier, link: 1, lease: 1, isWhole: false };
    return { carrier, accept: store.accept({ claim }) };
  });
  const same = { carrierId: '77', carrierIdKey: '77' };
  await store.apply(
    ...messages.map(({ accept }) => accept),
    ...messages.map(({ accept: { id }, carrier }) => store.outcome(id, { ...same, carrier })),
    store.receipt('77', { carrier: 2 }),
  );
  const events = await Promise.all(messages.map(({ accept }) => store.event(accept.id)));
  assert.deepEqual([events, store.faults], [['sent', 'delivered'], []]);
});
