import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { firstIdAt } from '../../../src/core/base/message-id.ts';
import { Journal } from '../../../src/store/journal.ts';
import { PostgresConnection, sqlStateOf } from '../../../src/store/postgres/wire/connection.ts';
import { entryGuardsFound } from '../../../src/store/postgres/queries.ts';
import {
  keepPartitions,
  keepSchema,
  migrateDatabase,
  openSchema,
  readMigrations,
  type Migration,
} from '../../../src/store/postgres/migrate.ts';
import { StoreRefused } from '../../../src/state/sealing/refused.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { connectTo, Postgres } from '../../support/store/postgres.ts';
import { needsPostgres } from '../needs.ts';
import { testMasterKey } from '../../support/store/vault.ts';

/* A gateway makes the schema in PostgreSQL, migrates it, and refuses databases that it cannot use. */

const [first] = readMigrations();
assert.ok(first);
/** A migration that adds a column: older programs may still run. */
const expand: Migration = { sql: 'alter table number add column note text', oldestProgram: 1, isContract: false };
/** A migration that removes a column, which programs older than `expand` use. */
const contract: Migration = { sql: 'alter table number drop column kind', oldestProgram: 2, isContract: true };

describe('the schema in PostgreSQL', needsPostgres, () => {
  let server: Postgres | undefined;
  let open: PostgresConnection[] = [];
  before(async () => {
    server = await Postgres.start();
  });
  afterEach(async () => {
    await Promise.all(open.map((connection) => connection.close()));
    open = [];
  });
  after(() => server?.[Symbol.asyncDispose]());

  const makeDatabase = (options = '') => (server ?? assert.fail('it runs')).makeDatabase(options);

  async function connect(url: string): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(url);
    open.push(connection);
    return connection;
  }

  it('is made once by nodes that start at the same moment', async () => {
    const url = await makeDatabase();
    const [warnings = []] = await Promise.all([url, url, url].map((each) => openSchema(each)));
    assert.match(warnings.join(), /fsync = off/, 'the server of this test waits for no disk');
    assert.match(warnings.join(), /autovacuum = off: its tables grow without end, .*Set autovacuum = on/);
    await keepSchema(url);
    assert.equal(await valueOf(await connect(url), 'select version from morsel_schema'), '1');
  });

  it('is made when the journal opens, and the journal reports how durable a commit is', async () => {
    const place = { kind: 'postgres', url: await makeDatabase(), name: 'first', masterKey: testMasterKey } as const;
    await using journal = await Journal.open({ place, onFatal: assert.fail, onFault: assert.fail });
    const { engine, commitSettings, warnings } = journal.durability;
    assert.equal(engine, 'PostgreSQL');
    assert.equal(commitSettings, 'synchronous_commit on, fsync off, synchronous_standby_names empty');
    assert.match(warnings.join('\n'), /fsync = off.*\nPostgreSQL runs without a synchronous standby/s);
    assert.ok((await journal.append<'begin'>({ kind: 'begin', at: Date.UTC(2026, 0, 1) })).ok);
  });

  it('is made beside an extension, but not among the tables of another program', async () => {
    const url = await makeDatabase();
    const connection = await connect(url);
    assert.ok(server);
    const superuser = await connectTo(server.folder, new URL(url).pathname.slice(1));
    await superuser.query('create extension pg_stat_statements');
    await superuser.end();
    await run(connection, 'create table theirs (id int)');
    await refuses(() => openSchema(url), /d\d+ has tables of another program/);
    await run(connection, 'drop table theirs');
    await openSchema(url);
  });

  it('is refused in a database of another encoding', async () => {
    const url = await makeDatabase(
      "encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' locale_provider libc template template0",
    );
    await refuses(() => openSchema(url), /encoding LATIN1, and Morsel needs UTF8/);
  });

  it('is migrated in order, and a failed migration changes nothing', async () => {
    const connection = await connect(await makeDatabase());
    await migrateDatabase(connection);
    await run(connection, "insert into number (digits, kind, number, created_at) values ('46', 'number', '46', 0)");
    const broken = { ...expand, sql: `${expand.sql}; select 1 / 0` };
    await assert.rejects(migrateDatabase(connection, [first, broken]), (fault) => sqlStateOf(fault) === '22012');
    assert.deepEqual(await migrateDatabase(connection, [first, expand, contract]), []);
    assert.equal(await valueOf(connection, 'select version from morsel_schema'), '3');
    assert.equal(await valueOf(connection, 'select digits from number where note is null'), '46');
  });

  it('keeps columns that an older node uses, until that node has stopped', async () => {
    const connection = await connect(await makeDatabase());
    await migrateDatabase(connection);
    await run(connection, "insert into member (node, name, program, is_stopped) values (4, 'old', 1, false)");
    assert.deepEqual(await migrateDatabase(connection, [first, expand, contract]), ['old']);
    assert.equal(await valueOf(connection, 'select version from morsel_schema'), '2');
    assert.deepEqual(await migrateDatabase(connection, [first]), [], 'the older program starts again meanwhile');
    const more = { ...expand, sql: 'alter table number add column more text' };
    await refuses(() => migrateDatabase(connection, [first, expand, contract, more]), /nodes old run a program/);
    await run(connection, "update member set renewed_at = now() - interval '1 minute'");
    assert.deepEqual(await migrateDatabase(connection, [first, expand, contract]), []);
    await refuses(() => migrateDatabase(connection, [first]), /version 3, which needs a program that knows version 2/);
  });

  it('is migrated although it must wait for a lock, and traffic goes on meanwhile', async () => {
    const url = await makeDatabase();
    const [connection, reader, writer] = [await connect(url), await connect(url), await connect(url)];
    await migrateDatabase(connection);
    await run(reader, 'begin', 'select count(*) from number');
    const migrated = migrateDatabase(connection, [first, expand]);
    const waiting = 'select count(*) from pg_locks where not granted';
    await waitUntil('the migration waits', async () => (await valueOf(writer, waiting)) !== '0');
    // This statement gets its lock once the migration has given up its first attempt.
    await run(writer, "insert into number (digits, kind, number, created_at) values ('46', 'number', '46', 0)");
    await run(reader, 'commit');
    assert.deepEqual(await migrated, []);
  });

  it('is partitioned by time, and each run adds only missing partitions', async () => {
    const connection = await connect(await makeDatabase());
    await migrateDatabase(connection);
    const now = Date.UTC(2026, 10, 23);
    const bounds = async () => {
      const [found = []] = await connection.send([{ text: boundsSql }]);
      return Object.groupBy(found, ([table]) => String(table));
    };
    await keepPartitions(connection, now);
    const { message = [], ...others } = await bounds();
    // While there is no account, a partition has a day.
    const ends = Array.from({ length: 5 }, (_, day) => firstIdAt(now + day * 24 * 60 * 60_000));
    assert.deepEqual(
      message.map(([, bound]) => bound),
      ['MINVALUE', ...ends.slice(0, -1).map((id) => `'${id}'`)].map(
        (from, at) => `FOR VALUES FROM (${from}) TO ('${ends[at]}')`,
      ),
    );
    for (const [table, own = []] of Object.entries(others)) {
      assert.deepEqual(
        own.map(([, bound]) => bound),
        message.map(([, bound]) => bound),
        table,
      );
    }
    await keepPartitions(connection, now);
    assert.equal((await bounds())['part']?.length, 5);
    // After half a year without a call, one partition covers that time.
    await keepPartitions(connection, now + 26 * 7 * 24 * 60 * 60_000);
    assert.equal((await bounds())['part']?.length, 10);
    await run(connection, note(1), note(firstIdAt(now)));
  });

  it('gets new partitions while transactions that read and write are open', async () => {
    const url = await makeDatabase();
    const [connection, other] = [await connect(url), await connect(url)];
    await openSchema(url);
    await run(other, 'begin', 'select count(*) from message', note(1));
    await keepPartitions(connection, Date.UTC(2030, 0, 1));
    await run(other, note(2), 'commit');
    assert.equal(await valueOf(connection, 'select count(*) from note'), '2');
  });

  it('protects the entries of the ledger, and reports when this protection was switched off', async () => {
    const connection = await connect(await makeDatabase());
    await migrateDatabase(connection);
    const guards = async () =>
      (await connection.send([{ text: entryGuardsFound.sql }]))[0]?.map(([, , found]) => found);
    assert.deepEqual(await guards(), ['whole', 'whole', 'whole']);
    await run(
      connection,
      `insert into entry (id, account, kind, amount, balance_after, messages, reason, actor, created_at, parts)
        values (1, 1, 'topup', 1, 1, 0, '', '', 0, 0)`,
    );
    for (const sql of ['update entry set amount = 2', 'delete from entry', 'truncate entry']) {
      await assert.rejects(run(connection, sql), /entries of the ledger cannot be changed or deleted/);
    }
    await run(
      connection,
      'alter table entry disable trigger entry_is_never_changed',
      'drop trigger entry_is_never_removed on entry',
    );
    assert.deepEqual(await guards(), ['changed', 'missing', 'whole']);
    await run(
      connection,
      'alter table entry enable trigger all',
      'create or replace function entry_is_final() returns trigger language plpgsql as $$ begin return new; end $$',
    );
    assert.deepEqual(await guards(), ['changed', 'missing', 'changed']);
  });
});

const boundsSql = `select inhparent::regclass, pg_get_expr(relpartbound, oid) from pg_inherits join pg_class on oid = inhrelid
  where relkind = 'r' order by 1, length(relname), relname`;

/** A row of a table with partitions. */
function note(id: number): string {
  return `insert into note (id, message, at, kind, detail) values (${id}, 1, 0, 'canceled', '')`;
}

async function run(connection: PostgresConnection, ...statements: string[]): Promise<void> {
  await connection.send(statements.map((text) => ({ text })));
}

async function valueOf(connection: PostgresConnection, text: string): Promise<unknown> {
  return (await connection.send([{ text }]))[0]?.[0]?.[0];
}

async function refuses(open: () => Promise<unknown>, says: RegExp): Promise<void> {
  await assert.rejects(open, (fault) => fault instanceof StoreRefused && says.test(fault.message));
}
