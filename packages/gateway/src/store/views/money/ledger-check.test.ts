import { operate } from '../../../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { posting } from '@morsel/api/admin/money/posting.ts';
import { checkStart, toMicros } from '@morsel/api/values/money.ts';
import { nextMessageId } from '../../../core/base/message-id.ts';
import { SqliteTestStore, TestStore } from '../../../../test/support/store/store.ts';
import { readStatement } from './statement.ts';
import { checkLedger, type CheckChunk } from './ledger-check.ts';
import type { LedgerFault } from './ledger-fault.ts';

const entryColumns =
  'entry (id, account, kind, amount, balance_after, messages, first_message, last_message, part, reason, actor, created_at, parts, key)';

/** All chunks, one after the other. */
async function check(store: TestStore, account?: string): Promise<LedgerFault[]> {
  const queries = store.queries;
  const faults: LedgerFault[] = [];
  for (let after: string | null = checkStart; after !== null;) {
    const chunk: CheckChunk =
      (await checkLedger(queries, { account, after })) ?? assert.fail('there is such an account');
    faults.push(...chunk.faults);
    after = chunk.next;
  }
  return faults;
}

/** With the version that its messages are priced by. */
async function pricedStore(opening = TestStore.open({ isCounting: true })): Promise<TestStore> {
  const store = await opening;
  const prices = [{ prefix: '41', price: toMicros(10n) }];
  await store.one(operate('price.set', { list: 'default', prices }, { at: store.now }));
  return store;
}

/**
 * Two accounts: acme (1) with entry 1 of 100, entry 3 of the messages 1001 and 1002 in two parts each, refunds 4 and 5
 * of the first, an adjustment 6, and a charge 8 of 1004; other (2) with entries 2 and 7, and message 1003.
 */
async function ledger(opening?: Promise<TestStore>): Promise<TestStore> {
  const store = await pricedStore(opening);
  await store.addAccount('other', 50);
  const first = store.accept({ numParts: 2 });
  await store.apply(first, store.accept({ numParts: 2 }));
  store.now += 1_000;
  await store.one({ kind: 'cancel', at: store.now, message: first.id, account: null });
  const adjustment = { account: 'acme', reason: 'test', amount: toMicros(-7n) };
  await store.one(operate('posting.adjust', adjustment, { at: store.now }));
  await store.one(store.accept({ account: 2 }));
  await store.one(store.accept());
  return store;
}

it('finds nothing in a correct ledger', async () => {
  await using store = await ledger();
  assert.deepEqual(await check(store), []);
  assert.deepEqual(await check(store, 'acme'), []);
  assert.equal(await checkLedger(store.queries, { after: checkStart, account: 'nobody' }), undefined);
  const forced = { account: 'acme', amount: toMicros(-500n), reason: 't', force: true };
  await store.one(operate('posting.adjust', forced, { at: store.now }));
  assert.deepEqual(await check(store), [], 'an adjustment that was forced below the limit');
});

/** Accounts and entries when a limit was set, and used, in one commit with earlier charges. */
it('finds nothing wrong in limits that change between charges, in one commit and over many', async () => {
  await using store = await pricedStore();
  const limit = (units: bigint) =>
    operate('account.set', { account: 'acme', creditLimit: toMicros(units) }, { at: store.now, made: {} });
  const charges = (count: number) => Array.from({ length: count }, () => store.accept());
  await store.apply(...charges(10), limit(20n), ...charges(2), limit(30n), limit(50n), ...charges(3));
  assert.deepEqual(await check(store), []);
  await store.one(operate('posting.topUp', { account: 'acme', amount: toMicros(70n) }, { at: store.now }));
  await store.one(limit(0n));
  await store.apply(...charges(2));
  assert.deepEqual(await check(store), []);
  await store.force('delete from account_limit where after_entry > 1 and credit_limit = 20');
  assert.deepEqual(
    (await check(store)).map(({ promise, account, entry, expected, found }) => [
      promise,
      account,
      entry,
      expected,
      found,
    ]),
    [['M2', 'acme', '3', '0 or more', '-0.00002']],
  );
});

it('finds nothing wrong in entries of several nodes, whose ids are times, and not in one order of time', async () => {
  await using store = await pricedStore();
  await store.addAccount('other', 50);
  const wide = nextMessageId(0, Date.UTC(2040, 0, 1), 4);
  await store.run('update account set last_entry = ? where id = 1', wide);
  await store.restart();
  for (let each = 0; each < 3; each++) await store.apply(store.accept());
  const later = store.now + 60_000;
  const insert = `insert into ${entryColumns} values (?, 2, 'top-up', 5, 55, 0, null, null, null, 'x', 'x', ?, 0, null)`;
  await store.run(insert, wide - 1, later);
  await store.run('update account set balance = 55, last_entry = ?, last_entry_at = ? where id = 2', wide - 1, later);
  assert.deepEqual(await check(store), []);
  const page = { from: null, to: null, entriesMax: 2, messagesMax: null };
  const first = await readStatement(store.queries, 1, page);
  const { input } = posting.operations.statement;
  const after = `${wide + 1}/${wide + 3}`;
  assert.deepEqual([first.next, input.after.read(after).ok], [after, true]);
  const second = await readStatement(store.queries, 1, { ...page, after });
  assert.deepEqual(
    second.entries.map(({ entry, balance }) => [entry, balance]),
    [
      [wide + 2, 80n],
      [wide + 3, 70n],
    ],
  );
});

interface Planted {
  readonly sql: string;
  /** The first fault that is found. */
  readonly found: Partial<LedgerFault>;
  /** The sentences of the faults that follow from it. */
  readonly others?: readonly string[];
}

const missing = 'the entry is missing: ids of entries must have no gap';
const twoMissing = '2 entries from here on are missing: ids of entries must have no gap';
const otherLimit = 'the credit limit of the account is not the last stored limit';
const unpriced = 'the message was priced by a version that no price list has';
const gap =
  'the balance after the entry is not the balance before the entry plus its amount: an entry is missing or was changed';
const unsummed = 'the balance of the account is not the sum of its entries';
const sumOf = 'the amount of the charge is not the sum of its messages';
const bounds = 'the first or the last message of the charge is missing, or charged by another entry';

const planted: { readonly [about: string]: Planted } = {
  'M1: a balance that was changed': {
    sql: "update account set balance = 1000000 where name = 'other'",
    found: { promise: 'M1', account: 'other', entry: '7', fault: unsummed, expected: '0.00004', found: '1' },
  },
  'M1: an entry whose amount was changed': {
    sql: 'update entry set amount = amount + 3 where id = 4',
    found: { promise: 'M1', account: 'acme', entry: '4', fault: gap, expected: '0.000073', found: '0.00007' },
    others: ['the amount of the refund is not the price of its part'],
  },
  'M1: an entry whose balance was changed': {
    sql: 'update entry set balance_after = 81 where id = 5',
    found: { promise: 'M1', entry: '5', fault: gap, expected: '0.00008', found: '0.000081' },
    others: [gap],
  },
  'M1: an entry that is gone': {
    sql: 'delete from entry where id = 6',
    found: { promise: 'M4', account: null, entry: '6', fault: missing, expected: 'entry 6', found: 'entry 7' },
    others: [gap],
  },
  'M4: entries that are gone, with balances that were made to fit': {
    sql: 'delete from entry where id in (6, 7); update account set balance = 50 where id = 2; update entry set balance_after = balance_after + 7 where id = 8; update message set balance_after = balance_after + 7 where id = 1004; update account set balance = balance + 7 where id = 1; delete from part where message = 1003; delete from message where id = 1003',
    found: { promise: 'M4', account: null, entry: '6', fault: twoMissing, expected: 'entry 6', found: 'entry 8' },
  },
  'M2: a limit that was changed behind our back': {
    sql: 'update account set credit_limit = 5 where id = 2',
    found: { promise: 'M2', account: 'other', fault: otherLimit, expected: '0', found: '0.000005' },
  },
  'M2: a limit that nobody ever set': {
    sql: 'delete from account_limit where account = 2',
    found: { promise: 'M2', account: 'other', fault: otherLimit, expected: 'a stored limit', found: '0' },
  },
  'M3: a message that was priced by no version': {
    sql: 'update message set price_version = 7 where id = 1003',
    found: { promise: 'M3', account: 'other', message: '1003', fault: unpriced, found: 'version 7 of list 1' },
  },
  'M3: a message that was priced by no list': {
    sql: 'update message set price_list = 9 where id = 1003',
    found: { promise: 'M3', account: 'other', message: '1003', fault: unpriced, found: 'version 1 of list 9' },
  },
  'M1: the last entry of an account is gone': {
    sql: 'delete from entry where id = 7',
    found: { promise: 'M1', account: 'other', entry: '2', fault: unsummed, expected: '0.00005', found: '0.00004' },
    others: ['the entry that charged the message does not exist', missing],
  },
  'M1: an entry that nothing explains': {
    sql: `insert into ${entryColumns} values (9, 2, 'top-up', 5, 45, 0, null, null, null, 'x', 'x', 2000000000000, 0, null)`,
    found: { promise: 'M1', account: 'other', entry: '9', fault: unsummed, expected: '0.000045', found: '0.00004' },
  },
  'M1: an entry of no account': {
    sql: `insert into ${entryColumns} values (9, 3, 'top-up', 5, 5, 0, null, null, null, 'x', 'x', 2000000000000, 0, null)`,
    found: { promise: 'M1', account: null, entry: '9', fault: 'the account of the entry does not exist', found: '3' },
  },
  'M2: a charge below the limit': {
    sql: 'update account set balance = balance - 60 where id = 2; update entry set amount = amount - 60, balance_after = balance_after - 60 where id = 7; update message set unit_price = 70, total_cost = 70, balance_after = -20 where id = 1003',
    found: {
      promise: 'M2',
      account: 'other',
      entry: '7',
      fault: 'a charge took the balance below its limit',
      expected: '0 or more',
      found: '-0.00002',
    },
  },
  'M2: a charge below the limit, older than what is known of limits': {
    sql: 'update account set balance = balance - 60 where id = 2; update entry set amount = amount - 60, balance_after = balance_after - 60 where id = 7; update message set unit_price = 70, total_cost = 70, balance_after = -20 where id = 1003; update account_limit set after_entry = 8 where account = 2',
    found: {
      promise: 'M2',
      account: 'other',
      entry: '7',
      fault: 'a charge took the balance below its limit',
      expected: '0 or more',
      found: '-0.00002',
    },
  },
  'M3: a charge that is not the sum of its messages': {
    sql: 'update message set unit_price = 9, total_cost = 18 where id = 1002',
    found: { promise: 'M3', account: 'acme', entry: '3', fault: sumOf, expected: '-0.000038', found: '-0.00004' },
    others: ['the balance that was answered to the client is not the balance after this message'],
  },
  'M3: a message whose cost is not that of its parts': {
    sql: 'update message set unit_price = 11 where id = 1002',
    found: {
      promise: 'M3',
      message: '1002',
      fault: 'the cost of the message is not the sum of its parts',
      expected: '0.000022',
      found: '0.00002',
    },
  },
  'M3: a charge without one of its messages': {
    sql: 'delete from message where id = 1002',
    found: { promise: 'M3', entry: '3', fault: bounds, found: '1001 and 1002' },
  },
  'M3: a charge of nothing': {
    sql: `insert into ${entryColumns} values (9, 2, 'charge', 0, 40, 1, 2000, 2000, null, 'x', 'x', 2000000000000, 1, null)`,
    found: { promise: 'M3', entry: '9', fault: bounds, found: '2000 and 2000' },
  },
  'M3: a charge that counts its messages wrong': {
    sql: 'update entry set messages = 3, parts = 5 where id = 3',
    found: {
      promise: 'M3',
      entry: '3',
      fault: 'the charge has a wrong number of messages',
      expected: '2',
      found: '3',
    },
    others: ['the charge has a wrong number of parts'],
  },
  'M3: two messages in one place of a charge': {
    sql: 'update message set entry_place = 0 where id = 1002',
    found: {
      promise: 'M3',
      entry: '3',
      message: '1002',
      fault: 'two messages have the same place in the charge, or a place is missing',
    },
  },
  'M3: a message that no entry charges': {
    sql: 'update message set entry = 99 where id = 1003',
    found: { promise: 'M3', account: 'other', entry: '7', fault: bounds },
    others: ['the entry that charged the message does not exist'],
  },
  'M3: a message that a top-up would charge': {
    sql: 'update message set entry = 2 where id = 1003',
    found: { promise: 'M3', entry: '7', fault: bounds },
    others: ['the message refers to an entry that is no charge'],
  },
  'M3: a message charged to another account': {
    sql: 'update message set account = 2 where id = 1004',
    found: {
      promise: 'M3',
      account: 'other',
      message: '1004',
      entry: '8',
      fault: 'the message was charged to another account',
    },
  },
  'M3: a message that hides behind the charge of others': {
    sql: 'update message set entry = 3, entry_place = 2 where id = 1003',
    found: { promise: 'M3', entry: '7', fault: bounds },
    others: ['the message was charged to another account'],
  },
  'M3: a message outside of its charge': {
    sql: 'update message set entry = 3, entry_place = 2 where id = 1004',
    found: { promise: 'M3', entry: '8', fault: bounds },
    others: ['the message is outside the range of messages of its charge'],
  },
  'M3: a part that is missing': {
    sql: 'delete from part where message = 1002 and number = 2',
    found: {
      promise: 'M3',
      message: '1002',
      fault: 'the number of parts differs from the number that was charged',
      expected: '2',
      found: '1',
    },
  },
  'M3: a second refund of a part': {
    sql: `insert into ${entryColumns} values (9, 1, 'refund', 10, 73, 1, 1001, 1001, 2, 'x', 'x', 2000000000000, 1, null);
      update account set balance = balance + 10 where id = 1`,
    found: {
      promise: 'M3',
      entry: '9',
      message: '1001',
      part: 2,
      fault: 'the part is refunded a second time',
      expected: 'entry 5 alone',
      found: 'entry 9 too',
    },
  },
  'M3: a refund that its part does not know': {
    sql: 'update part set refund_entry = null where message = 1001 and number = 1',
    found: { promise: 'M3', entry: '4', message: '1001', part: 1, fault: 'the part does not refer to its refund' },
  },
  'M3: a part that names the refund of another': {
    sql: 'update part set refund_entry = 4 where message = 1001 and number = 2',
    found: { promise: 'M3', entry: '5', message: '1001', part: 2, fault: 'the part is refunded a second time' },
    others: ['the part refers to an entry that is not its refund'],
  },
  'M3: a part whose refund is no entry': {
    sql: 'update part set refund_entry = 99 where message = 1002 and number = 1',
    found: {
      promise: 'M3',
      message: '1002',
      part: 1,
      entry: '99',
      fault: 'the part refers to an entry that is not its refund',
      found: 'no entry',
    },
  },
  'M3: a refund of another price': {
    sql: 'update message set unit_price = 5, num_parts = 4 where id = 1001',
    found: {
      promise: 'M3',
      entry: '4',
      fault: 'the amount of the refund is not the price of its part',
      expected: '0.000005',
      found: '0.00001',
    },
    others: [
      'the amount of the refund is not the price of its part',
      'the charge has a wrong number of parts',
      'the number of parts differs from the number that was charged',
    ],
  },
  'M3: a refund to somebody else': {
    sql: 'update message set account = 2 where id = 1001',
    found: { promise: 'M3', entry: '4', fault: 'the refund goes to another account than the account that paid' },
    others: [
      'the refund goes to another account than the account that paid',
      'the message was charged to another account',
    ],
  },
  'M3: a refund of no part': {
    sql: 'update entry set part = 7 where id = 4',
    found: { promise: 'M3', entry: '4', part: 7, fault: 'the part of the refund does not exist' },
    others: ['the part refers to an entry that is not its refund'],
  },
  'M3: a refund of what is in doubt': {
    sql: 'update part set in_doubt = 1 where message = 1001 and number = 1',
    found: {
      promise: 'M3',
      entry: '4',
      message: '1001',
      part: 1,
      fault: 'the part was refunded, but it was in doubt',
    },
  },
  'M4: an entry of no kind': {
    sql: "update entry set kind = 'gift' where id = 6",
    found: { promise: 'M4', entry: '6', fault: 'the entry has an unknown kind', found: 'gift' },
  },
  'M4: an amount of the wrong sign': {
    sql: `insert into ${entryColumns} values (9, 2, 'top-up', -5, 35, 0, null, null, null, 'x', 'x', 2000000000000, 0, null);
      update account set balance = 35 where id = 2`,
    found: {
      promise: 'M4',
      entry: '9',
      fault: 'wrong amount for a top-up',
      expected: 'more than 0',
      found: '-0.000005',
    },
  },
  'M4: an entry from before the one before it': {
    sql: 'update entry set created_at = created_at - 1 where id = 5',
    found: {
      promise: 'M4',
      entry: '5',
      fault: 'the time of the entry is before the time of the previous entry',
      expected: '2026-01-01T00:00:01.000Z or later',
      found: '2026-01-01T00:00:00.999Z',
    },
  },
  'M6: a balance that was answered wrong': {
    sql: 'update message set balance_after = 1 where id = 1001',
    found: {
      promise: 'M6',
      account: 'acme',
      entry: '3',
      message: '1001',
      fault: 'the balance that was answered to the client is not the balance after this message',
      expected: '0.00008',
      found: '0.000001',
    },
  },
};

/** The triggers of SQLite. For those of PostgreSQL see test/peers/store/postgres-schema.test.ts. */
const unguarded: typeof planted = {
  'M4: nothing refuses a change': {
    sql: 'drop trigger entry_is_never_changed',
    found: {
      promise: 'M4',
      fault: 'the trigger that prevents the update of an entry is missing or was changed',
      expected: 'trigger entry_is_never_changed',
      found: 'none',
    },
  },
  'M4: nothing refuses a removal': {
    sql: 'drop trigger entry_is_never_removed',
    found: {
      promise: 'M4',
      fault: 'the trigger that prevents the delete of an entry is missing or was changed',
      found: 'none',
    },
  },
  'M4: a trigger that does nothing': {
    sql: 'drop trigger entry_is_never_removed; create trigger entry_is_never_removed before delete on entry begin select 1; end',
    found: {
      promise: 'M4',
      fault: 'the trigger that prevents the delete of an entry is missing or was changed',
      found: 'another trigger of that name',
    },
  },
};

async function expectFaults(store: TestStore, { found, others = [] }: Planted): Promise<void> {
  const [first, ...rest] = await check(store);
  assert.deepEqual({ ...first, ...found }, first);
  const sentences = new Set([found.fault, ...others]);
  assert.deepEqual(
    [first, ...rest].filter((fault) => !sentences.has(fault?.fault)),
    [],
  );
  for (const sentence of others)
    assert.ok(
      [first, ...rest].some((fault) => fault?.fault === sentence),
      sentence,
    );
  const account = first?.account;
  if (account) assert.deepEqual((await check(store, account))[0], first, 'for its account alone');
}

describe('says which row is wrong, and how', () => {
  for (const [about, fault] of Object.entries(planted)) {
    it(about, async () => {
      await using store = await ledger();
      await store.force(fault.sql);
      await expectFaults(store, fault);
    });
  }

  for (const [about, fault] of Object.entries(unguarded)) {
    it(about, async () => {
      await using store = await ledger(SqliteTestStore.open());
      await store.run(fault.sql);
      await expectFaults(store, fault);
    });
  }
});

it('goes on chunk by chunk over thousands of entries and messages', async () => {
  await using store = await pricedStore();
  await store.one(operate('posting.topUp', { account: 'acme', amount: toMicros(1_000_000n) }, { at: store.now }));
  await store.addAccount('other', 1_000_000);
  for (let group = 0; group < 40; group++) {
    await store.apply(...Array.from({ length: 150 }, (_, at) => store.accept({ account: 1 + (at % 2) })));
  }
  for (let alone = 0; alone < 1_100; alone++) await store.one(store.accept());
  assert.deepEqual(await check(store), []);
  assert.deepEqual(await check(store, 'other'), []);
  await store.force('update message set balance_after = balance_after + 1 where id in (1500, 6999)');
  assert.deepEqual(
    (await check(store)).map(({ promise, message }) => [promise, message]),
    [
      ['M6', '1500'],
      ['M6', '6999'],
    ],
  );
});
