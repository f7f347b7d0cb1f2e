/*
 * The plans of all statements with which a node writes and keeps its lease, while everything happens to it once, on a
 * database with many messages: none may read a whole table. `postgres.test.ts` looks at the queries of views.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { masterKeyName } from '../../../src/state/sealing/master-key.ts';
import { moveStore } from '../../../src/store/move/move.ts';
import { PostgresSide } from '../../../src/store/move/postgres-side.ts';
import { SqliteSide } from '../../../src/store/move/sqlite-side.ts';
import { live } from '../../releases/life.ts';
import { writeManyMessages } from '../../support/gateway/many-messages.ts';
import { toJson } from '../../support/json.ts';
import { Postgres } from '../../support/store/postgres.ts';
import { testMasterKey } from '../../support/store/vault.ts';
import { makeFolder, needsPostgres } from '../needs.ts';

const thousands = 10;
const accounts = 1_000;
/** The most rows that one step of a statement may read: two batches of a sweep. */
const readMax = 1_000;

/** The server writes the plan of each statement into its log, also of statements in functions. */
const logging = [
  'logging_collector=on',
  'log_destination=jsonlog',
  'log_filename=plans',
  'shared_preload_libraries=auto_explain',
  'auto_explain.log_format=json',
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_nested_statements=on',
];

/** Tables with few rows however long a gateway runs, which may be read whole. */
const small = new Set([
  'setting',
  'node',
  'member',
  'duty',
  'morsel_schema',
  // Their rows are kept for a while only.
  'alarm',
  'alarm_notice',
  'alarm_report',
  'inbound_repeat',
  'job',
  // They have a row for each price list or its version, and for each account and rule.
  'price_list',
  'price_import',
  'price_list_version',
  'rule_hit',
]);

interface Step {
  readonly kind: string;
  readonly table: string;
  readonly read: number;
}

interface Plan {
  readonly pid: unknown;
  readonly statement: string;
  readonly steps: readonly Step[];
}

/** A step of a plan, with the steps below it. The rows are a mean of its loops. */
function stepsOf(plan: object): readonly Step[] {
  const step = toJson(plan);
  const number = (name: string) => Number(step[name] ?? 0);
  const below = Array.isArray(step['Plans']) ? step['Plans'].flatMap(stepsOf) : [];
  // A step that reads only an index has its name, which begins with that of the table.
  const table = step['Relation Name'] ?? step['Index Name'];
  if (typeof table !== 'string') return below;
  const rows = number('Actual Rows') + number('Rows Removed by Filter') + number('Rows Removed by Index Recheck');
  return [{ kind: String(step['Node Type']), table, read: rows * number('Actual Loops') }, ...below];
}

function plansIn(log: string): readonly Plan[] {
  return log.split('\n').flatMap((line) => {
    if (!line.includes('plan:\\n')) return [];
    const { pid, message } = toJson(JSON.parse(line));
    const text = String(message);
    const plan = toJson(JSON.parse(text.slice(text.indexOf('\n'))));
    return [{ pid, statement: String(plan['Query Text']), steps: stepsOf(Object(plan['Plan'])) }];
  });
}

/** Moves a database with many messages to PostgreSQL, beside which `live` can make its accounts, carriers and routes. */
async function fill(postgres: Postgres): Promise<void> {
  using folder = makeFolder();
  await writeManyMessages(join(folder.path, 'morsel.db'), thousands);
  const masterKey = join(folder.path, masterKeyName);
  const place = { folder: folder.path, masterKey, at: Date.now(), aheadMaxMs: Number.MAX_SAFE_INTEGER };
  await using source = SqliteSide.open(place, { mayBeNew: false });
  await using target = await PostgresSide.open({ url: postgres.url, masterKey }, { mayBeNew: true });
  await moveStore({ source, target, progress: () => undefined });
  for (const sql of [
    ...['account', 'carrier'].map((table) => `update ${table} set name = 'old-' || name`),
    ...['route_carrier', 'route'].map((table) => `delete from ${table}`),
    `do $$ declare columns text; begin
      select string_agg(case attname when 'id' then '1000 + k' when 'name' then 'name || k' else attname end, ', ' order by attnum)
        into columns from pg_attribute where attrelid = 'account'::regclass and attnum > 0;
      execute format('insert into account select %s from account cross join generate_series(1, ${accounts}) as k where id = 1', columns);
    end $$`,
    'analyze',
  ])
    await postgres.query(sql);
}

it('no statement of a node reads a whole table that grows', needsPostgres, async () => {
  await using postgres = await Postgres.start({ settings: ['fsync=off', 'autovacuum=off', ...logging] });
  await fill(postgres);
  await postgres.query('alter system set auto_explain.log_min_duration = 0');
  await postgres.query('select pg_reload_conf()');
  const environment = {
    MORSEL_DATABASE_URL: postgres.url,
    MORSEL_MASTER_KEY_FILE: testMasterKey,
    // The messages are from a fixed day, long before.
    MORSEL_CLOCK_AHEAD_HOURS: '87600',
  };
  const tour = await live({ environment });
  await tour.simulator.close();
  const plans = plansIn(readFileSync(join(postgres.folder, 'data', 'log', 'plans.json'), 'utf8'));
  const writers = new Set(
    plans.flatMap(({ pid, statement }) => (/^with fenced|^update member/.test(statement) ? [pid] : [])),
  );
  const faults = new Map<string, string>();
  const tables = new Set<string>();
  const statements = new Set<string>();
  for (const { pid, statement, steps } of plans) {
    if (!writers.has(pid)) continue;
    statements.add(statement);
    for (const { kind, table, read } of steps) {
      tables.add(table.replace(/_from_.*/, ''));
      const isWhole = kind === 'Seq Scan' && !small.has(table);
      if (isWhole || read > readMax) faults.set(statement, `${kind} of ${table} reads ${read} rows: ${statement}`);
    }
  }
  assert.deepEqual([...faults.values()], []);
  assert.ok(statements.size > 150, `${statements.size} statements`);
  for (const table of [
    'account',
    'message',
    'part',
    'attempt',
    'queue',
    'entry',
    'cdr',
    'notification',
    'inbound',
    'doubt',
  ])
    assert.ok(tables.has(table), `a statement reads or writes ${table}`);
});
