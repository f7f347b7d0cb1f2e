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
import { faultsOfPlan } from '../../support/store/plan-faults.ts';
import { fillByChance } from '../../support/store/stored-rows.ts';
import { askAll, viewQuestions } from '../../support/store/view-questions.ts';
import { needsPostgres } from '../needs.ts';
import { Postgres } from '../../support/store/postgres.ts';
import { testVault } from '../../support/store/vault.ts';

/*
 * Every query of the views runs in SQLite and in PostgreSQL, over the same rows, and must return the same. What the
 * code makes of these rows is then the same, too. Both have a plan that reads no whole table.
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
    for (const statement of [...schema, ...halves, ...connectionSettings, avoidSorts]) await postgres.query(statement);
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

  /** Asks PostgreSQL what SQLite was asked since the last comparison. */
  async function compare(view: string): Promise<void> {
    assert.ok(postgres);
    const asked = sqlite.takeAsked().filter(({ sql }) => !isOfSqlite(sql));
    const faults = new Set<string>();
    // Pages and messages have many questions in common.
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

/** The rows are in two partitions. */
const halves = [...partitionSql({ from: 'minvalue', to: 20 }), ...partitionSql({ from: 20, to: 'maxvalue' })];

/** The checks of values in columns. */
const rowsByChanceMay = / check \(.*\)(?=,$)/gm;

/** Answers without what each engine has in its own way: the order of sums, and the number of guards. */
function comparable(answers: readonly unknown[]): unknown {
  return answers.map((answer) => {
    const { value = answer } = Object(answer);
    const { costs, stage, looked, ...rest } = Object(structuredClone(value));
    const sorted = Array.isArray(costs) ? costs.map((each) => inspect(each)).toSorted() : costs;
    return { sorted, stage, looked: stage === 'guards' ? null : looked, ...rest };
  });
}

/** In small tables PostgreSQL sorts instead of walking an index. */
const avoidSorts = 'set enable_sort = off';

/** Queries of what only SQLite has. PostgreSQL will have its own, beside its engine. */
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

/** What PostgreSQL does with a query that SQLite has answered, if it is not the same. */
async function differenceOf(postgres: Postgres, asked: Asked): Promise<string | undefined> {
  try {
    const { fields, rows } = await postgres.query(toPostgres(asked.sql), asked.values.map(valueOf));
    const own = asked.columns.map((column) => column.toLowerCase());
    const names = fields.map(({ name }) => name);
    // A column without a name of its own has another one in each engine.
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

/** The rows of a query without an order may come in any. */
function inOrder(sql: string, rows: readonly (readonly string[])[]): string[] {
  const lines = rows.map((row) => row.join(' | '));
  return sql.includes('order by') ? lines : lines.toSorted();
}

/** As `pg` takes it. */
function valueOf(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value instanceof Uint8Array ? Buffer.from(value) : value;
}

/** One text for a value, however an engine returns it. */
function shown(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}
