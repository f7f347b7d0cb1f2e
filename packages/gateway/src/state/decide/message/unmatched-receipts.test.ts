import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { unmatchedMax } from './unmatched.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';
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

it('beyond their limit the oldest unknown receipts are dropped for the newest, and counted (P6)', async () => {
  await using store = await storeWith(3);
  await store.run(
    `insert into unmatched_receipt (id, carrier, carrier_id_key, carrier_id, carrier_state, sender, receiver, received_at, why, is_text)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        select i + (select max(id) from unmatched_receipt), 1, 'f' || i, 'f' || i, 'DELIVERED', '', '', 0, 'unknown', 0 from n`,
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
  const learned = await viewOf(store.queries, 'carrier.learned', { carrier: 'alpha' });
  assert.deepEqual(learned.unmatched, {
    unknown: unmatchedMax - 1,
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
  assert.equal((await viewOf(store.queries, 'carrier.learned', { carrier: 'alpha' })).unmatched.unknown, 3);
  assert.equal(await store.value('select count(*) from unmatched_receipt'), 4);
});

const matched = 'rematch; events = delivered; rows unmatched_receipt = 0';
/** The year is over before the answer, as the clock was set back. */
const setBack = 'restart; wait -8760h';

for (const [what, answer] of [
  ['in doubt', '1 in_doubt'],
  ['accepted with an empty id', '1 accepted'],
  ['accepted', '1 accepted id=1795370873904000'],
]) {
  const receipt = 'receipt 1795370873904000';
  stories({
    [`a part that is ${what}, the receipt before it, is delivered (D1)`]: `accept alpha; ${receipt}; ${answer}; ${matched}`,
    [`a part that is ${what}, the receipt in its commit, is delivered (D1)`]: `
      accept alpha; ${answer} & ${receipt}; ${matched}`,
    [`a part that is ${what}, the receipt behind it, is delivered (D1)`]: `accept alpha; ${answer}; ${receipt}; ${matched}`,
  });
  if (what !== 'accepted with an empty id')
    stories({
      [`a part that is ${what}, the receipt before it, is delivered though the clock was set back (P5)`]: `
        accept alpha; ${setBack}; ${receipt}; ${answer}; ${matched}`,
      [`a part that is ${what}, the receipt behind it, is delivered though the clock was set back (P5)`]: `
        accept alpha; ${setBack}; ${answer}; ${receipt}; ${matched}`,
    });
}

for (const [ago, expected] of [
  ['0s', 'delivered'],
  ['59s', 'delivered'],
  ['61s', 'sent'],
]) {
  it(`a receipt that another node stored ${ago} ago, while its answer was stored, leaves it ${expected} (D1)`, async () => {
    await using store = await opened('accept alpha; 1 accepted id=77');
    await store.run(
      `insert into unmatched_receipt (id, carrier, carrier_id_key, carrier_id, carrier_state, sender, receiver, received_at, why, is_text)
        values (?, 1, '77', '77', 'DELIVERED', '+41790000001', '+41790000002', ?, 'unknown', 0)`,
      firstIdAt(store.now) + 1,
      store.now,
    );
    await tell(store, `restart; wait ${ago}; rematch; events = ${expected}`);
    assert.deepEqual(store.faults, []);
  });
}

stories({
  'a receipt finds the attempt of its id, though a void answer of its commit has the same id': `
    accept alpha; 1 accepted id=77; restart; 1 accepted attempt=9 id=77 & receipt 77; events = delivered
    rows unmatched_receipt = 0`,
  'a receipt finds the attempt of its carrier only, also in the commit of attempts with the same id': `
    carrier beta
    accept alpha & accept beta & 1 accepted id=77 & 2 accepted by=beta id=77 & receipt 77 by=beta
    events = sent delivered`,
});
