import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MoveStep, Moving } from '../../../src/store/move/check.ts';
import { moveStore, type Moved } from '../../../src/store/move/move.ts';
import { PostgresSide } from '../../../src/store/move/postgres-side.ts';
import { movedTables, rowsAfter, lineOf, type Side } from '../../../src/store/move/side.ts';
import { SqliteSide } from '../../../src/store/move/sqlite-side.ts';
import { openSchema } from '../../../src/store/postgres/migrate.ts';
import { StoreRefused } from '../../../src/state/sealing/refused.ts';
import { Chance } from '../../support/chance.ts';
import { Child, type Ended } from '../../support/gateway/child.ts';
import { writeNewDatabase } from '../../support/store/database.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { toJson } from '../../support/json.ts';
import { writeManyMessages } from '../../support/gateway/many-messages.ts';
import { connectAt, Postgres } from '../../support/store/postgres.ts';
import { alterStore } from '../../support/store/store-file.ts';
import { fillByChance } from '../../support/store/stored-rows.ts';
import { needsPostgres } from '../needs.ts';
import { masterKeyName } from '../../../src/state/sealing/master-key.ts';
import { testMasterKey } from '../../support/store/vault.ts';

/* `morsel move`: all rows are the same in the target, whenever the move is killed; and what the move refuses. */

const at = Date.UTC(2026, 0, 2);
const kills = 6;

describe('morsel move', needsPostgres, () => {
  const root = mkdtempSync(join(tmpdir(), 'morsel-move-'));
  const many = join(root, 'many.db');
  const few = join(root, 'few.db');
  let server: Postgres;
  let made = 0;
  before(async () => {
    server = await Postgres.start();
    await writeManyMessages(many, 10);
    await writeManyMessages(few, 1);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  function makeFolder(file?: string): string {
    const folder = join(root, `folder-${++made}`);
    mkdirSync(folder, { mode: 0o700 });
    if (file !== undefined) cpSync(file, join(folder, 'morsel.db'));
    cpSync(testMasterKey, join(folder, masterKeyName));
    return folder;
  }

  const makeDatabase = () => server.makeDatabase();

  it('moves random rows to PostgreSQL and back, and all are the same', async () => {
    const folder = makeFolder();
    const file = join(folder, 'morsel.db');
    writeNewDatabase(file);
    {
      using database = new DatabaseSync(file);
      fillByChance(database, 1);
      // Claimed parts are put back, because a start would set them in doubt.
      database.exec(`update part set claim_link = null, claim_lease = null, claim_at = null, claim_is_whole = null;
        update node set inbound_answered = null, lease = id`);
    }
    const url = await makeDatabase();
    await openSchema(url);
    await query(
      url,
      `do $$ declare c record; begin
        for c in select conrelid::regclass as name, conname from pg_constraint where contype = 'c' and conparentid = 0 and conrelid <> 0 loop
          execute format('alter table %s drop constraint if exists %I', c.name, c.conname);
        end loop; end $$`,
    );
    const there = await moved(folder, url);
    const first = await rowsIn(folder);
    assert.equal(Object.keys(there.rows).length, movedTables.length);
    assert.ok(
      Object.values(there.rows).every((count) => count > 0),
      JSON.stringify(there.rows),
    );
    const back = makeFolder();
    const again = await moved(back, url, { isBack: true });
    assert.deepEqual(again.rows, there.rows);
    // Every node has a new lease.
    const others = movedTables.filter(({ name }) => name !== 'node');
    for (const [table, rows] of await rowsIn(back, others)) assert.equal(rows, first.get(table), table);
  });

  it('continues where it was killed, at any moment, and no gateway starts on an incomplete copy', async () => {
    const chance = new Chance(7);
    for (const isBack of [false, true]) {
      const [folder, url] = [makeFolder(isBack ? undefined : many), await makeDatabase()];
      if (isBack) await moved(makeFolder(many), url);
      const words = isBack ? ['--back'] : [];
      let ended: Ended | undefined;
      for (let kill = 0; kill < kills / 2; kill++) {
        const child = command(folder, url, words);
        await sleep(chance.between(400, 1_400));
        await child.kill();
        ended = await child.ended;
        if (ended.signal === null) break;
        if (!isBack) await openSchema(url).catch((fault: unknown) => assert.ok(fault instanceof StoreRefused));
      }
      if (ended?.signal !== null) ended = await command(folder, url, words).ended;
      assert.deepEqual([ended.status, ended.out.startsWith('{')], [0, true], ended.errors);
      const { rows, ledgerFaults, parts } = toJson(JSON.parse(ended.out));
      assert.equal(toJson(rows)['message'], 10_000);
      if (ledgerFaults === undefined) continue;
      assert.deepEqual([ledgerFaults, toJson(parts)['delivered']], [0, 9_500]);
    }
  });

  it('starts from the beginning if a gateway has run on the source meanwhile', async () => {
    const [folder, url] = [makeFolder(few), await makeDatabase()];
    await assert.rejects(moved(folder, url, { progress: stop }), /killed/);
    await alterStore(folder, 'update node set lease = lease + 128');
    await alterStore(folder, "update message set sender = 'other' where id = (select min(id) from message)");
    assert.equal((await moved(folder, url)).isResumed, false);
  });

  it('refuses a source whose schema has another version', async () => {
    const url = await makeDatabase();
    await moved(makeFolder(few), url);
    for (const [version, says] of [
      [99, /has version 99, and this program has version \d+: use the release of its newest node/],
      [0, /has version 0, and this program has version \d+: start a node of this release on it/],
    ] as const) {
      await query(url, `update morsel_schema set version = ${version}`);
      await assert.rejects(moved(makeFolder(), url, { isBack: true }), says);
    }
  });

  it('finds a damaged row, and leaves the source unchanged', async () => {
    const damages = [
      [
        'update message set receiver = receiver || 1 where id = 1500',
        /the row id = 1500 of the table message is not the/,
      ],
      [
        'delete from attempt where message = 1600',
        /the row message, part, number = 1600, 1, 1 of the table attempt is not/,
      ],
      ['insert into scheduled (due_at, message) values (1, 1)', /due_at, message = 1, 1 of the table scheduled is not/],
    ] as const;
    for (const [damage, says] of damages) {
      const [folder, url] = [makeFolder(few), await makeDatabase()];
      await assert.rejects(moved(folder, url, { progress: stop }), /killed/);
      await query(url, damage);
      await assert.rejects(moved(folder, url), says);
      await using gateway = await GatewayProcess.start({ dataDir: folder });
      await gateway.ask('v1/status');
    }
  });

  it('moves real traffic to PostgreSQL and back: gateways continue, and refuse to start on the source', async () => {
    const folder = makeFolder();
    const url = await makeDatabase();
    await using carrier = await new Child(['simulate', '--port', '0', '--json']).untilReady();
    const gateway = await GatewayProcess.start({ dataDir: folder });
    const alpha = [
      '--host',
      '127.0.0.1',
      '--port',
      String(carrier.ready['port']),
      '--system-id',
      'us',
      '--password',
      'x',
    ];
    await gateway.morsel('carrier', 'add', 'alpha', ...alpha);
    await gateway.morsel('route', 'add', '--prefix', '', '--carrier', 'alpha');
    await gateway.morsel('price', 'set', '--currency', 'EUR', '--prefix', '', '--price', '0.01');
    await gateway.morsel('account', 'add', 'acme', '--currency', 'EUR', '--balance', '100');
    const send = ['send', '--account', 'acme', '--sender', 'Shop', '--receiver', '+41791112233', '--text', 'x'];
    for (let sent = 0; sent < 30; sent++) await gateway.morsel(...send);
    await gateway.kill();
    const there = await command(folder, url).ended;
    assert.equal(there.status, 0, there.errors);
    assert.equal(there.errors, '');
    const refused = await new GatewayProcess({ dataDir: folder }).ended;
    assert.equal(refused.status, 1);
    assert.match(
      refused.errors,
      /the data was moved to the PostgreSQL database d\d+ at \S+ by morsel move: set MORSEL_DATABASE_URL to the URL of that database; to go back, use morsel move --back with an empty target"/,
    );
    const onPostgres = await GatewayProcess.start({ dataDir: folder, environment: { MORSEL_DATABASE_URL: url } });
    await onPostgres.morsel(...send);
    await onPostgres.stop();
    const back = makeFolder();
    for (const key of ['operator-key', masterKeyName]) cpSync(join(folder, key), join(back, key));
    const home = await command(back, url, ['--back']).ended;
    assert.equal(home.status, 0, home.errors);
    const { rows } = toJson(JSON.parse(home.out));
    assert.equal(toJson(rows)['message'], 31);
    await using onSqlite = await GatewayProcess.start({ dataDir: back });
    await onSqlite.morsel(...send);
    await onSqlite.morsel('ledger', 'check');
    const late = await new GatewayProcess({ dataDir: folder, environment: { MORSEL_DATABASE_URL: url } }).ended;
    assert.equal(late.status, 1);
    assert.match(late.errors, /the data was moved to the folder \S+ by morsel move --back: unset MORSEL_DATABASE_URL/);
  });

  it('refuses a source or target that it must not touch, with a sentence that does not show the password', async () => {
    const [folder, url] = [makeFolder(few), await makeDatabase()];
    const other = makeFolder(few);
    await moved(other, url);
    const withoutKey = makeFolder(few);
    rmSync(join(withoutKey, masterKeyName));
    const secret = 'pass-word-1';
    const withSecret = `postgresql://morsel:${secret}@127.0.0.1:1/none`;
    const urlFile = join(root, 'url');
    writeFileSync(urlFile, `${url}\n`);
    const cases: readonly (readonly [folder: string, url: string, words: readonly string[], says: RegExp])[] = [
      [folder, url, [], /the PostgreSQL database d\d+ at \S+ is not empty: name an empty target/],
      [folder, '', ['--database-url-file', urlFile], /is not empty/],
      [folder, '', ['--database-url-file', join(root, 'none')], /cannot be read: ENOENT/],
      [folder, '', [], /move needs the URL of the PostgreSQL database: set MORSEL_DATABASE_URL/],
      [folder, 'mysql://x', [], /MORSEL_DATABASE_URL is wrong/],
      [
        folder,
        withSecret,
        [],
        / at \S+ cannot be used \(ECONNREFUSED\): no server listens there: check that it runs, and the host/,
      ],
      [other, url, [], /the data was moved to the PostgreSQL database d\d+/],
      [folder, url, ['--back'], /the folder \S+ is not empty/],
      [makeFolder(), url, [], /there is no database in /],
      [makeFolder(), await makeDatabase(), ['--back'], /has no tables of Morsel/],
      [withoutKey, await makeDatabase(), [], /the master key \S+ is missing, /],
    ];
    for (const [from, to, words, says] of cases) {
      const { status, errors } = await command(from, to, words).ended;
      assert.match(errors, says);
      assert.ok(!errors.includes(secret), errors);
      assert.ok(status === 1 || status === 2, `${status}: ${errors}`);
    }
    await using running = await GatewayProcess.start({ dataDir: folder });
    assert.match((await command(folder, await makeDatabase()).ended).errors, /another morsel is using /);
    await running.stop();
    await using node = await GatewayProcess.start({ dataDir: other, environment: { MORSEL_DATABASE_URL: url } });
    assert.match((await command(makeFolder(), url, ['--back']).ended).errors, /the nodes \S+ run on the PostgreSQL/);
    await node.stop();
  });
});

async function query(url: string, sql: string): Promise<void> {
  const client = await connectAt(url);
  await client.query({ text: sql, rowMode: 'array' });
  await client.end();
}

async function dump(side: Side, tables = movedTables): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  for (const table of tables) {
    const found = await rowsAfter(side, table, undefined);
    rows.set(table.name, found.map((row) => lineOf(table, row)).join('\n'));
  }
  return rows;
}

async function rowsIn(folder: string, tables = movedTables): Promise<ReadonlyMap<string, string>> {
  await using side = SqliteSide.open(
    { folder, masterKey: join(folder, masterKeyName), at, aheadMaxMs: 1 },
    { mayBeNew: false },
  );
  return await dump(side, tables);
}

/** Throws before the move checks its copy, as if the process were killed there. */
function stop({ step }: MoveStep): void {
  if (step === 'check') throw new Error('killed');
}

/** Runs `morsel move` in this process. */
async function moved(folder: string, url: string, more: Partial<Moving> & { isBack?: boolean } = {}): Promise<Moved> {
  const { isBack = false, ...rest } = more;
  const masterKey = join(folder, masterKeyName);
  await using ours = SqliteSide.open(
    { folder, masterKey, at, aheadMaxMs: Number.MAX_SAFE_INTEGER },
    { mayBeNew: isBack },
  );
  ours.database.exec('pragma ignore_check_constraints = on');
  await using theirs = await PostgresSide.open({ url, masterKey }, { mayBeNew: !isBack });
  const [source, target] = isBack ? [theirs, ours] : [ours, theirs];
  return await moveStore({ source, target, progress: silent, ...rest });
}

function command(folder: string, url: string, words: readonly string[] = []): Child {
  const environment = { MORSEL_DATA_DIR: folder, MORSEL_DATABASE_URL: url };
  return new Child(['move', '--yes', '--json', ...words], { environment });
}

function silent(): void {}
