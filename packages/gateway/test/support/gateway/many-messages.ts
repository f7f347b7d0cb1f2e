/* Writes a database with many messages. Commands make a thousand messages; SQL copies these with their accounts. */

import { dayMs } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../../src/state/commands.ts';
import { operate } from '../store/operate.ts';
import { setCarrierCommand } from '../store/routing-commands.ts';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { masterKeyName } from '../../../src/state/sealing/master-key.ts';
import { testMasterKey } from '../store/vault.ts';
import { SqliteTestStore } from '../store/store.ts';
import { nodeCount, sequenceCount } from '../../../src/core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';

const thousand = 1_000;
const idsOfMs = nodeCount * sequenceCount;
/** How many of a thousand messages wait, are claimed by a link, and wait for a receipt. The others are delivered. */
const [waiting, claimed, sent] = [20, 10, 20];

/** What the carrier charges for a part. */
const cost = { amount: toMicros(4n), currency: 'EUR' };

/** The columns that hold ids, and the kind of each id. In each copy, an id is larger than in the copy before. */
const shifts: { readonly [table: string]: { readonly [column: string]: 'account' | 'cdr' | 'entry' | 'message' } } = {
  account: { id: 'account', last_entry: 'entry' },
  account_limit: { account: 'account' },
  entry: { id: 'entry', account: 'account', first_message: 'message', last_message: 'message' },
  message: { id: 'message', account: 'account', entry: 'entry' },
  part: { message: 'message', cdr: 'cdr' },
  attempt: { message: 'message' },
  cdr: { id: 'cdr', account: 'account', message: 'message' },
  queue: { account: 'account', message: 'message' },
  doubt: { message: 'message' },
};
const numbered = new Set(['account.name', 'attempt.carrier_id', 'attempt.carrier_id_key']);

/** Writes `thousands` times a thousand messages, of which 50 are open. The ledger is right. */
export async function writeManyMessages(file: string, thousands: number): Promise<void> {
  await using store = await withMoney();
  const accepted = Array.from({ length: thousand }, () => store.accept());
  await store.apply(...accepted);
  const parts = await store.claim(thousand - waiting, { lease: store.lease });
  const answered = parts.slice(claimed);
  await store.apply(
    ...answered.map(({ message, attempt }) => {
      const id = idOf(message);
      return store.outcome(message, { attempt, lease: store.lease, carrierId: id, carrierIdKey: id, cost });
    }),
  );
  await store.apply(...answered.slice(sent).map(({ message }) => store.receipt(idOf(message))));
  await copyMessages(store, { file, times: thousands, accepted });
}

/** Writes this number of messages, and copies of all, of a part that is in doubt until an operator settles it. */
export async function writeManyDoubts(file: string, count: number, times = 1): Promise<void> {
  await using store = await withMoney();
  store.now = Date.now();
  await store.one(setCarrierCommand({ at: store.now, carrier: 'alpha', settings: { inDoubt: 'hold' } }));
  const accepted = Array.from({ length: count }, () => store.accept({ expiresAt: store.now + dayMs }));
  await store.apply(...accepted);
  const { lease } = store;
  const parts = await store.claim(count, { lease });
  await store.apply(
    ...parts.map(({ message, attempt }) => store.outcome(message, { attempt, lease, outcome: 'in_doubt' })),
  );
  await copyMessages(store, { file, times, accepted });
}

async function withMoney(): Promise<SqliteTestStore> {
  const store = await SqliteTestStore.open();
  await store.one(operate('posting.topUp', { account: 'acme', amount: toMicros(100_000n) }, { at: store.now }));
  await store.one(
    operate('price.set', { list: 'default', prices: [{ prefix: '', price: toMicros(10n) }] }, { at: store.now }),
  );
  return store;
}

interface Copies {
  readonly file: string;
  readonly times: number;
  readonly accepted: readonly CommandOf<'accept'>[];
}

async function copyMessages(store: SqliteTestStore, { file, times, accepted }: Copies): Promise<void> {
  const [first, last] = [accepted[0]?.id ?? 0, accepted.at(-1)?.id ?? 0];
  const newest = Number(await store.value('select max(id) from entry'));
  // Ids of CDRs grow by whole milliseconds, so that their node stays the same.
  const records = Number((await store.value('select max(id) - min(id) from cdr')) ?? 0);
  const cdr = (1 + Math.floor(records / idsOfMs)) * idsOfMs;
  const steps = { account: 1, entry: newest, cdr, message: last - first + 1 };
  for (const [table, shift] of Object.entries(shifts)) {
    const columns = (await store.rows(`select name from pragma_table_info('${table}')`)).map(({ name }) =>
      String(name),
    );
    const values = columns.map((column) => {
      const by = shift[column];
      if (by) return `${column} + k * ${steps[by]}`;
      return numbered.has(`${table}.${column}`) ? `${column} || '00' || k` : column;
    });
    await store.run(`with recursive copy (k) as (select 1 where 1 < ${times} union all select k + 1 from copy where k + 1 < ${times})
      insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from copy cross join ${table}`);
  }
  await store.run(`vacuum into '${file}'`);
  cpSync(testMasterKey, join(dirname(file), masterKeyName));
}

function idOf(message: number): string {
  return String(message);
}
