import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { SQLOutputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import type { Gateway } from '../../src/app.ts';
import { Journal } from '../../src/store/journal.ts';
import { Reader } from '../../src/store/reader.ts';
import { migrate, openForWriting } from '../../src/store/sqlite/database.ts';
import { Child } from '../support/child.ts';
import { firstToken, writeFirstDatabase } from './first-database.ts';
import { startOn } from '../support/gateway.ts';
import { HttpClient } from '../support/http-client.ts';
import { receiptFor, ScriptedCarrier } from '../support/scripted-carrier.ts';
import type { Held } from '../support/scripted-carrier.ts';
import { storeFaults } from '../support/store-faults.ts';
import { StoreFile } from '../support/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

/* A database of version 0.1.0 with rows of every kind, migrated to the present schema. */

const folder = mkdtempSync(join(tmpdir(), 'morsel-first-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const migrations = join(import.meta.dirname, '../../src/store/migrations');
const migrationNames = readdirSync(migrations).toSorted();
const [firstMigration = '', ...laterMigrations] = migrationNames;
const databaseFiles = ['morsel.db', 'morsel.db-wal'];
/** When the databases were written whose migration halts: the same time, so that they can be compared. */
const halted = 1_790_000_000_000;

type Plain = { readonly [column: string]: SQLOutputValue };

describe('a database of version 0.1.0', () => {
  it('keeps every value of every row through all migrations, except the keys of ids', () => {
    const dataDir = newFolder('rows');
    writeFirstDatabase(dataDir);
    const earlier = new Tables(dataDir);
    const columns = earlier.columns();
    const rows = new Map([...columns].map(([table, names]) => [table, earlier.rows(table, names)]));
    earlier.close();
    assert.ok([...rows].filter(([, found]) => found.length > 0).length >= 16, 'nearly every table has rows');
    migrated(dataDir);
    const now = new Tables(dataDir);
    // No notifications were sent then: the table is made again.
    assert.deepEqual(rows.get('notice'), []);
    for (const [table, names] of columns) {
      if (table === 'notice') continue;
      // The carrier of a route is in `route_carrier` now, the last use of a token in `token_day`, and a price ends with the
      // next row of its prefix; keys of ids have a test of their own.
      const gone = new Set(['route carrier', 'price until', 'token last_used_at']);
      const kept = names.filter((name) => name !== 'carrier_id_key' && !gone.has(`${table} ${name}`));
      const wanted = (rows.get(table) ?? []).map((row) => pick(row, kept));
      const found = now.rows(
        renamed[table] ?? table,
        kept.map((name) => renamed[name] ?? name),
      );
      assert.deepEqual(found.map(Object.values), wanted.map(Object.values), table);
    }
    const carriersOfRoutes = (rows.get('route') ?? []).map((row) => [row['id'], row['carrier'], 1, 1, null, null]);
    assert.deepEqual(
      now.rows('route_carrier', ['route', 'carrier', 'rank', 'weight', 'cost', 'wait_ms']).map(Object.values),
      carriersOfRoutes,
    );
    const used = (rows.get('token') ?? []).filter((row) => row['last_used_at'] !== null);
    assert.ok(used.length > 0);
    assert.deepEqual(
      now.rows('token_day', ['token', 'last_at']).map(Object.values),
      used.map((row) => [row['id'], row['last_used_at']]),
    );
    now.close();
    using store = StoreFile.of(dataDir);
    assert.deepEqual(storeFaults(store), []);
    assert.deepEqual(store.texts('pragma foreign_key_check'), []);
    assert.deepEqual(store.texts('pragma user_version'), [String(migrationNames.length)]);
  });

  it('has the keys of ids that its carriers would get today, and its unmatched receipts', () => {
    const dataDir = newFolder('keys');
    writeFirstDatabase(dataDir);
    migrated(dataDir);
    using store = StoreFile.of(dataDir);
    const keys =
      'select carrier_id_key from attempt where carrier = ? and carrier_id_key is not null order by message, part';
    const alpha = ['abcd', '1001', '1002', '1003', '2009', '3013', '3014', '3015'];
    assert.deepEqual(store.texts(keys, 1), alpha, 'same');
    assert.deepEqual(store.texts(keys, 2), ['a1f', '1e61'], 'an answer A1F, and a doubt that receipt 7777 ended');
    assert.deepEqual(store.texts(keys, 3), ['2748', '3567'], 'an answer 2748, and a doubt that receipt 0DEF ended');
    assert.deepEqual(store.texts(keys, 4), ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'], 'what is no number');
    assert.deepEqual(store.texts("select carrier_id_key || ' ' || why from unmatched_receipt order by id"), [
      'ab unknown',
      'zebra-7 unknown',
      '3000 unknown',
      ' unreadable',
      'ff unknown',
      '5001 unknown',
    ]);
    assert.deepEqual(
      store.texts('select distinct tried_by from part where deadline is not null and attempts > 0 order by 1'),
      ['1', '2', '3'],
    );
  });

  it('is read by the present journal and views', async () => {
    const dataDir = newFolder('views');
    writeFirstDatabase(dataDir);
    const needs = { file: join(dataDir, 'morsel.db'), onFatal: assert.fail, onFault: assert.fail };
    await using journal = await Journal.open(needs);
    await using reader = new Reader(needs);
    const totals = await reader.ask('totals', undefined);
    assert.ok(totals.ok);
    assert.deepEqual(totals.value, {
      messages: { delivered: 3, expired: 1, queued: 8, rejected: 1, sent: 8, undelivered: 1, unknown: 1 },
      parts: {
        buffered: 1,
        canceled: 1,
        claimed: 2,
        delivered: 5,
        expired: 1,
        in_doubt: 2,
        queued: 7,
        rejected: 1,
        sent: 6,
        undelivered: 1,
        unknown: 1,
      },
      charged: 253_980n,
      refunded: 29_845n,
      waiting: 7,
      inDoubt: 2,
      unmatchedReceipts: 6,
      notes: { corrected: 1, 'duplicate-receipt': 1, 'in-doubt': 4, 'matched-in-doubt': 2, receipt: 3 },
      unbalanced: [],
    });
    const accounts = await reader.ask('accounts', { now: Date.now(), limit: 100 });
    assert.ok(accounts.ok);
    assert.deepEqual(
      accounts.value.items.map(({ name, status, balance, creditLimit, priceListName, refundPolicy }) =>
        [name, status, balance, creditLimit, priceListName, refundPolicy].join(' '),
      ),
      [
        'acme active 49813000 0 default unsent',
        'bolt active -37035 5000000 dollars undelivered',
        'idle suspended 5 0 default never',
      ],
    );
    const settings = await reader.ask('settings', Date.now());
    assert.ok(settings.ok);
    assert.deepEqual(
      settings.value.carriers.map(({ name, status, idRule, inDoubt, window, throughput, profile }) =>
        [name, status, idRule, inDoubt, window, throughput, profile.bind].join(' '),
      ),
      [
        'alpha active same resend 10 0 transceiver',
        'beta active hex-answer hold 100 0 transceiver',
        'gamma paused hex-receipt fail 10 50 transceiver',
      ],
    );
    assert.deepEqual(
      settings.value.routes.map(({ prefix, isRemoved, by }) => [prefix, isRemoved, by]),
      [
        ['41', false, 'weight'],
        ['49', false, 'weight'],
        ['33', false, 'weight'],
        ['39', true, 'weight'],
        ['4179', true, 'weight'],
      ],
    );
    assert.deepEqual(
      settings.value.tokens.map(({ id, account }) => [id, account]),
      [
        ['070707070707', 1],
        ['090909090909', 2],
      ],
    );
    const begun = await journal.append<'begin'>({ kind: 'begin', at: Date.now() });
    assert.ok(begun.ok);
    const { seenAt, ...rest } = begun.value;
    assert.deepEqual(rest, { lease: 2, lastMessageId: 904_907_980_800_023, inDoubt: 2, untrustedFrom: null });
    assert.ok(seenAt > 0, 'the clock of the next start is compared with its newest record');
  });

  it('goes on working: waiting messages go out, and receipts find their messages', async () => {
    const dataDir = newFolder('works');
    await using alpha = await ScriptedCarrier.open();
    await using beta = await ScriptedCarrier.open();
    await using gamma = await ScriptedCarrier.open();
    writeFirstDatabase(dataDir, { alpha: alpha.port, beta: beta.port, gamma: gamma.port });
    const running = await Works.start(dataDir);
    try {
      await takesWhatWaits(running, alpha);
      await findsTheirMessages(running, { alpha, beta, gamma });
      await takesWhatIsNew(running, alpha);
      assert.equal(gamma.held.length, 0, 'a paused carrier is still paused');
    } finally {
      await running.stop();
    }
    using store = StoreFile.of(dataDir);
    assert.deepEqual(storeFaults(store), []);
  });
});

describe('a migration', () => {
  const places = ['middle', 'end'] as const;
  const stages: string[] = [];
  // A kill leaves what the files hold at that moment, so one run shows the result of a kill at each place.
  before(() => {
    const dataDir = newFolder('halted');
    writeFirstDatabase(dataDir, { now: halted });
    const database = openForWriting(join(dataDir, 'morsel.db'));
    database.function('halt', (name, place) => {
      const left = newFolder(`left-${String(name)}-${String(place)}`);
      for (const file of databaseFiles) copyFileSync(join(dataDir, file), join(left, file));
      return null;
    });
    const halting = newFolder('halting');
    copyFileSync(join(migrations, firstMigration), join(halting, firstMigration));
    stages.push(schemaOf(dataDir));
    for (const name of laterMigrations) {
      const sql = places.reduce((text, place) => withCall(text, place, `halt('${name}', '${place}')`), readSql(name));
      writeFileSync(join(halting, name), sql);
      migrate(database, halting);
      stages.push(schemaOf(dataDir));
    }
    database.close();
  });

  for (const [index, name] of laterMigrations.entries()) {
    for (const place of places) {
      it(`that is killed at its ${place} is not begun, and is done the next time (${name})`, () => {
        const dataDir = join(folder, `left-${name}-${place}`);
        assert.equal(schemaOf(dataDir), stages[index], 'all of those before, and nothing of this one');
        migrated(dataDir);
        assert.equal(schemaOf(dataDir), stages.at(-1));
        using store = StoreFile.of(dataDir);
        assert.deepEqual(storeFaults(store), []);
      });
    }
  }

  it('leaves with kill -9 what its files held at that moment', async () => {
    const [name = ''] = laterMigrations.slice(-1);
    const dataDir = newFolder('killed');
    writeFirstDatabase(dataDir, { now: halted });
    const deadly = newFolder('deadly');
    for (const each of migrationNames) copyFileSync(join(migrations, each), join(deadly, each));
    writeFileSync(join(deadly, name), withCall(readSql(name), 'end', 'die()'));
    const child = new Child([join(dataDir, 'morsel.db'), deadly], {
      file: join(import.meta.dirname, 'migrate-program.ts'),
    });
    const { signal } = await child.ended;
    assert.equal(signal, 'SIGKILL', child.errors + child.out);
    assert.equal(schemaOf(dataDir), stages.at(-2));
    migrated(dataDir);
    assert.equal(schemaOf(dataDir), stages.at(-1));
  });
});

/** The parts that were in its queue, and the one whose doubt is over, each once. */
async function takesWhatWaits(running: Works, alpha: ScriptedCarrier): Promise<void> {
  const texts = new Set<string>();
  for (let place = 0; place < 7; place++) {
    const held = await alpha.submit(place);
    texts.add(held.pdu.destination_addr);
    await accept(held, `90${place}`);
  }
  const wanted = ['41791000015', '41791000016', '41791000017', '41791000018', '41791000020', '41791000021'];
  assert.deepEqual([...texts].toSorted(), wanted);
  for (const message of ['15', '16', '17', '20', '21']) await running.event(message, 'delivered');
}

async function findsTheirMessages(
  running: Works,
  { alpha, beta, gamma }: { alpha: ScriptedCarrier; beta: ScriptedCarrier; gamma: ScriptedCarrier },
): Promise<void> {
  const pdu = alpha.held.map((held) => held.pdu).find(({ source_addr }) => source_addr === '41790000001');
  assert.ok(pdu);
  await waitUntil('all links are bound', () => alpha.links === 1 && beta.links === 1 && gamma.links === 1);
  // Claimed when the process was killed: in doubt since, and its receipt was unmatched before.
  await running.event('22', 'delivered');
  const receipts: readonly (readonly [carrier: ScriptedCarrier, message: string, receiver: string, id: string])[] = [
    [alpha, '02', '41791000002', '01003'],
    [alpha, '02', '41791000002', '1002'],
    [beta, '04', '49151000004', '2591'],
    [beta, '05', '49151000005', '7777'],
    [beta, '06', '49151000006', 'by its numbers'],
    [gamma, '11', '33611000011', 'ABC'],
    [gamma, '12', '33611000012', '0def'],
  ];
  for (const [carrier, , receiver, id] of receipts) {
    await acknowledged(carrier.session(), receiptFor({ ...pdu, destination_addr: receiver }, id));
  }
  for (const [, message] of receipts) await running.event(message, 'delivered');
}

async function takesWhatIsNew(running: Works, alpha: ScriptedCarrier): Promise<void> {
  const fields = { auth: firstToken, sender: '+41790000001', text: 'of today', dcs: 'GSM' };
  const taken = await running.client.post('/sms/send', { ...fields, receiver: '+41791000099' });
  assert.equal(taken.status, 200, taken.text);
  assert.equal(taken.body['totalCost'], 0.0085);
  assert.equal(taken.body['clientBalance'], 49.8045, 'what it was, and nothing charged or paid back since');
  await accept(await alpha.submit(7), '9100');
}

/** Answers a submit_sm, and sends its receipt. */
async function accept({ pdu, session, respond }: Held, id: string): Promise<void> {
  respond(0, { message_id: id });
  await acknowledged(session, receiptFor(pdu, id));
}

async function acknowledged(session: Held['session'], receipt: ReturnType<typeof receiptFor>): Promise<void> {
  const answer = await session.request(receipt);
  assert.equal(answer.kind === 'answered' && answer.pdu.command_status, 0);
}

/** A gateway on the database, and the client of `acme`. */
class Works {
  readonly client: HttpClient;
  readonly #gateway: Gateway;

  private constructor(gateway: Gateway) {
    this.#gateway = gateway;
    this.client = new HttpClient(gateway.httpPort);
  }

  static async start(dataDir: string): Promise<Works> {
    return new Works(await startOn(dataDir));
  }

  /** Waits for an event of the message whose id ends with these digits. */
  async event(digits: string, wanted: string): Promise<void> {
    const path = `/sms/dlr?auth=${firstToken}&messageId=9049079808000${digits}`;
    let last = '';
    await waitUntil(
      () => `message ${digits} is ${wanted}, but ${last}`,
      async () => {
        const { text, body } = await this.client.ask({ path });
        last = text;
        return body['event'] === wanted;
      },
    );
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.#gateway.stop();
  }
}

/** The tables of the first schema and their rows. */
class Tables {
  readonly #database: DatabaseSync;

  constructor(dataDir: string) {
    this.#database = new DatabaseSync(join(dataDir, 'morsel.db'), { readOnly: true });
  }

  columns(): ReadonlyMap<string, readonly string[]> {
    const tables = this.#database.prepare("select name from sqlite_schema where type = 'table'").all();
    return new Map(
      tables.map(({ name }) => {
        const columns = this.#database.prepare('select name from pragma_table_info(?)').all(String(name));
        return [String(name), columns.map((column) => String(column['name']))];
      }),
    );
  }

  /** Ordered by all their columns: the order of their keys differs between schemas. */
  rows(table: string, columns: readonly string[]): Plain[] {
    const places = columns.map((_, index) => index + 1).join(', ');
    const rows = this.#database.prepare(`select ${columns.join(', ')} from ${table} order by ${places}`).all();
    return rows.map((row) => ({ ...row }));
  }

  close(): void {
    this.#database.close();
  }
}

/** Tables and columns by the names that they had at first. */
const renamed: { readonly [name: string]: string } = { parked_receipt: 'unmatched_receipt', release_at: 'due_at' };

function pick(row: Plain, columns: readonly string[]): Plain {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

function newFolder(name: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  return made;
}

function migrated(dataDir: string): void {
  const database = openForWriting(join(dataDir, 'morsel.db'));
  migrate(database);
  database.close();
}

function readSql(name: string): string {
  return readFileSync(join(migrations, name), 'utf8');
}

/** A migration with a call in its middle, or after its last statement. */
function withCall(sql: string, place: 'middle' | 'end', call: string): string {
  const statements = sql.split(/(?<=;)\n/);
  const at = place === 'end' ? statements.length : Math.max(1, Math.floor(statements.length / 2));
  return statements.toSpliced(at, 0, `\nselect ${call};\n`).join('\n');
}

/** Its version, tables and rows, as one text. */
function schemaOf(dataDir: string): string {
  const database = new DatabaseSync(join(dataDir, 'morsel.db'));
  const version = database.prepare('pragma user_version').all();
  const schema = database.prepare('select type, name, sql from sqlite_schema order by type, name').all();
  database.close();
  const tables = new Tables(dataDir);
  const rows = [...tables.columns()].map(([table, columns]) => [table, tables.rows(table, columns)]);
  tables.close();
  return JSON.stringify([version, schema, rows]);
}
