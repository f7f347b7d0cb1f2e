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

/** Checks all chunks, one after the other. */
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

/** A store with the version of the price list by which its messages are priced. */
async function pricedStore(opening = TestStore.open({ isCounting: true })): Promise<TestStore> {
  const store = await opening;
  const prices = [{ prefix: '41', price: toMicros(10n) }];
  await store.one(operate('price.set', { list: 'default', prices }, { at: store.now }));
  return store;
}

/**
 * A ledger of two accounts. Account acme (1) has entry 1 of 100, and entry 3, which charges the messages 1001 and 1002
 * of two parts each. It also has refunds 4 and 5 of message 1001, an adjustment 6, and a charge 8 of message 1004.
 * Account other (2) has entries 2 and 7, and message 1003.
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
it('finds no fault in limits that change between charges, in one commit and over many', async () => {
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

it('finds no fault in entries of several nodes, whose ids are times and not in order of time', async () => {
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

/**
 * Each fault that is made, the statements that make it, and the first fault that is found. Further faults that follow
 * from it are listed below.
 */
const planted = `
M1: a balance that was changed
  update account set balance = 1000000 where name = 'other'
  M1 other, entry 7: the balance of the account is not the sum of its entries (0.00004, not 1)

M1: an entry whose amount was changed
  update entry set amount = amount + 3 where id = 4
  M1 acme, entry 4: the balance after the entry is not the balance before the entry plus its amount: an entry is missing or was changed (0.000073, not 0.00007)
  the amount of the refund is not the price of its part

M1: an entry that is gone
  delete from entry where id = 6
  M4 entry 6: the entry is missing: ids of entries must have no gap (entry 6, not entry 7)
  the balance after the entry is not the balance before the entry plus its amount: an entry is missing or was changed

M4: entries that are gone, with balances that were made to fit
  delete from entry where id in (6, 7); update account set balance = 50 where id = 2; update entry set balance_after = balance_after + 7 where id = 8; update message set balance_after = balance_after + 7 where id = 1004; update account set balance = balance + 7 where id = 1; delete from part where message = 1003; delete from message where id = 1003
  M4 entry 6: 2 entries from here on are missing: ids of entries must have no gap (entry 6, not entry 8)

M2: a limit that was changed behind our back
  update account set credit_limit = 5 where id = 2
  M2 other: the credit limit of the account is not the last stored limit (0, not 0.000005)

M2: a limit that nobody ever set
  delete from account_limit where account = 2
  M2 other: the credit limit of the account is not the last stored limit (a stored limit, not 0)

M3: a message that was priced by no version
  update message set price_version = 7 where id = 1003
  M3 other, message 1003: the message was priced by a version that no price list has (a version of a list, not version 7 of list 1)

M1: the last entry of an account is gone
  delete from entry where id = 7
  M1 other, entry 2: the balance of the account is not the sum of its entries (0.00005, not 0.00004)
  the entry that charged the message does not exist
  the entry is missing: ids of entries must have no gap

M1: an entry that nothing explains
  insert into ENTRY values (9, 2, 'top-up', 5, 45, 0, null, null, null, 'x', 'x', 2000000000000, 0, null)
  M1 other, entry 9: the balance of the account is not the sum of its entries (0.000045, not 0.00004)

M1: an entry of no account
  insert into ENTRY values (9, 3, 'top-up', 5, 5, 0, null, null, null, 'x', 'x', 2000000000000, 0, null)
  M1 entry 9: the account of the entry does not exist (an account, not 3)

M2: a charge below the limit
  update account set balance = balance - 60 where id = 2; update entry set amount = amount - 60, balance_after = balance_after - 60 where id = 7; update message set unit_price = 70, total_cost = 70, balance_after = -20 where id = 1003
  M2 other, entry 7: a charge took the balance below its limit (0 or more, not -0.00002)

M2: a charge below the limit, older than what is known of limits
  update account set balance = balance - 60 where id = 2; update entry set amount = amount - 60, balance_after = balance_after - 60 where id = 7; update message set unit_price = 70, total_cost = 70, balance_after = -20 where id = 1003; update account_limit set after_entry = 8 where account = 2
  M2 other, entry 7: a charge took the balance below its limit (0 or more, not -0.00002)

M3: a charge that is not the sum of its messages
  update message set unit_price = 9, total_cost = 18 where id = 1002
  M3 acme, entry 3: the amount of the charge is not the sum of its messages (-0.000038, not -0.00004)
  the balance that was answered to the client is not the balance after this message

M3: a message whose cost is not that of its parts
  update message set unit_price = 11 where id = 1002
  M3 acme, message 1002: the cost of the message is not the sum of its parts (0.000022, not 0.00002)

M3: a charge without one of its messages
  delete from message where id = 1002
  M3 acme, entry 3: the first or the last message of the charge is missing, or charged by another entry (two messages of this charge, not 1001 and 1002)

M3: a charge of nothing
  insert into ENTRY values (9, 2, 'charge', 0, 40, 1, 2000, 2000, null, 'x', 'x', 2000000000000, 1, null)
  M3 other, entry 9: the first or the last message of the charge is missing, or charged by another entry (two messages of this charge, not 2000 and 2000)

M3: a charge that counts its messages wrong
  update entry set messages = 3, parts = 5 where id = 3
  M3 acme, entry 3: the charge has a wrong number of messages (2, not 3)
  the charge has a wrong number of parts

M3: two messages in one place of a charge
  update message set entry_place = 0 where id = 1002
  M3 acme, entry 3, message 1002: two messages have the same place in the charge, or a place is missing (1, not 0)

M3: a message that no entry charges
  update message set entry = 99 where id = 1003
  M3 other, entry 7: the first or the last message of the charge is missing, or charged by another entry (two messages of this charge, not 1003 and 1003)
  the entry that charged the message does not exist

M3: a message that a top-up would charge
  update message set entry = 2 where id = 1003
  M3 other, entry 7: the first or the last message of the charge is missing, or charged by another entry (two messages of this charge, not 1003 and 1003)
  the message refers to an entry that is no charge

M3: a message charged to another account
  update message set account = 2 where id = 1004
  M3 other, entry 8, message 1004: the message was charged to another account (2, not 1)

M3: a message that hides behind the charge of others
  update message set entry = 3, entry_place = 2 where id = 1003
  M3 other, entry 7: the first or the last message of the charge is missing, or charged by another entry (two messages of this charge, not 1003 and 1003)
  the message was charged to another account

M3: a message outside of its charge
  update message set entry = 3, entry_place = 2 where id = 1004
  M3 acme, entry 8: the first or the last message of the charge is missing, or charged by another entry (two messages of this charge, not 1004 and 1004)
  the message is outside the range of messages of its charge

M3: a part that is missing
  delete from part where message = 1002 and number = 2
  M3 acme, message 1002: the number of parts differs from the number that was charged (2, not 1)

M3: a second refund of a part
  insert into ENTRY values (9, 1, 'refund', 10, 73, 1, 1001, 1001, 2, 'x', 'x', 2000000000000, 1, null); update account set balance = balance + 10 where id = 1
  M3 acme, entry 9, message 1001, part 2: the part is refunded a second time (entry 5 alone, not entry 9 too)

M3: a refund that its part does not know
  update part set refund_entry = null where message = 1001 and number = 1
  M3 acme, entry 4, message 1001, part 1: the part does not refer to its refund (refunded, not not refunded)

M3: a part that names the refund of another
  update part set refund_entry = 4 where message = 1001 and number = 2
  M3 acme, entry 5, message 1001, part 2: the part is refunded a second time (entry 4 alone, not entry 5 too)
  the part refers to an entry that is not its refund

M3: a refund of another price
  update message set unit_price = 5, num_parts = 4 where id = 1001
  M3 acme, entry 4, message 1001, part 1: the amount of the refund is not the price of its part (0.000005, not 0.00001)
  the amount of the refund is not the price of its part
  the charge has a wrong number of parts
  the number of parts differs from the number that was charged

M3: a refund to somebody else
  update message set account = 2 where id = 1001
  M3 acme, entry 4, message 1001, part 1: the refund goes to another account than the account that paid (2, not 1)
  the refund goes to another account than the account that paid
  the message was charged to another account

M3: a refund of no part
  update entry set part = 7 where id = 4
  M3 acme, entry 4, message 1001, part 7: the part of the refund does not exist (a part, not none)
  the part refers to an entry that is not its refund

M3: a refund of what is in doubt
  update part set in_doubt = 1 where message = 1001 and number = 1
  M3 acme, entry 4, message 1001, part 1: the part was refunded, but it was in doubt (no refund, not entry 4)

M4: an entry of no kind
  update entry set kind = 'gift' where id = 6
  M4 acme, entry 6: the entry has an unknown kind (top-up, charge, refund, adjustment, not gift)

M4: an amount of the wrong sign
  insert into ENTRY values (9, 2, 'top-up', -5, 35, 0, null, null, null, 'x', 'x', 2000000000000, 0, null); update account set balance = 35 where id = 2
  M4 other, entry 9: wrong amount for a top-up (more than 0, not -0.000005)

M4: an entry from before the one before it
  update entry set created_at = created_at - 1 where id = 5
  M4 acme, entry 5: the time of the entry is before the time of the previous entry (2026-01-01T00:00:01.000Z or later, not 2026-01-01T00:00:00.999Z)

M6: a balance that was answered wrong
  update message set balance_after = 1 where id = 1001
  M6 acme, entry 3, message 1001: the balance that was answered to the client is not the balance after this message (0.00008, not 0.000001)`.replaceAll(
  'ENTRY',
  entryColumns,
);

/** The triggers of SQLite. For those of PostgreSQL see test/peers/store/postgres-schema.test.ts. */
const unguarded = `
M4: nothing refuses a change
  drop trigger entry_is_never_changed
  M4 : the trigger that prevents the update of an entry is missing or was changed (trigger entry_is_never_changed, not none)

M4: nothing refuses a removal
  drop trigger entry_is_never_removed
  M4 : the trigger that prevents the delete of an entry is missing or was changed (trigger entry_is_never_removed, not none)

M4: a trigger that does nothing
  drop trigger entry_is_never_removed; create trigger entry_is_never_removed before delete on entry begin select 1; end
  M4 : the trigger that prevents the delete of an entry is missing or was changed (trigger entry_is_never_removed, not another trigger of that name)`;

function lineOf({ promise, account, entry, message, part, fault, expected, found }: LedgerFault): string {
  const places = [account, entry && `entry ${entry}`, message && `message ${message}`, part && `part ${part}`];
  return `${promise} ${places.filter(Boolean).join(', ')}: ${fault} (${expected ?? ''}, not ${found ?? ''})`;
}

describe('names the wrong row, and what is wrong', () => {
  for (const [text, open] of [
    [planted, () => undefined],
    [unguarded, () => SqliteTestStore.open()],
  ] as const) {
    for (const block of text.trim().split('\n\n')) {
      const [about = '', sql = '', line, ...others] = block.split('\n').map((each) => each.trim());
      it(about, async () => {
        await using store = await ledger(open());
        await (text === unguarded ? store.run(sql) : store.force(sql));
        const [first, ...rest] = await check(store);
        assert.equal(first && lineOf(first), line);
        // The check may find the same fault several times.
        const sentences = [...new Set(rest.map(({ fault }) => fault))].filter((each) => each !== first?.fault);
        assert.deepEqual(sentences.toSorted(), others.filter((each) => each !== first?.fault).toSorted());
        const account = first?.account;
        if (account) assert.deepEqual((await check(store, account))[0], first, 'for its account alone');
      });
    }
  }
});

it('continues chunk by chunk over thousands of entries and messages', async () => {
  await using store = await pricedStore();
  await store.one(operate('posting.topUp', { account: 'acme', amount: toMicros(1_000_000n) }, { at: store.now }));
  await store.addAccount('other', 1_000_000);
  for (let group = 0; group < 20; group++) {
    await store.apply(...Array.from({ length: 150 }, (_, at) => store.accept({ account: 1 + (at % 2) })));
  }
  for (let alone = 0; alone < 1_100; alone++) await store.one(store.accept());
  assert.deepEqual(await check(store), []);
  assert.deepEqual(await check(store, 'other'), []);
  await store.force('update message set balance_after = balance_after + 1 where id in (1500, 4999)');
  assert.deepEqual(
    (await check(store)).map(({ promise, message }) => [promise, message]),
    [
      ['M6', '1500'],
      ['M6', '4999'],
    ],
  );
});
