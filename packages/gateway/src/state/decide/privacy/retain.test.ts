import { operate } from '../../../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMicros, checkStart } from '@morsel/api/values/money.ts';
import type { Retained } from '@morsel/api/values/account.ts';
import { totalsOf } from '../../../../test/support/gateway/slow-totals.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import type { CommandOf } from '../../commands.ts';
import { firstIdAt } from '../../../core/base/message-id.ts';
import { readRetention } from '../../../store/views/privacy/retention.ts';
import { dayMs, hourMs } from '@morsel/api/values/time.ts';
import { checkLedger } from '../../../store/views/money/ledger-check.ts';
import { readStatement } from '../../../store/views/money/statement.ts';

/* Retention removes texts, then numbers, then messages, but only of messages that have ended. */

const newKey = new Uint8Array(32).fill(7);
/** A message id after those of the test's messages. */
const before = 9_000;
const days = { texts: 90, numbers: 400, records: 3_650 };

function retain(store: TestStore, what: keyof typeof days, max = 100): CommandOf<'retain'> {
  return { kind: 'retain', at: store.now, what, days: days[what], before, max, newKey };
}

/** A store with a price, and four messages: two delivered ones with one charge, a canceled one, and a waiting one. */
async function storeWithMessages() {
  const store = await TestStore.open({ isCompared: true });
  const prices = [{ prefix: '41', price: toMicros(10n) }];
  await store.one(operate('price.set', { list: 'default', prices }, { at: store.now }));
  const phone = '+41790000009';
  const [first, second] = [store.accept({ tags: ['a', 'b'] }), store.accept({ receiver: phone, clientRef: 'of Ann' })];
  await store.apply(first, second);
  await store.claim(2);
  await store.apply(
    ...[first, second].map(({ id }) => store.outcome(id, { carrierId: `c${id}`, carrierIdKey: `c${id}` })),
  );
  await store.apply(...[first, second].map(({ id, receiver }) => store.receipt(`c${id}`, { receiver })));
  const canceled = store.accept({ numParts: 2 });
  await store.one(canceled);
  await store.one({ kind: 'cancel', at: store.now, message: canceled.id, account: null });
  const waiting = store.accept({ receiver: phone });
  await store.one(waiting);
  return { store, first, second, canceled, waiting };
}

async function faultsOf(store: TestStore): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (let after: string | null = checkStart; after !== null;) {
    const chunk = await checkLedger(store.queries, { account: undefined, after });
    faults.push(...(chunk?.faults ?? []));
    after = chunk?.next ?? null;
  }
  return faults;
}

const removed = (count: number, isMore = false) => ({ removed: count, isMore });

async function counted(store: TestStore, command: CommandOf<'retain'>) {
  const done = await store.one(command);
  return done.ok && { removed: done.value.removed, isMore: done.value.isMore };
}

test('texts are removed first, and those of an unfinished message after its end', async () => {
  const { store, waiting } = await storeWithMessages();
  await using _ = store;
  assert.deepEqual(await counted(store, retain(store, 'texts')), removed(3));
  const texts = 'select id from message where content is not null';
  assert.deepEqual(await store.rows(texts), [{ id: waiting.id }]);
  const left = { kind: 'retain-left', at: store.now, what: 'texts', after: 0, max: 10, newKey } as const;
  assert.deepEqual(await store.one(left), { ok: true, value: { removed: 0, isMore: false, last: waiting.id } });
  await store.one({ kind: 'cancel', at: store.now, message: waiting.id, account: null });
  assert.deepEqual(await store.one(left), { ok: true, value: { removed: 1, isMore: false, last: waiting.id } });
  assert.deepEqual(await store.rows(texts), []);
  assert.deepEqual(await store.rows('select * from left_behind'), []);
});

test('a number becomes a code that is the same for all its messages', async () => {
  const { store, second, waiting } = await storeWithMessages();
  await using _ = store;
  await store.one({ kind: 'cancel', at: store.now, message: waiting.id, account: null });
  assert.deepEqual(await counted(store, retain(store, 'numbers')), removed(4));
  const rows = await store.rows('select id, sender, receiver, client_ref, tags from message order by id');
  const codes = new Map(rows.map(({ id, receiver }) => [id, String(receiver)]));
  assert.equal(codes.get(second.id), codes.get(waiting.id));
  assert.equal(new Set(codes.values()).size, 2);
  assert.ok(rows.every((row) => /^~[a-z]{11}$/.test(String(row['receiver'])) && row['client_ref'] === null));
  assert.ok(rows.every((row) => /^~[a-z]{11}$/.test(String(row['sender'])) && row['tags'] === null));
  assert.deepEqual(await store.rows('select * from tagged'), []);
  // Another given key would make other codes, but the store keeps its first key.
  assert.deepEqual(await store.rows('select id from number_key'), [{ id: 1 }]);
});

test('messages are removed in batches, and the ledger and the statement still add up', async () => {
  const { store, waiting } = await storeWithMessages();
  await using _ = store;
  const statement = async () => {
    return readStatement(store.queries, 1, { from: null, to: null, entriesMax: 100, messagesMax: 100 });
  };
  const atFirst = await statement();
  // The first batch ends in the middle of a charge.
  assert.deepEqual(await counted(store, retain(store, 'records', 1)), removed(1, true));
  assert.deepEqual(await faultsOf(store), []);
  assert.deepEqual(await counted(store, retain(store, 'records')), removed(2));
  assert.deepEqual(await store.rows('select id from message'), [{ id: waiting.id }]);
  for (const table of ['part', 'attempt', 'note', 'tagged', 'cdr']) {
    const of = `select count(*) from ${table} where message <> ${waiting.id}`;
    assert.equal(Number(await store.value(of)), 0, table);
  }
  assert.deepEqual(await faultsOf(store), []);
  const totals = await totalsOf({ queries: store.queries, rows: (sql) => store.rows(sql) });
  assert.deepEqual(totals.counted, totals.stored, 'what is removed is taken off the counts');
  const atLast = await statement();
  const withoutMessages = ({ entries, ...page }: typeof atLast) => [
    page,
    entries.map(({ charged: _c, ...each }) => each),
  ];
  assert.deepEqual(withoutMessages(atLast), withoutMessages(atFirst));
  // The ledger check still finds a wrong sum.
  await store.run('update removed_charge set amount = amount - 1');
  assert.equal((await faultsOf(store)).length > 0, true);
  await store.run('update removed_charge set amount = amount + 1');
});

test('an account with other days keeps its messages, and a shorter time starts the removal again', async () => {
  const { store } = await storeWithMessages();
  await using _ = store;
  const set = async (settings: object) =>
    store.one(operate('account.set', { account: 'acme', ...settings }, { at: store.now, made: {} }));
  assert.deepEqual(await set({ textDays: 401 }), {
    ok: false,
    error: {
      code: 'invalid_parameter',
      field: 'numberDays',
      detail: 'must be at least 401, the number of days for texts: a text is kept with its number',
    },
  });
  await set({ textDays: 365 });
  assert.deepEqual(await counted(store, retain(store, 'texts')), removed(0));
  await set({ textDays: days.texts });
  assert.deepEqual(await counted(store, retain(store, 'texts')), removed(3));
});

test('texts, numbers and rows of inbound messages are removed in the same way', async () => {
  await using store = await TestStore.open();
  const phone = '+41790000009';
  await store.run(
    `insert into inbound (id, carrier, sender, receiver, code, dcs, content, num_parts, parts_received, complete, received_at)
      values (2001, 1, ?, '+41790000001', 0, 'GSM', ?, 1, 1, 1, 1)`,
    phone,
    Uint8Array.of(1),
  );
  const inbound = async (what: Retained, ofDays: number) =>
    counted(store, { kind: 'retain', at: store.now, what, days: ofDays, before, max: 100, newKey });
  assert.deepEqual(await inbound('inbound-texts', days.texts), removed(1));
  assert.equal(await store.value('select content from inbound'), null);
  assert.deepEqual(await inbound('inbound-numbers', days.numbers), removed(1));
  assert.match(String(await store.value('select sender from inbound')), /^~/);
  assert.deepEqual(await inbound('inbound-records', days.records), removed(1));
  assert.deepEqual(await store.ids('inbound'), []);
});

test('old numbers of broken rules are removed, and old opt-outs that are no longer on a list', async () => {
  await using store = await TestStore.open();
  const hit = `insert into rule_hit (account, rule, watched, refused, first_at, last_at, sender, receiver) values (1, ?, 0, 1, 1, ?, 'ACME', '+41')`;
  const day = 86_400_000;
  await store.run(hit, 'rate', store.now - (days.numbers + 1) * day);
  await store.run(hit, 'repeat', store.now - (days.numbers - 1) * day);
  const event = `insert into opt_out_event (id, account, receiver, sender, at, wish) values (?, 1, '+41', '', ?, 'out')`;
  const ages = [days.records + 2, days.records + 1, days.records - 1, 0];
  for (const [id, age] of ages.entries()) await store.run(event, id + 1, store.now - age * day);
  await store.run("insert into opt_out (account, receiver, sender, since, event) values (1, '+41', '', 1, 2)");
  await store.one({ kind: 'retain-rest', at: store.now, max: 10 });
  assert.deepEqual(await store.rows("select rule from rule_hit where receiver <> ''"), [{ rule: 'repeat' }]);
  assert.deepEqual(await store.ids('opt_out_event'), [2, 3, 4]);
});

test('a message is removed when its account’s days are over, and not an hour earlier', async () => {
  await using store = await TestStore.open();
  const id = firstIdAt(store.now);
  await store.one(store.accept({ id }));
  const isDue = async (at: number) =>
    (await readRetention(store.queries, at)).some(({ what, isDue: due }) => what === 'texts' && due);
  const dueAt = store.now + days.texts * dayMs;
  assert.deepEqual([await isDue(dueAt - hourMs), await isDue(dueAt + hourMs)], [false, true]);
});
