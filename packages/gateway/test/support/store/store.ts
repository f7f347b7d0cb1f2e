import assert from 'node:assert/strict';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../../src/state/commands.ts';
import type { DatabaseSync } from 'node:sqlite';
import { carrierCommand, routeCommand } from './routing-commands.ts';
import type { MessageContent } from '../../../src/core/message/content.ts';
import { instantOf, nextMessageId, toMessageId, type MessageId } from '../../../src/core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { NotificationNews } from '../../../src/state/tables/notification.ts';
import { allTables } from '../../../src/state/tables/all.ts';
import type { Queries } from '../../../src/store/views/queries.ts';
import { applyGroup, type StorePlace } from '../../../src/store/writer.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { GivenOf } from '@morsel/api/admin/resource.ts';
import { operate } from './operate.ts';
import { moneyFaultsIn } from './rules/money-faults.ts';
import { totalsOf } from '../gateway/slow-totals.ts';
import {
  isOnPostgres,
  openTestDatabase,
  SqliteTestDatabase,
  type TestDatabase,
  type TestRow,
  type TestValue,
} from './test-database.ts';
import { inboundTable } from '../../../src/state/tables/inbound.ts';
import { readSaid } from '../../../src/store/views/sealed.ts';

/** How often a property is tested: `runs` times the factor of the layer in `test/layers.ts`. */
export function propertyRuns(runs: number): number {
  return Math.ceil(runs * Number(process.env['PROPERTY_TIMES'] ?? 1));
}

/** The number of rows for a test of growth: `many` in `npm run test:long`, otherwise `few`. */
export function manyRows(many: number, few: number): number {
  return process.env['MANY_ROWS'] === undefined ? few : many;
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
  wantedReceipts: 'none',
  extras: null,
  storeText: true,
};

/** For tests: SQL in place of a table that has all attempts, also those that still wait for an answer. */
export const attemptsSql = `(select message, part, number, carrier, link, lease, claimed_at, is_whole, answered_at, outcome, code, carrier_id,
    carrier_id_key from attempt
  union all select message, number, attempts, tried_by, claim_link, claim_lease, claim_at, claim_is_whole, null, null, null, null, null
    from part where claim_link is not null)`;

let filled: { readonly octets: Uint8Array; readonly begun: Begun } | undefined;

/** For tests: the real engine on a real database, without the threads around it, with an account, a carrier and a route. */
export class TestStore implements AsyncDisposable {
  protected readonly base: TestDatabase;
  readonly faults: unknown[] = [];
  readonly noRoom: unknown[] = [];
  /** What the engine reports of new notifications, as the flow gets it. */
  readonly news: NotificationNews[] = [];
  readonly #halved: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #isByHand = false;
  #lastId = 1_000;
  /** The newest id of `ownId`. These ids are larger than the message ids of `accept`. */
  #lastOwnId = 10_000;
  /** The lease of the newest start. */
  lease = 0;
  #node = 0;
  now = Date.UTC(2026, 0, 1);

  /** On PostgreSQL, a second store on SQLite. It applies the same commands. Its results and rows must be the same. */
  readonly #twin: TestStore | undefined;

  protected constructor(base: TestDatabase, twin?: TestStore) {
    this.base = base;
    this.#twin = twin;
  }

  /** If `isCounting` is true, ids of the ledger and of notifications are 1, 2, 3… */
  static async open({ isCompared = false, isCounting = false } = {}): Promise<TestStore> {
    const twin = isCompared && isOnPostgres ? new TestStore(new SqliteTestDatabase()) : undefined;
    return new TestStore(await openTestDatabase(isCounting || isCompared), twin).fill();
  }

  /** Writes the account, the carrier and the route. In SQLite, a process does so once: further stores are copies. */
  protected async fill(): Promise<this> {
    if (filled && this.base instanceof SqliteTestDatabase) {
      this.base.beginWith(filled.octets);
      this.#begun(filled.begun);
      if (this.#twin) await this.#twin.fill();
      return this;
    }
    await this.#fill();
    if (this.base instanceof SqliteTestDatabase) {
      const begun = { lease: this.lease, node: this.#node, lastMessageId: 0 };
      filled = { octets: this.base.octets(), begun };
    }
    return this;
  }

  async #fill(): Promise<void> {
    await this.one({ kind: 'begin', at: this.now });
    await this.addAccount('acme', 100);
    await this.one(carrierCommand({ at: this.now }));
    await this.one(routeCommand({ at: this.now }));
  }

  get place(): StorePlace {
    return this.base.place;
  }

  /** The queries with which views read this store. */
  get queries(): Queries {
    return this.base.queries;
  }

  /** Applies the commands as one group, in one transaction. As in the journal, a group waits for the one before. */
  apply(...commands: Command[]): Promise<readonly AnyResult[]> {
    const applied = this.#turn.then(() => this.#apply(commands));
    this.#turn = applied.catch(() => undefined);
    return applied;
  }

  async #apply(commands: readonly Command[]): Promise<readonly AnyResult[]> {
    const results = await applyGroup(this.base.engine, commands, {
      fault: (fault) => this.faults.push(fault),
      noRoom: (fault) => this.noRoom.push(fault),
      halved: (fault) => this.#halved.push(String(fault)),
      applied: (rows) => {
        this.news.push(...rows.news.values());
      },
    });
    for (const result of results) if (result.ok && isBegun(result.value)) this.#begun(result.value);
    if (this.#twin) assert.deepEqual(results, await this.#twin.apply(...commands), 'the results of the other store');
    return results;
  }

  #begun({ lease, node, lastMessageId }: Begun): void {
    this.lease = lease;
    this.#node = node;
    this.#lastOwnId = Math.max(this.#lastOwnId, lastMessageId);
  }

  /** A new message id, in the form that a node gives it. */
  ownId(): MessageId {
    const id = nextMessageId(this.#lastOwnId, instantOf(toMessageId(0)), this.#node);
    this.#lastOwnId = id;
    return id;
  }

  /** Applies a single command. */
  one<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  async one(command: Command): Promise<AnyResult | undefined> {
    return (await this.apply(command))[0];
  }

  /** Simulates a restart: only the database stays. */
  async restart(): Promise<void> {
    await this.base.restart();
    await this.#twin?.restart();
  }

  /** Simulates a crash in the middle of a group of commands: all rows were written, and none committed. */
  async crash(...commands: Command[]): Promise<void> {
    await this.base.crash(commands);
    await this.#twin?.crash(...commands);
  }

  /** All rows of all tables, in the order of their keys. */
  async #dump(): Promise<readonly (readonly [string, readonly TestRow[]])[]> {
    const dump: [string, readonly TestRow[]][] = [];
    for (const { name, shape, key } of allTables) {
      // Each engine counts its own groups of commands. Sealed values differ even if their texts are equal.
      const compared = shape.columns().filter(([column, { isSealed }]) => column !== 'groups' && isSealed !== true);
      const columns = compared.map(([column]) => column);
      dump.push([name, await this.rows(`select ${columns.join(', ')} from ${name} order by ${key.names.join(', ')}`)]);
    }
    return dump;
  }

  async addAccount(
    name: string,
    balance: number,
    more: Partial<GivenOf<OperationNamed<'account.add'>>> = {},
  ): Promise<void> {
    const given = { name, currency: 'EUR', balance: toMicros(BigInt(balance)), ...more };
    await this.one(operate('account.add', given, { at: this.now, made: {} }));
  }

  /** A message of one part for 10, unclaimed by default. */
  accept(more: Partial<CommandOf<'accept'>> = {}): CommandOf<'accept'> {
    const numParts = more.numParts ?? 1;
    const totalCost = toMicros(10n * BigInt(numParts));
    return acceptCommand({ at: this.now, id: toMessageId(++this.#lastId), totalCost, ...more });
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
      scope: 'message',
      code: null,
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
  rows(sql: string, ...values: TestValue[]): Promise<readonly TestRow[]> {
    return this.base.rows(sql, values);
  }

  /** The text of an inbound message; null if it has none. */
  async inboundText(id: TestValue | undefined): Promise<string | null> {
    const row = await this.queries.first(inboundTable, 'where id = ?', Number(id));
    if (!row) return null;
    const { account, content } = row;
    return (await readSaid(this.queries, { account, column: 'inbound.content', id: row.id }, content))?.text ?? null;
  }

  /** Runs one statement with values, or several without. The totals that the store keeps may be wrong afterwards. */
  run(sql: string, ...values: TestValue[]): Promise<void> {
    this.#isByHand = true;
    return this.base.run(sql, values);
  }

  /** Runs statements that may also change entries of the ledger. */
  force(sql: string): Promise<void> {
    this.#isByHand = true;
    return this.base.force(sql);
  }

  /** The value in the first column of a query's first row. */
  async value(sql: string, ...values: TestValue[]): Promise<TestValue | undefined> {
    const [row] = await this.rows(sql, ...values);
    return row && Object.values(row)[0];
  }

  /** The ids of all rows of a table, in order. */
  async ids(table: string): Promise<readonly number[]> {
    return (await this.rows(`select id from ${table} order by id`)).map(({ id }) => Number(id));
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
  moneyFaults(): Promise<string[]> {
    return moneyFaultsIn(this.base);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (!this.#isByHand) {
        const { stored, counted } = await totalsOf({ queries: this.queries, rows: (sql) => this.rows(sql) });
        assert.deepEqual(counted, stored, 'what the store has counted');
      }
      const unnamed = this.#halved.filter((fault) => fault.includes('did not name'));
      assert.deepEqual(unnamed, [], 'a command must name what it looks at');
      if (this.#twin) assert.deepEqual(await this.#dump(), await this.#twin.#dump(), 'the rows of the other store');
    } finally {
      await this.#twin?.base.close();
      await this.base.close();
    }
  }
}

/** A test store that is always on SQLite, for tests of features that only SQLite has. */
export class SqliteTestStore extends TestStore {
  protected override readonly base: SqliteTestDatabase;

  protected constructor() {
    const base = new SqliteTestDatabase();
    super(base);
    this.base = base;
  }

  static override async open(): Promise<SqliteTestStore> {
    return new SqliteTestStore().fill();
  }

  get database(): DatabaseSync {
    return this.base.database;
  }

  /** Starts the engine anew, and keeps each statement that it runs in the returned list, without its line breaks. */
  async restartCounting(): Promise<string[]> {
    const asked: string[] = [];
    const prepare = this.database.prepare.bind(this.database);
    this.database.prepare = (sql) => {
      const statement = prepare(sql);
      for (const how of ['get', 'all', 'run'] as const) {
        const real = statement[how].bind(statement);
        const counted = (...values: never[]) => {
          asked.push(sql.replaceAll(/\s+/g, ' ').trim());
          return real(...values);
        };
        Object.assign(statement, { [how]: counted });
      }
      return statement;
    };
    await this.restart();
    return asked;
  }
}

type Begun = Pick<Extract<ResultOf<'begin'>, { readonly ok: true }>['value'], 'lease' | 'node' | 'lastMessageId'>;

function isBegun(value: object | string | number | null): value is Begun {
  return typeof value === 'object' && value !== null && 'lastMessageId' in value;
}

/** A message to the carrier of the first route, due at once. */
export function acceptCommand(
  more: Pick<CommandOf<'accept'>, 'at' | 'id'> & Partial<CommandOf<'accept'>>,
): CommandOf<'accept'> {
  return {
    kind: 'accept',
    account: 1,
    source: 'http',
    ...helloContent,
    priority: 0,
    route: 1,
    dueAt: more.at,
    expiresAt: more.at + 60_000,
    priceList: 1,
    priceVersion: 1,
    unitPrice: toMicros(10n),
    totalCost: toMicros(10n),
    claim: null,
    ...more,
  };
}
