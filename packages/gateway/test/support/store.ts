import assert from 'node:assert/strict';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../src/store/commands.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { accountDefaults } from '../../src/core/account/account.ts';
import { standardProfile } from '../../src/core/routing/carrier-profile.ts';
import type { MessageContent } from '../../src/core/message/content.ts';
import { toMessageId } from '../../src/core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { applyGroup } from '../../src/store/apply.ts';
import type { ListenEvent, NotificationNews } from '../../src/store/tables/notification.ts';
import { openForWriting } from '../../src/store/sqlite/database.ts';
import type { StorePlace } from '../../src/store/writer.ts';
import { EngineInRounds } from './engine-in-rounds.ts';
import { SqliteEngine } from '../../src/store/sqlite/engine.ts';
import { writeNewDatabase } from './database.ts';

/** How often a property is tried; `npm run test:long` tries it more often. */
export function propertyRuns(runs: number): number {
  return runs * Number(process.env['PROPERTY_TIMES'] ?? 1);
}

/** For tests: the content of a short text. */
export const helloContent: MessageContent = {
  sender: '+41790000001',
  receiver: '+41790000002',
  dcs: 'GSM',
  encoding: 'gsm7',
  text: 'hello',
  octets: null,
  header: null,
  reference: null,
  numParts: 1,
  flash: false,
  clientRef: null,
  tags: null,
  registered: 0,
  tlvs: null,
};

/** For tests: a table of all attempts, also of those under way. */
export const attemptsSql = `(select message, part, number, carrier, link, lease, claimed_at, is_whole, answered_at, outcome, command_status, carrier_id,
    carrier_id_key from attempt
  union all select message, number, attempts, tried_by, claim_link, claim_lease, claim_at, claim_is_whole, null, null, null, null, null
    from part where claim_link is not null)`;

/** A value of a row, in the same form from every engine. A truth is 0 or 1. */
export type TestValue = string | number | Uint8Array | null;
type TestRow = Readonly<Record<string, TestValue>>;

class CrashingEngine extends SqliteEngine {
  protected override commit(): void {
    throw new Error('a crash before the commit');
  }
}

/** For tests: the real engine on a real database, without the threads around it, with an account, a carrier and a route. */
export class TestStore implements AsyncDisposable {
  #database: DatabaseSync;
  readonly faults: unknown[] = [];
  readonly noRoom: unknown[] = [];
  /** New notifications, as the flow gets them. */
  readonly news: NotificationNews[] = [];
  readonly listenEvents: ListenEvent[] = [];
  readonly #halved: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'morsel-store-'));
  #engine: SqliteEngine;
  #lastId = 1_000;
  now = Date.UTC(2026, 0, 1);

  /**
   * Applies the same commands without any memory from group to group, with its needs answered in rounds. Results and
   * rows must be the same.
   */
  readonly #twin: TestStore | undefined;
  readonly #isKeeping: boolean;

  protected constructor({ isKeeping = true, isCompared = false } = {}) {
    this.#isKeeping = isKeeping;
    this.#twin = isCompared ? new TestStore({ isKeeping: false }) : undefined;
    writeNewDatabase(this.file);
    this.#database = this.#open();
    this.#engine = this.#newEngine();
  }

  static async open(options: { readonly isCompared?: boolean } = {}): Promise<TestStore> {
    return new TestStore(options).fill();
  }

  /** Writes the account, the carrier and the route. */
  protected async fill(): Promise<this> {
    await this.one({ kind: 'begin', at: this.now });
    await this.addAccount('acme', 100);
    await this.one(carrierCommand({ at: this.now }));
    await this.one(routeCommand({ at: this.now }));
    return this;
  }

  get file(): string {
    return join(this.#folder, 'test.db');
  }

  get place(): StorePlace {
    return { kind: 'sqlite', file: this.file, isExpected: true };
  }

  get database(): DatabaseSync {
    return this.#database;
  }

  /** The most rounds in which the needs of a group were answered, for a store that is compared. */
  get rounds(): number {
    if (this.#twin) return this.#twin.rounds;
    return this.#engine instanceof EngineInRounds ? this.#engine.rounds : assert.fail('the store is not compared');
  }

  /** One group. */
  async apply(...commands: Command[]): Promise<readonly AnyResult[]> {
    const results = await applyGroup(this.#engine, commands, {
      fault: (fault) => this.faults.push(fault),
      noRoom: (fault) => this.noRoom.push(fault),
      halved: (fault) => this.#halved.push(String(fault)),
      applied: (rows) => {
        this.news.push(...rows.news.values());
        this.listenEvents.push(...rows.listenEvents);
      },
    });
    if (this.#twin) assert.deepEqual(await this.#twin.apply(...commands), results, 'the results without memory');
    return results;
  }

  /** A group of one. */
  one<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  async one(command: Command): Promise<AnyResult | undefined> {
    return (await this.apply(command))[0];
  }

  /** Simulates a restart: only the database file stays. */
  async restart(): Promise<void> {
    this.#engine = this.#newEngine();
    await this.#twin?.restart();
  }

  /** Simulates a crash in the middle of a group: all rows were written, and none committed. */
  async crash(...commands: Command[]): Promise<void> {
    await assert.rejects(new CrashingEngine(this.database).apply(commands), /a crash/);
    this.#database.close();
    this.#database = this.#open();
    this.#engine = this.#newEngine();
    await this.#twin?.crash(...commands);
  }

  #newEngine(): SqliteEngine {
    return this.#isKeeping ? new SqliteEngine(this.database) : new EngineInRounds(this.database, { isKeeping: false });
  }

  /** All rows of all tables. */
  #dump(): unknown {
    const tables = this.database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    return tables.map(({ name }) => [name, this.database.prepare(`select * from ${String(name)}`).all()]);
  }

  #open(): DatabaseSync {
    const database = openForWriting(this.file);
    // The files are temporary, so no commit needs to wait for the disk.
    database.exec('pragma synchronous = off');
    return database;
  }

  async addAccount(name: string, balance: number, more: Partial<CommandOf<'add-account'>> = {}): Promise<void> {
    await this.one({
      kind: 'add-account',
      at: this.now,
      name,
      currency: 'EUR',
      priceList: 'default',
      ...accountDefaults,
      balance: toMicros(BigInt(balance)),
      actor: 'test',
      ...more,
    });
  }

  /** A message of one part for 10, unclaimed by default. */
  accept(more: Partial<CommandOf<'accept'>> = {}): CommandOf<'accept'> {
    const numParts = more.numParts ?? 1;
    return {
      kind: 'accept',
      at: this.now,
      id: toMessageId(++this.#lastId),
      account: 1,
      source: 'http',
      ...helloContent,
      numParts,
      priority: 0,
      route: 1,
      dueAt: this.now,
      expiresAt: this.now + 60_000,
      priceList: 1,
      priceVersion: 1,
      unitPrice: toMicros(10n),
      totalCost: toMicros(10n * BigInt(numParts)),
      claim: null,
      ...more,
    };
  }

  async claim(
    max: number,
    more: Partial<CommandOf<'claim'>> = {},
  ): Promise<readonly { message: number; number: number; attempt: number }[]> {
    const result = await this.one<'claim'>({
      kind: 'claim',
      at: this.now,
      carrier: 1,
      link: 1,
      lease: 1,
      isWhole: false,
      up: [],
      max,
      ...more,
    });
    return result.ok ? result.value.parts : [];
  }

  outcome(message: number, more: Partial<CommandOf<'outcome'>> = {}): CommandOf<'outcome'> {
    return {
      kind: 'outcome',
      at: this.now,
      message: toMessageId(message),
      part: 1,
      attempt: 1,
      carrier: 1,
      lease: 1,
      outcome: 'accepted',
      commandStatus: 0,
      errorCode: null,
      carrierId: null,
      carrierIdKey: null,
      ...more,
    };
  }

  receipt(id: string, more: Partial<CommandOf<'receipt'>> = {}): CommandOf<'receipt'> {
    return {
      kind: 'receipt',
      at: this.now,
      carrier: 1,
      carrierId: id,
      carrierIdKey: id,
      state: 'DELIVERED',
      errorCode: null,
      sender: '+41790000001',
      receiver: '+41790000002',
      ...more,
    };
  }

  /** The rows of a query that every engine understands. */
  async rows(sql: string, ...values: TestValue[]): Promise<readonly TestRow[]> {
    const rows = this.database.prepare(sql).all(...values);
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  }

  /** Statements by hand: one with values, or several without. */
  async run(sql: string, ...values: TestValue[]): Promise<void> {
    if (values.length === 0) this.database.exec(sql);
    else this.database.prepare(sql).run(...values);
  }

  /** The first column of the first row. */
  async value(sql: string, ...values: TestValue[]): Promise<TestValue | undefined> {
    const [row] = await this.rows(sql, ...values);
    return row && Object.values(row)[0];
  }

  event(message: number): Promise<unknown> {
    return this.value('select report_event from part where message = ? and number = 1', message);
  }

  part(message: number, number = 1): Promise<unknown> {
    return this.value('select state from part where message = ? and number = ?', message, number);
  }

  async balance(account = 1): Promise<number> {
    return Number(await this.value('select balance from account where id = ?', account));
  }

  /** Faults of the ledger, as sentences; a correct ledger has none. */
  async moneyFaults(): Promise<string[]> {
    const faults: string[] = [];
    const look = async (sentence: string, sql: string) => {
      const found = await this.rows(sql);
      if (found.length > 0) faults.push(`${sentence}: ${JSON.stringify(found[0])}`);
    };
    await look(
      'M1: a balance is not the sum of its entries',
      `select id from account where balance <>
      (select coalesce(sum(amount), 0) from entry where entry.account = account.id)`,
    );
    await look('M2: a balance is below its limit', 'select id from account where balance < -credit_limit');
    await look(
      'M3: a charge is not the sum of its messages',
      `select id from entry where kind = 'charge' and (
      -amount <> (select coalesce(sum(total_cost), 0) from message where message.entry = entry.id)
      or messages <> (select count(*) from message where message.entry = entry.id)
      or messages <> (select count(distinct entry_place) from message where message.entry = entry.id))`,
    );
    await look(
      'M1: the chain of an account has a gap',
      `select id, account, balance_after, expected from (select id, account, balance_after,
        sum(amount) over (partition by account order by id) as expected from entry) where balance_after <> expected`,
    );
    await look(
      'an entry is before the one before it',
      'select id from (select id, created_at, lag(created_at) over (partition by account order by id) as last from entry) where created_at < last',
    );
    await look('M3: a message has no charge', 'select id from message where entry not in (select id from entry)');
    await look(
      'M3: a part was refunded twice',
      `select first_message, part from entry where kind = 'refund'
      group by first_message, part having count(*) > 1`,
    );
    await look(
      'A5: a message has not its parts',
      `select id from message where num_parts <>
      (select count(*) from part where part.message = message.id)`,
    );
    await look('a foreign key points nowhere', 'pragma foreign_key_check');
    return faults;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const unneeded = this.#halved.filter((fault) => fault.includes('did not need'));
    assert.deepEqual(unneeded, [], 'a command has to need what it looks at');
    if (this.#twin) {
      assert.deepEqual(this.#twin.#dump(), this.#dump(), 'the rows without memory');
      await this.#twin[Symbol.asyncDispose]();
    }
    this.database.close();
    rmSync(this.#folder, { recursive: true });
  }
}

function plain(value: SQLOutputValue): TestValue {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** A route for 41 through alpha. */
export function routeCommand(more: Partial<CommandOf<'add-route'>> = {}): CommandOf<'add-route'> {
  return {
    kind: 'add-route',
    at: 0,
    prefix: '41',
    sender: null,
    account: null,
    encoding: null,
    carrier: 'alpha',
    rank: 1,
    weight: 1,
    cost: null,
    waitMs: null,
    by: null,
    ...more,
  };
}

export function removeRouteCommand(more: Partial<CommandOf<'remove-route'>> = {}): CommandOf<'remove-route'> {
  return {
    kind: 'remove-route',
    at: 0,
    prefix: '41',
    sender: null,
    account: null,
    encoding: null,
    carrier: null,
    ...more,
  };
}

export function carrierCommand(more: Partial<CommandOf<'add-carrier'>> = {}): CommandOf<'add-carrier'> {
  return {
    kind: 'add-carrier',
    at: 0,
    name: 'alpha',
    host: '127.0.0.1',
    port: 2775,
    systemId: 'id',
    password: 'password',
    systemType: '',
    window: 10,
    throughput: 0,
    links: 1,
    inDoubt: 'resend',
    idRule: 'same',
    receiverPassword: null,
    tlsKey: null,
    profile: standardProfile,
    ...more,
  };
}
