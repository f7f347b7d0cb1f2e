import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Client } from 'pg';
import { writeNewDatabase } from './database.ts';

/* Copies a PostgreSQL store into a file of SQLite, so that the same checks work for both engines. */

const rowMode = 'array';

/** Writes the database file of a data directory, with all rows as they were at one moment. */
export async function copyStore(client: Pick<Client, 'query'>, dataDir: string): Promise<void> {
  const file = join(dataDir, 'morsel.db');
  writeNewDatabase(file);
  const copy = new DatabaseSync(file);
  copy.exec('pragma foreign_keys = off; pragma synchronous = off; begin');
  await client.query({ text: 'begin isolation level repeatable read read only', rowMode });
  try {
    for (const { name } of copy.prepare("select name from sqlite_schema where type = 'table'").all()) {
      await copyTable(client, copy, String(name));
    }
    // A file of SQLite has one node, which gets the highest message id of all nodes.
    copy.exec(
      'update node set last_message_id = (select max(last_message_id) from node); delete from node where id > (select min(id) from node)',
    );
    copy.exec('commit');
  } finally {
    await client.query({ text: 'commit', rowMode });
    copy.close();
  }
}

async function copyTable(client: Pick<Client, 'query'>, copy: DatabaseSync, table: string): Promise<void> {
  const columns = copy.prepare('select name, type from pragma_table_info(?)').all(table);
  const names = columns.map(({ name }) => String(name));
  const numbers = columns.map(({ type }) => String(type).toLowerCase() === 'integer');
  const { rows } = await client.query({ text: `select ${names.join(', ')} from ${table}`, rowMode });
  copy.exec(`delete from ${table}`);
  const insert = copy.prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`);
  for (const row of rows) insert.run(...row.map((value, at) => stored(value, numbers[at] === true)));
}

function stored(value: unknown, isNumber: boolean): SQLInputValue {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return isNumber ? BigInt(value) : value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a value of the type ${typeof value}`);
}
