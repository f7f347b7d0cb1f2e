/*
 * Fills a store with messages that have ended, many times faster than by sending them. The store must have one
 * delivered message, whose rows are copied with other ids, times, receivers, accounts and entries, and no gateway may
 * use it meanwhile. The ledger and the totals are right afterwards.
 */

import { DatabaseSync } from 'node:sqlite';
import { firstIdAt } from '@morsel/gateway/core/base/message-id.ts';
import { entryTable } from '../packages/gateway/src/state/tables/ledger.ts';
import { keepPartitions, migrateDatabase } from '../packages/gateway/src/store/postgres/migrate.ts';
import { PostgresConnection } from '../packages/gateway/src/store/postgres/wire/connection.ts';
import { connectAt } from '../packages/gateway/test/support/store/postgres.ts';
import type { Table } from '../packages/gateway/src/state/tables/table.ts';
import { attemptTable, cdrTable, messageTable, partTable } from '../packages/gateway/src/state/tables/message.ts';

export interface History {
  /** A multiple of `accounts` times `chargedTogether`. */
  readonly messages: number;
  /** The time over which the messages are spread evenly. */
  readonly days: number;
  /** When the last of them was accepted. */
  readonly until: number;
  /** The accounts take turns. They have no entries, and consecutive ids from this one on. */
  readonly firstAccount: number;
  readonly accounts: number;
}

/** How many messages of an account an entry charges. */
export const chargedTogether = 5;
/** Rows that a statement makes; a multiple of all accounts times `chargedTogether`. */
const together = 250_000;
const fillLimitMs = 30 * 60_000;
const dayMs = 86_400_000;

/** Makes the schema, with the partitions that a node would have made since then. No node has used the database yet. */
export async function makeOldSchema(url: string, since: number): Promise<void> {
  await using connection = await PostgresConnection.open(url, []);
  await migrateDatabase(connection);
  for (let at = since; at <= Date.now(); at += dayMs) await keepPartitions(connection, at);
}

type CopiedTable = Pick<Table<unknown>, 'name' | 'shape' | 'key'>;
type Run = (sql: string) => unknown;

export async function fillPostgres(url: string, history: History): Promise<void> {
  const client = await connectAt(url, fillLimitMs);
  try {
    await fill((sql) => client.query({ text: sql, rowMode: 'array' }), history);
    await client.query({ text: 'vacuum analyze', rowMode: 'array' });
  } finally {
    await client.end();
  }
}

export async function fillSqlite(file: string, history: History): Promise<void> {
  using database = new DatabaseSync(file);
  // A power cut may lose this store.
  database.exec('pragma synchronous = off; pragma cache_size = -1000000');
  await fill((sql) => database.exec(sql), history);
  database.exec('pragma wal_checkpoint(truncate)');
}

/** The id of a message of the history, by its number from 0. Its account is the first plus `number % accounts`. */
export function idOfHistory(history: History, number: number): number {
  return firstIdAt(startOf(history) + Math.floor((number * history.days * dayMs) / history.messages)) + (number % 32);
}

function startOf({ days, until }: History): number {
  return until - days * dayMs;
}

async function fill(run: Run, history: History): Promise<void> {
  const { messages, accounts, firstAccount } = history;
  for (let from = 0; from < messages; from += together) {
    const to = Math.min(messages, from + together);
    await run('begin');
    for (const sql of rowsSql(history, from, to)) await run(sql);
    await run('commit');
  }
  const each = messages / accounts;
  await run(`update account set balance = -${each} * (select total_cost from message order by id desc limit 1),
    last_entry = (select max(id) from entry where entry.account = account.id),
    last_entry_at = (select max(created_at) from entry where entry.account = account.id)
    where id >= ${firstAccount} and id < ${firstAccount + accounts}`);
  await run(`update total set n = n + ${messages}, amount = amount + case what when 'charged'
    then ${messages} * (select total_cost from message order by id desc limit 1) else 0 end
    where what in ('messages', 'parts', 'charged')`);
}

/** The statements that insert the rows of the messages with these numbers. */
function rowsSql(history: History, from: number, to: number): string[] {
  const { messages, days, firstAccount, accounts } = history;
  const timeOf = (number: string) => `(${startOf(history)} + (${number}) * ${days * dayMs} / ${messages})`;
  const idAt = (number: string, laterMs = 0) =>
    `((${timeOf(number)} + ${laterMs - startOf(history)}) * 4096 + ${firstIdAt(startOf(history))} + (${number}) % 32)`;
  const id = idAt('i');
  /** The message's number within its account, and the number of the first message of its charge. */
  const place = `(i / ${accounts})`;
  const ofEntry = (of: string, at: number) =>
    `(((${of}) / ${accounts * chargedTogether}) * ${accounts * chargedTogether} + ${at * accounts} + (${of}) % ${accounts})`;
  const account = `${firstAccount} + i % ${accounts}`;
  const cost = '(select total_cost from message order by id desc limit 1)';
  const carrierId = 'cast((i * 2654435761) % 4294967296 as text)';
  const numbers = `with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i + 1 < ${to})`;
  const copy = ({ name, shape, key }: CopiedTable, values: Readonly<Record<string, string>>, where = 'true') =>
    `insert into ${name} (${shape.names.join(', ')}) ${numbers}
      select ${shape.names.map((column) => values[column] ?? `t.${column}`).join(', ')}
      from n, (select * from ${name} order by ${key.names[0]} desc limit 1) as t where ${where}`;
  return [
    copy(
      entryTable,
      {
        id,
        account,
        amount: `-${chargedTogether} * ${cost}`,
        balance_after: `-(${place} + ${chargedTogether}) * ${cost}`,
        messages: String(chargedTogether),
        parts: String(chargedTogether),
        first_message: id,
        last_message: idAt(ofEntry('i', chargedTogether - 1)),
        created_at: timeOf('i'),
      },
      `${place} % ${chargedTogether} = 0`,
    ),
    copy(messageTable, {
      id,
      account,
      receiver: "'+4179' || substr(cast(10000000 + i % 10000000 as text), 2)",
      accepted_at: timeOf('i'),
      due_at: timeOf('i'),
      expires_at: `${timeOf('i')} + ${dayMs}`,
      balance_after: `-(${place} + 1) * ${cost}`,
      entry: idAt(ofEntry('i', 0)),
      entry_place: `${place} % ${chargedTogether}`,
    }),
    copy(partTable, {
      message: id,
      changed_at: `${timeOf('i')} + 2000`,
      report_event_at: `${timeOf('i')} + 2000`,
      cdr: idAt('i', 2_000),
    }),
    copy(attemptTable, {
      message: id,
      claimed_at: timeOf('i'),
      answered_at: timeOf('i'),
      carrier_id: carrierId,
      carrier_id_key: carrierId,
    }),
    copy(cdrTable, { id: idAt('i', 2_000), account, message: id, ended_at: `${timeOf('i')} + 2000` }),
  ];
}
