import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { after, before, describe, it } from 'node:test';
import type { DatabaseSync } from 'node:sqlite';
import { partitionSql } from '../../../src/store/postgres/partitions.ts';
import { connectionSettings, postgresSchema, toPostgres } from '../../../src/store/postgres/schema.ts';
import { allTables } from '../../../src/state/tables/all.ts';
import { PostgresConnection } from '../../../src/store/postgres/wire/connection.ts';
import { PostgresQueries } from '../../../src/store/postgres/queries.ts';
import { SqliteQueries } from '../../../src/store/sqlite/queries.ts';
import { readView } from '../../../src/store/views/views.ts';
import { writeNewDatabase } from '../../support/store/database.ts';
import { RecordedDatabase, type Asked } from '../../support/store/recorded-database.ts';
import { faultsOfPlan } from '../../support/store/rules/plan-faults.ts';
import { fillByChance } from '../../support/store/stored-rows.ts';
import { askAll, viewQuestions } from '../../support/store/view-questions.ts';
import { needsPostgres } from '../needs.ts';
import { databaseOwner, Postgres } from '../../support/store/postgres.ts';
import { testVault } from '../../support/store/vault.ts';

/*
 * Every query of the views runs in SQLite and in PostgreSQL on the same data, and must return the same rows: then the
 * views' answers are the same, too. The plan of neither engine may read a whole table.
 */

describe('PostgreSQL and SQLite return the same rows', needsPostgres, () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-views-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'stored.db');
  writeNewDatabase(file);
  const sqlite = new RecordedDatabase(file);
  fillByChance(sqlite, 1);
  let postgres: Postgres | undefined;
  let connection: PostgresConnection | undefined;
  before(async () => {
    postgres = await Postgres.start();
    const schema = postgresSchema().map((sql) => sql.replaceAll(rowsByChanceMay, ''));
    const role = `set role ${databaseOwner}`;
    for (const statement of [role, ...schema, ...halves, ...connectionSettings, avoidSorts])
      await postgres.query(statement);
    await copyRows(sqlite, postgres);
    connection = await PostgresConnection.open(postgres.url);
    sqlite.takeAsked();
  });
  after(async () => {
    sqlite.close();
    await connection?.close();
    await postgres?.[Symbol.asyncDispose]();
  });

  for (const [view, inputs] of Object.entries(Object.groupBy(viewQuestions, (each) => each.view))) {
    it(`of the view ${view}`, async () => {
      assert.ok(connection);
      const theirs = new PostgresQueries(connection, testVault);
      const ours = new SqliteQueries(sqlite, testVault);
      for (const question of inputs ?? []) {
        const wanted = await askAll((name, input) => ours.snapshot((from) => readView(from, name, input)), question);
        const found = await askAll((name, input) => theirs.snapshot((from) => readView(from, name, input)), question);
        assert.deepEqual(comparable(found), comparable(wanted));
      }
      await compare(view);
    });
  }

  const explained = new Set<string>();

  /** Runs in PostgreSQL the queries that SQLite has run since the last comparison. */
  async function compare(view: string): Promise<void> {
    assert.ok(postgres);
    const asked = sqlite.takeAsked().filter(({ sql }) => !isOfSqlite(sql));
    const faults = new Set<string>();
    // Different pages and messages often run the same query.
    const distinct = new Map(asked.map((each) => [`${each.sql} ${each.values.map(shown).join()}`, each]));
    for (const each of distinct.values()) {
      const difference = await differenceOf(postgres, each);
      if (difference !== undefined) faults.add(`${difference}: ${each.sql}`);
      if (difference !== undefined || explained.has(each.sql)) continue;
      explained.add(each.sql);
      for (const fault of faultsOfPlan(view, each.sql, await stepsOf(postgres, each))) faults.add(fault);
    }
    assert.deepEqual([...faults], []);
    assert.ok(
      asked.some(({ rows }) => rows.length > 0),
      'some rows were found',
    );
  }
});

/** Divides the rows into two partitions. */
const halves = [...partitionSql({ from: 'minvalue', to: 20 }), ...partitionSql({ from: 20, to: 'maxvalue' })];

/** Finds the checks of columns, which are removed because random rows violate them. */
const rowsByChanceMay = / check \(.*\)(?=,$)/gm;

/** Answers without what differs between the engines: the order of sums, and the number of guards. */
function comparable(answers: readonly unknown[]): unknown {
  return answers.map((answer) => {
    const { value = answer } = Object(answer);
    const { costs, stage, looked, ...rest } = Object(structuredClone(value));
    const sorted = Array.isArray(costs) ? costs.map((each) => inspect(each)).toSorted() : costs;
    return { sorted, stage, looked: stage === 'guards' ? null : looked, ...rest };
  });
}

/** Makes PostgreSQL avoid sorts: it would sort small tables instead of walking an index. */
const avoidSorts = 'set enable_sort = off';

/** Whether a query reads a table that only SQLite has. */
function isOfSqlite(sql: string): boolean {
  return sql.includes('sqlite_schema');
}

async function copyRows(from: DatabaseSync, to: Postgres): Promise<void> {
  for (const { name, shape } of allTables) {
    const select = from.prepare(`select ${shape.names.join(', ')} from ${name}`);
    select.setReadBigInts(true);
    const places = shape.names.map((_, index) => `$${index + 1}`).join(', ');
    const insert = `insert into ${name} (${shape.names.join(', ')}) values (${places})`;
    for (const row of select.all()) await to.query(insert, Object.values(row).map(valueOf));
  }
}

/** Runs a query in PostgreSQL. Returns how its rows differ from those of SQLite; undefined if they do not. */
async function differenceOf(postgres: Postgres, asked: Asked): Promise<string | undefined> {
  try {
    const { fields, rows } = await postgres.query(toPostgres(asked.sql), asked.values.map(valueOf));
    const own = asked.columns.map((column) => column.toLowerCase());
    const names = fields.map(({ name }) => name);
    // The engines give different names to a column that the query does not name.
    const isNamed = own.every((name) => names.includes(name));
    const places = own.map((name, place) => (isNamed ? names.lastIndexOf(name) : place));
    const theirs = rows
      .slice(0, asked.isFirst ? 1 : rows.length)
      .map((row) => places.map((place) => shown(row[place])));
    const ours = asked.rows.map((row) => row.map(shown));
    assert.deepEqual(inOrder(asked.sql, theirs), inOrder(asked.sql, ours));
    return undefined;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}

async function stepsOf(postgres: Postgres, { sql, values }: Asked): Promise<string[]> {
  const { rows } = await postgres.query(`explain ${toPostgres(sql)}`, values.map(valueOf));
  return rows.map(([step]) => String(step));
}

/** The rows as texts, sorted if the query gives no order: such rows may come in any order. */
function inOrder(sql: string, rows: readonly (readonly string[])[]): string[] {
  const lines = rows.map((row) => row.join(' | '));
  return sql.includes('order by') ? lines : lines.toSorted();
}

/** A value in the form that the package `pg` takes. */
function valueOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** A value as text, the same for the form of each engine. */
function shown(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
