import { operate } from '../../../../test/support/store/operate.ts';
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { addNumber, phone, write } from '../../../../test/support/clients/inbound-messages.ts';
import { optOut } from '../../../../test/support/gateway/opt-outs.ts';
import { SqliteTestStore } from '../../../../test/support/store/store.ts';
import type { Command } from '../../commands.ts';

/*
 * Every message writes the row of its account. So a node with an old account in memory finds the change at the commit.
 * For this, all that a message relies on must change together with this row.
 */

const number = '+41791112233';
const other = '+41791112244';
const named = { account: 'acme' };

/** Steps by which the account and its lists change, one after the other. */
const steps: { readonly [about: string]: (store: SqliteTestStore, at: number) => Command } = {
  'a credit limit': (_, at) => operate('account.set', { ...named, creditLimit: toMicros(50n) }, { at, made: {} }),
  'a cap': (_, at) => operate('account.set', { ...named, dayCap: toMicros(900n) }, { at, made: {} }),
  rules: (_, at) => operate('account.set', named, { at, made: { modes: { premium: 'refuse' } } }),
  'the addresses of clients': (_, at) => operate('account.set', { ...named, from: [] }, { at, made: {} }),
  'a suspension': (_, at) => operate('account.suspend', named, { at }),
  'the end of a suspension': (_, at) => operate('account.resume', named, { at }),
  'a top-up': (_, at) => operate('posting.topUp', { ...named, amount: toMicros(9n) }, { at }),
  'a STOP': (store) => write(store, number, 'STOP'),
  'a START': (store) => write(store, number, 'START'),
  'an opt-out by the operator': (_, at) => optOut('add', { receiver: phone }, at),
  'the end of that opt-out': (_, at) => optOut('remove', { receiver: phone }, at),
};

async function watched(): Promise<SqliteTestStore> {
  const store = await SqliteTestStore.open();
  await store.one(addNumber(number, 'acme'));
  await store.run(`create table written (account integer);
    create trigger account_written after update on account begin insert into written values (new.id); end`);
  return store;
}

async function written(store: SqliteTestStore): Promise<unknown> {
  const count = await store.value('select count(distinct account) from written');
  await store.run('delete from written');
  return count;
}

it('all that a message relies on changes together with the row of its account', async () => {
  await using store = await watched();
  for (const [about, of] of Object.entries(steps)) {
    store.now += 1_000;
    const result = await store.one<Command['kind']>(of(store, store.now));
    assert.ok(result.ok, about);
    assert.equal(await written(store), 1, about);
    await store.restart();
  }
  assert.deepEqual(await store.moneyFaults(), []);
});

it('a replayed STOP changes the row of its new account', async () => {
  await using store = await watched();
  const stop = write(store, other, 'STOP');
  await store.one(stop);
  assert.equal(await written(store), 0);
  await store.one(addNumber(other, 'acme'));
  const made = { ids: [stop.id], next: null, until: null };
  await store.one(operate('inbound.replay', {}, { at: store.now, made }));
  assert.equal(await store.value('select count(*) from opt_out'), 1);
  assert.equal(await written(store), 1);
});
