/*
 * Makes the schema, or migrates the schema of an older program. Nodes of two versions run on one database during an
 * upgrade. So a migration says which programs may run after it, and may wait until older programs have stopped.
 */

import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { usualSilentMs } from '../../core/nodes/members.ts';
import { markInPostgres, refuseMark } from '../move/mark.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { PostgresConnection, sqlStateOf } from './wire/connection.ts';
import { attachMissing } from './partitions.ts';
import { postgresSchema } from './schema.ts';

/** A change of the schema, numbered by its place in the list. A program knows the migrations of its release. */
export interface Migration {
  readonly sql: string;
  /** The number of migrations of the oldest program that may run after this migration. */
  readonly oldestProgram: number;
  /** The migration removes things that only older programs need, so it waits while older programs run. */
  readonly isContract: boolean;
}

type Sends = Pick<PostgresConnection, 'send' | 'run'>;

/** The advisory lock of migrations: `MorselS` in ASCII. */
export const schemaLock = '21796110559702099';

/** Waiting for a lock ends after this time, so that other statements do not queue behind it for long. */
const lockLimit = '2s';
/** How often a starting gateway tries to get a lock: for some minutes. */
const lockTriesMax = 100;

/** SQL: whether the node runs, or may still run. */
const isLiving = `not is_stopped and renewed_at > now() - interval '${usualSilentMs / secondMs} s'`;

/** SQLSTATEs (appendix A of PostgreSQL's manual): a lock was not available in time, a deadlock; a missing privilege. */
const lockFailures = ['55P03', '40P01'];
const noPrivilege = '42501';

/** The time limit of a migration: with a large table it may take hours. */
const migrationLimitMs = 24 * 60 * 60_000;

/**
 * Prepares the schema on its own connection. Returns warnings for the operator. Throws `StoreRefused` if the database
 * is unusable.
 */
export async function openSchema(url: string, { isMove = false } = {}): Promise<readonly string[]> {
  return prepareOnce(url, { tries: lockTriesMax, isMove });
}

/** Prepares the schema of a running gateway. It is called each hour, so one failure does not matter. */
export async function keepSchema(url: string): Promise<void> {
  await prepareOnce(url, { tries: 1, isMove: false });
}

async function prepareOnce(
  url: string,
  { tries, isMove }: { readonly tries: number; readonly isMove: boolean },
): Promise<readonly string[]> {
  await using connection = await PostgresConnection.open(url, [], { limitMs: migrationLimitMs });
  if (await connection.isPooled()) throw new StoreRefused(noPooler);
  const warnings = await prepare(connection, tries);
  if (!isMove) refuseMark(await markInPostgres(connection), 'postgres');
  return warnings;
}

const noPooler =
  'a connection pooler, such as PgBouncer, stands before the server, and would mix up locks, prepared statements and notifications of the gateway: set MORSEL_DATABASE_URL to the server itself';

/** SQL: the clock of the database, in milliseconds. */
const clockSql = 'select (extract(epoch from now()) * 1000)::bigint';

/** Makes partitions for the next weeks. Call it regularly: it does nothing while they exist. */
export function keepPartitions(connection: Sends, now: Instant, tries = lockTriesMax): Promise<void> {
  return inTransaction(connection, () => attachMissing(connection, now), tries);
}

async function prepare(connection: Sends, tries: number): Promise<readonly string[]> {
  const warnings = await checkServer(connection);
  const nodes = await migrateDatabase(connection, readMigrations(), tries);
  await keepPartitions(connection, Number(await one(connection, clockSql)), tries);
  if (nodes.length === 0) return warnings;
  return [...warnings, `the schema keeps what only the older nodes ${nodes.join(', ')} use, until they are upgraded`];
}

export function readMigrations(): Migration[] {
  return postgresSchema().map((sql) => ({
    sql,
    oldestProgram: Number(/^-- oldest program: (\d+)$/m.exec(sql)?.[1] ?? 1),
    isContract: /^-- contract$/m.test(sql),
  }));
}

/**
 * Migrates the database. If several nodes call it at once, one migrates, and the others wait. Returns the nodes that a
 * migration still waits for. Throws `StoreRefused` with a sentence for the operator.
 */
export async function migrateDatabase(
  connection: Sends,
  migrations = readMigrations(),
  tries = lockTriesMax,
): Promise<readonly string[]> {
  for (;;) {
    const step = await inTransaction(connection, () => migrateOnce(connection, migrations), tries);
    if (step.kind === 'migrated') continue;
    return step.kind === 'waits' ? step.nodes : [];
  }
}

type Step = { readonly kind: 'current' | 'migrated' } | { readonly kind: 'waits'; readonly nodes: readonly string[] };

async function migrateOnce(connection: Sends, migrations: readonly Migration[]): Promise<Step> {
  const present = await presentVersion(connection, migrations.length);
  const next = migrations[present];
  if (!next) return { kind: 'current' };
  const nodes = present === 0 ? [] : await livingNodes(connection, next.oldestProgram);
  if (nodes.length > 0) {
    if (migrations.slice(present).every(({ isContract }) => isContract)) return { kind: 'waits', nodes };
    throw new StoreRefused(
      `the nodes ${nodes.join(', ')} run a program that is too old to run beside this one: upgrade them to the release before this one, or stop them`,
    );
  }
  const store = 'update morsel_schema set version = $1, oldest_program = greatest(oldest_program, $2)';
  await connection.run(next.sql);
  await connection.send([{ text: store, values: [present + 1, next.oldestProgram] }]);
  return { kind: 'migrated' };
}

/** The version of the schema; 0 for an empty database. Refuses a database that this program cannot use. */
async function presentVersion(connection: Sends, known: number): Promise<number> {
  if ((await one(connection, "select to_regclass('morsel_schema')::text")) === null) {
    // Tables that an extension made, such as pg_stat_statements, are not counted.
    const others = `select count(*) from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = oid and deptype = 'e')`;
    if (Number(await one(connection, others)) === 0) return 0;
    const name = String(await one(connection, 'select current_database()'));
    throw new StoreRefused(
      `the database ${name} has tables of another program: set MORSEL_DATABASE_URL to an empty database`,
    );
  }
  const present = Number(await one(connection, 'select version from morsel_schema'));
  if (present <= known) return present;
  const oldest = Number(await one(connection, 'select oldest_program from morsel_schema'));
  if (oldest <= known) return known;
  throw new StoreRefused(
    `the database has version ${present}, which needs a program that knows version ${oldest}, and this program knows versions up to ${known}: run the newer program that migrated it, or restore an older backup`,
  );
}

/** The names of nodes that run, or may still run: all, or those with a program older than `below`. */
export async function livingNodes(connection: Sends, below: number | null = null): Promise<string[]> {
  const text = `select name from member where ($1::bigint is null or program < $1) and ${isLiving} order by name`;
  const [found = []] = await connection.send([{ text, values: [below] }]);
  return found.map(([name]) => String(name));
}

async function one(connection: Sends, text: string): Promise<unknown> {
  const [[row] = []] = await connection.send([{ text }]);
  return row?.[0] ?? null;
}

async function inTransaction<T>(connection: Sends, run: () => Promise<T>, triesMax: number): Promise<T> {
  const begin = [
    'begin',
    `set local lock_timeout = '${lockLimit}'`,
    // A limit for queries that an operator may have set is lifted.
    'set local statement_timeout = 0',
    `select pg_advisory_xact_lock(${schemaLock})`,
  ];
  for (let tries = 1; ; tries++) {
    try {
      await connection.send(begin.map((text) => ({ text })));
      const result = await run();
      await connection.send([{ text: 'commit' }]);
      return result;
    } catch (fault) {
      // A lost connection has no transaction to roll back.
      await connection.send([{ text: 'rollback' }]).catch(() => undefined);
      const state = sqlStateOf(fault) ?? '';
      if (state === noPrivilege) throw await unprivileged(connection);
      if (!lockFailures.includes(state)) throw fault;
      if (tries === triesMax) {
        throw new StoreRefused(
          'the schema of the database cannot be locked: look for another program or a long transaction that uses its tables (pg_stat_activity), end it and start again',
        );
      }
      // This lets statements that waited behind the lock go on.
      await connection.send([{ text: 'select pg_sleep(0.5)' }]);
    }
  }
}

async function unprivileged(connection: Sends): Promise<StoreRefused> {
  const [[[user, database] = []] = []] = await connection.send([{ text: 'select current_user, current_database()' }]);
  return new StoreRefused(
    `the user ${String(user)} may not make tables in the database ${String(database)}: make it the owner (alter database ${String(database)} owner to ${String(user)})`,
  );
}

/** The oldest PostgreSQL that the gateway is tested with. */
const oldestServer = 150_000;

/** What happens when one of these settings of the server is off. */
const safeguards = {
  fsync: 'a crash of its machine loses accepted messages',
  full_page_writes: 'a crash of its machine can damage the database, unless its file system never writes half a page',
  autovacuum: 'its tables grow without end, and each message becomes slower',
} as const;

const noStandby =
  'PostgreSQL runs without a synchronous standby: the loss of its machine loses accepted messages. Set up a standby, and set synchronous_standby_names (docs/nodes.md)';

async function checkServer(connection: Sends): Promise<readonly string[]> {
  const settings = [
    'server_version_num',
    'server_version',
    'server_encoding',
    'synchronous_standby_names',
    ...Object.keys(safeguards),
  ];
  const text = `select pg_is_in_recovery(), current_database(), ${settings.map((name) => `current_setting('${name}')`).join(', ')}`;
  const [[[isStandby, database, number, version, encoding, standbys, ...safe] = []] = []] = await connection.send([
    { text },
  ]);
  if (Number(number) < oldestServer) {
    throw new StoreRefused(
      `the server runs PostgreSQL ${String(version)}, and Morsel needs PostgreSQL 15 or newer: upgrade the server`,
    );
  }
  if (String(isStandby) === 'true') {
    throw new StoreRefused(
      'the server is a standby, which takes no writes: set MORSEL_DATABASE_URL to the primary server',
    );
  }
  if (encoding !== 'UTF8') {
    throw new StoreRefused(
      `the database ${String(database)} has the encoding ${String(encoding)}, and Morsel needs UTF8: make one with "create database morsel encoding 'UTF8' template template0"`,
    );
  }
  const off = Object.entries(safeguards).flatMap(([name, harm], at) =>
    safe[at] === 'on' ? [] : [`PostgreSQL runs with ${name} = off: ${harm}. Set ${name} = on`],
  );
  return standbys === '' ? [...off, noStandby] : off;
}
