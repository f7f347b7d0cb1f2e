/*
 * The tables of PostgreSQL, made of their descriptions, and the indexes, which are written once, in the schema of
 * SQLite. There are no foreign keys: checking one would lock the account's row for each message.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allTables } from '../tables/all.ts';
import type { AnyColumn } from '../tables/column.ts';

/**
 * What every connection sets. Each query finds its rows by an index, one after another. Left to itself, PostgreSQL joined
 * a page of messages to half the table of parts: 370 ms with three million messages, instead of 2.
 */
export const connectionSettings: readonly string[] = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map(
  (way) => `set enable_${way} = off`,
);

const types: { readonly [T in AnyColumn['type']]: string } = {
  integer: 'bigint',
  flag: 'smallint',
  text: 'text',
  blob: 'bytea',
};

/** What only PostgreSQL has: the version of the operator's settings, and the check of the versions of rows. */
const clusterSchema = [
  'create table member (node bigint primary key, name text not null unique)',
  'create table setting (version bigint not null)',
  'insert into setting values (1)',
  `create function morsel_expect(counted bigint, wanted bigint) returns boolean language plpgsql as $$
begin
  if counted is distinct from wanted then
    raise exception 'a row was changed by another node' using errcode = 'MV001';
  end if;
  return true;
end $$`,
];

/** The statements that make the schema in an empty database of the collation C. */
export function postgresSchema(): string[] {
  const sqlite = readFileSync(join(import.meta.dirname, '..', 'migrations', '0001-schema.sql'), 'utf8');
  return [...allTables.map(tableSql), ...indexesIn(sqlite), ...clusterSchema];
}

function tableSql({ name, shape, key }: (typeof allTables)[number]): string {
  const columns = shape
    .columns()
    .map(([column, { type, isNullable }]) => `${column} ${types[type]}${isNullable ? '' : ' not null'}`);
  return `create table ${name} (${columns.join(', ')}, primary key (${key.names.join(', ')}))`;
}

/** The indexes. SQLite ends each with the key of its table; PostgreSQL needs that in writing. */
function indexesIn(sqlite: string): string[] {
  const indexes = sqlite.matchAll(/^create (unique )?index (\w+)\s+on (\w+) \(([^;]*?)\)( where [^;]*)?;$/gm);
  return [...indexes].map(([, unique = '', name, of, columns = '', where = '']) => {
    const key = allTables.find((table) => table.name === of)?.key.names ?? [];
    const rest = unique === '' ? key.filter((each) => !columns.split(', ').includes(each)) : [];
    return `create ${unique}index ${name} on ${of} (${[columns, ...rest].join(', ')})${where}`;
  });
}

/** The statement with the placeholders of PostgreSQL: `$1` for `?1`, and for the first `?`. */
export function toPostgres(sql: string): string {
  let last = 0;
  return sql.replaceAll(/'[^']*'|\?(\d*)/g, (found, number: string | undefined) => {
    if (number === undefined) return found;
    return `$${number === '' ? ++last : number}`;
  });
}
