/*
 * PostgreSQL behind a test store. All tests of a run share one server, which `test/run.ts` starts; a test file
 * that is run without it starts its own. Databases are emptied and used again: making one takes the time of ten tests.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Client } from 'pg';
import type { Command } from '../../../src/state/commands.ts';
import type { PostgresConnection } from '../../../src/store/postgres/wire/connection.ts';
import type { Found, Statement } from '../../../src/store/postgres/wire/flight.ts';
import { PostgresEngine } from '../../../src/store/postgres/engine.ts';
import { partitionSql, wholeRange } from '../../../src/store/postgres/partitions.ts';
import { PostgresQueries } from '../../../src/store/postgres/queries.ts';
import { postgresSchema, toPostgres } from '../../../src/store/postgres/schema.ts';
import type { Queries } from '../../../src/store/views/queries.ts';
import type { StorePlace } from '../../../src/store/writer.ts';
import { connectAt, connectTo, databaseOwner, Postgres, urlOf } from './postgres.ts';
import type { TestDatabase, TestRow, TestValue } from './test-database.ts';
import { testMasterKey, testVault } from './vault.ts';

/** The environment variable that names the server's folder to the processes of a test run. */
const folderVariable = 'MORSEL_TEST_POSTGRES';
const template = 'empty_store';
/** The name of node 0, for tests whose ids are counted 1, 2, 3…, as in SQLite. */
const countingNode = 'counting';
const countingRows = `insert into member (node, name) values (0, '${countingNode}');
  insert into node (id, last_message_id, lease, seen_at, last_cdr, groups) values (0, 0, 0, 0, 0, 0)`;

/** Empties all tables, and writes their first rows again. Only large tables are truncated, as this is slow. */
const emptying = `create schema first;
  do $$ declare name text; begin
    for name in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('create table first.%I as table public.%I', name, name);
    end loop;
  end $$;
  create function empty_all() returns void language plpgsql as $$ declare each record; begin
    set local session_replication_role = replica;
    set local lock_timeout = '5s';
    for each in select relname, pg_relation_size(oid) as octets from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format(case when each.octets > 200000 then 'truncate public.%I' else 'delete from public.%I' end, each.relname);
      execute format('insert into public.%I overriding system value select * from first.%I', each.relname, each.relname);
    end loop;
  end $$`;

interface Pooled {
  readonly name: string;
  readonly client: Client;
  /** The newest use of the database; the next one waits for it. */
  turn?: Promise<unknown>;
}

let server: Postgres | undefined;
/** The start of the server, in a test file that runs without the server of a run. */
let starting: Promise<void> | undefined;
const free: Pooled[] = [];
let made = 0;

/** For `test/run.ts`: starts the server that all tests of a run share. */
export async function globalSetup(): Promise<void> {
  server = await Postgres.start();
  const client = await connectAt(await server.makeDatabase('template template0', template));
  for (const sql of [...postgresSchema(), ...partitionSql(wholeRange)]) await ask(client, sql);
  await client.end();
  const superuser = await connectTo(server.folder, template);
  await ask(superuser, emptying);
  await superuser.end();
  process.env[folderVariable] = server.folder;
}

export async function globalTeardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]();
}

async function folderOfServer(): Promise<string> {
  if (process.env[folderVariable] === undefined) {
    starting ??= globalSetup().then(() => server?.unref());
    await starting;
  }
  return process.env[folderVariable] ?? assert.fail('the server has started');
}

/** The file in a data directory that names its database. The database is free once this file is gone. */
const markName = 'test-database';
/** The databases of gateways, by their data directory. */
const ofGateways = new Map<string, Pooled>();

/** The URL of the database of a gateway in this process. */
export async function databaseOf(dataDir: string): Promise<string> {
  const mark = join(dataDir, markName);
  if (!existsSync(mark)) {
    await freeUnused();
    const pooled = await takeDatabase();
    pooled.client.unref();
    ofGateways.set(dataDir, pooled);
    writeFileSync(mark, urlOf(await folderOfServer(), pooled.name));
  }
  return readFileSync(mark, 'utf8');
}

/** Empties the databases whose data directories were removed: the gateways of these have stopped. */
async function freeUnused(): Promise<void> {
  for (const [dataDir, pooled] of ofGateways) {
    if (existsSync(join(dataDir, markName))) continue;
    ofGateways.delete(dataDir);
    await giveBack(pooled);
  }
}

async function giveBack(pooled: Pooled): Promise<void> {
  pooled.client.ref();
  await ask(pooled.client, 'select empty_all()');
  pooled.client.unref();
  free.push(pooled);
}

/** Runs `act` on the database of a data directory. Calls wait for each other, as each may be a transaction. */
export function askDatabase<T>(dataDir: string, act: (client: Client) => Promise<T>): Promise<T> {
  const pooled = ofGateways.get(dataDir) ?? assert.fail(`a gateway had the data directory ${dataDir}`);
  const { client } = pooled;
  client.ref();
  const acted = (pooled.turn ?? Promise.resolve()).then(() => act(client));
  pooled.turn = acted.catch(() => undefined).finally(() => client.unref());
  return acted;
}

async function takeDatabase(): Promise<Pooled> {
  const folder = await folderOfServer();
  const known = free.pop();
  if (known) {
    known.client.ref();
    return known;
  }
  const name = `store_${process.pid}_${++made}`;
  const maker = await connectTo(folder);
  await ask(maker, `create database ${name} owner ${databaseOwner} template ${template}`);
  await maker.end();
  return { name, client: await connectTo(folder, name) };
}

/** The test's connection, with the methods of the gateway's connections. */
class SharedConnection implements Pick<PostgresConnection, 'ask' | 'send'> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async ask({ text, values }: Statement): ReturnType<PostgresConnection['ask']> {
    const { fields, rows } = await this.#client.query({ text, values: values ?? [], rowMode: 'array' });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our columns have these types only
    return { names: fields.map(({ name }) => name), found: rows as Found };
  }

  async send(statements: readonly Statement[]): Promise<Found[]> {
    const found: Found[] = [];
    for (const statement of statements) found.push((await this.ask(statement)).found);
    return found;
  }
}

/** Queries of a test, which run outside a transaction: PostgreSQL has no cursor there, so all rows come at once. */
class TestQueries extends PostgresQueries {
  override async *chunks<T>(...asked: Parameters<Queries['rows']>): AsyncIterable<readonly T[]> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a shape reads rows of its own type
    yield (await this.rows(...asked)) as readonly T[];
  }
}

/** An engine that sends the writes of a group of commands, and fails instead of the commit. */
class CrashingEngine extends PostgresEngine {
  protected override commit(flight: readonly Statement[]): Promise<Found[]> {
    return super.commit([...flight, { text: "do $$ begin raise 'a crash before the commit'; end $$" }]);
  }
}

export class PostgresTestDatabase implements TestDatabase {
  readonly place: Extract<StorePlace, { kind: 'postgres' }>;
  readonly #pooled: Pooled;
  #engine: PostgresEngine;

  private constructor(pooled: Pooled, place: PostgresTestDatabase['place'], engine: PostgresEngine) {
    this.#pooled = pooled;
    this.place = place;
    this.#engine = engine;
  }

  static async open(isCounting: boolean): Promise<PostgresTestDatabase> {
    const name = isCounting ? countingNode : 'node';
    const pooled = await takeDatabase();
    if (isCounting) await ask(pooled.client, countingRows);
    const url = urlOf(await folderOfServer(), pooled.name);
    const place = { kind: 'postgres', url, name, masterKey: testMasterKey } as const;
    return new PostgresTestDatabase(pooled, place, await PostgresEngine.open({ ...place, vault: testVault }));
  }

  get engine(): PostgresEngine {
    return this.#engine;
  }

  get queries(): Queries {
    return new TestQueries(new SharedConnection(this.#pooled.client), testVault);
  }

  async rows(sql: string, values: readonly TestValue[]): Promise<readonly TestRow[]> {
    const { fields, rows } = await ask(this.#pooled.client, toPostgres(sql), values);
    return rows.map((row) =>
      Object.fromEntries(fields.map(({ name, dataTypeID }, at) => [name, plain(row[at], dataTypeID)])),
    );
  }

  async run(sql: string, values: readonly TestValue[]): Promise<void> {
    await ask(this.#pooled.client, toPostgres(sql), values);
  }

  async force(sql: string): Promise<void> {
    // The role `replica` turns triggers off.
    await ask(this.#pooled.client, `begin; set local session_replication_role = replica; ${sql}; commit`);
  }

  async restart(): Promise<void> {
    await this.#engine.close();
    this.#engine = await PostgresEngine.open({ ...this.place, vault: testVault });
  }

  async crash(commands: readonly Command[]): Promise<void> {
    await this.#engine.close();
    const crashing = await CrashingEngine.open({ ...this.place, vault: testVault });
    await assert.rejects(crashing.apply(commands), /a crash/);
    await crashing.close();
    await this.restart();
  }

  /** PostgreSQL's schema has no foreign keys, so this looks for rows without their referred row. */
  async strays(): Promise<readonly TestRow[]> {
    return [];
  }

  async close(): Promise<void> {
    await this.#engine.close();
    await giveBack(this.#pooled);
  }
}

/** Runs a statement with values, or several statements without values. */
function ask(client: Client, text: string, values: readonly TestValue[] = []): Promise<Answer> {
  const rowMode = 'array';
  return client.query(values.length === 0 ? { text, rowMode } : { text, values, rowMode });
}

/** OIDs of types of PostgreSQL (src/include/catalog/pg_type.dat). */
const integers = [20, 21, 23, 1700];

function plain(value: unknown, type: number): TestValue {
  if (value === null || typeof value === 'string')
    return integers.includes(type) && value !== null ? Number(value) : value;
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  return value instanceof Uint8Array ? Uint8Array.from(value) : assert.fail(`a value of the type ${type}`);
}
