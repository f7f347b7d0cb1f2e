import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { allTables } from '../../state/tables/all.ts';
import { postgresSchema } from './schema.ts';

/*
 * The schema of PostgreSQL says the same as the descriptions of tables and as the schema of SQLite. A failure shows the
 * lines that the schema must have.
 */

const types = { integer: 'bigint', flag: 'smallint', text: 'text collate "C"', blob: 'bytea' } as const;
const sqlite = readFileSync(join(import.meta.dirname, '..', 'migrations', '0001-schema.sql'), 'utf8');
const schema = postgresSchema().join('\n');
/** What only PostgreSQL has. */
const ownTables = ['answer', 'call', 'duty', 'member', 'morsel_schema', 'setting'];

describe('the schema of PostgreSQL', () => {
  it('has every table', () => {
    const names = [...schema.matchAll(/^create table (\w+)/gm)].map(([, name = '']) => name);
    assert.deepEqual(names.toSorted(), [...allTables.map(({ name }) => name), ...ownTables].toSorted());
  });

  for (const { name, shape, key } of allTables) {
    it(`has the columns of ${name}`, () => {
      const checks = checksOf(name);
      const columns = shape.columns().map(([column, { type, isNullable }]) => {
        const check = checks.get(column);
        return `  ${column} ${types[type]}${isNullable ? '' : ' not null'}${check === undefined ? '' : ` ${check}`},`;
      });
      const wanted = [...columns, `  primary key (${key.names.join(', ')})`];
      assert.deepEqual(linesOf(schema, name).toSorted(), wanted.toSorted());
    });
  }

  it('has the indexes', () => {
    assert.deepEqual(indexesOf(schema), indexesOf(sqlite).map(withKey).toSorted());
  });
});

function linesOf(sql: string, table: string): string[] {
  const [, body = ''] = new RegExp(`^create table ${table} \\(\\n(.*?)\\n\\)`, 'ms').exec(sql) ?? [];
  return body.split('\n').filter((line) => !line.trim().startsWith('--'));
}

/** The values that SQLite allows in columns. The one row of the process is its own. */
function checksOf(table: string): ReadonlyMap<string, string> {
  const checks = linesOf(sqlite, table).map((line) => /^ {2}(\w+) .*?(check \(.*\)),?$/.exec(line));
  return new Map(
    checks.flatMap((found) => (found && found[2] !== 'check (id = 1)' ? [[found[1] ?? '', found[2] ?? '']] : [])),
  );
}

function indexesOf(sql: string): string[] {
  const found = sql.matchAll(/^create (?:unique )?index [^;]*;$/gm);
  return [...found].map(([index]) => index.replaceAll(/\s+/g, ' ')).toSorted();
}

/** SQLite ends each index with the key of its table. PostgreSQL needs that in writing, so that pages are in order. */
function withKey(index: string): string {
  return index.replace(/^(create index \w+ on )(\w+) \((.*?)\)/, (_, start: string, of: string, columns: string) => {
    const key = allTables.find(({ name }) => name === of)?.key.names ?? [];
    const rest = key.filter((each) => !columns.split(', ').includes(each));
    return `${start}${of} (${[columns, ...rest].join(', ')})`;
  });
}
