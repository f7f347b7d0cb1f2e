import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import { checkStart, toMicros } from '@morsel/api/values/money.ts';
import { dayMs, hourMs, minuteMs } from '@morsel/api/values/time.ts';
import { firstIdAt, instantOf, nextMessageId, toMessageId, type MessageId } from '../../../src/core/base/message-id.ts';
import type { Command, CommandOf } from '../../../src/state/commands.ts';
import { startRetaining } from '../../../src/flow/privacy/retention.ts';
import { machineClock } from '../../../src/runtime/clock.ts';
import { machineRandom } from '../../../src/runtime/random.ts';
import { Journal } from '../../../src/store/journal.ts';
import { privacyTexts } from '../../../src/store/lookups/privacy.ts';
import { dropPartitions } from '../../../src/store/postgres/drop-partitions.ts';
import { PostgresEngine } from '../../../src/store/postgres/engine.ts';
import { keepPartitions, migrateDatabase } from '../../../src/store/postgres/migrate.ts';
import { findRanges, partitionedTables, partitionSql } from '../../../src/store/postgres/partitions.ts';
import { PostgresQueries } from '../../../src/store/postgres/queries.ts';
import { toPostgres } from '../../../src/store/postgres/schema.ts';
import { PostgresConnection } from '../../../src/store/postgres/wire/connection.ts';
import { Reader } from '../../../src/store/reader.ts';
import { applyGroup } from '../../../src/store/writer.ts';
import { totalsOf } from '../../support/gateway/slow-totals.ts';
import { operate, viewOf } from '../../support/store/operate.ts';
import { connectAt, Postgres } from '../../support/store/postgres.ts';
import { carrierCommand, routeCommand } from '../../support/store/routing-commands.ts';
import { acceptCommand } from '../../support/store/store.ts';
import { quietLog } from '../../support/quiet-log.ts';
import { testMasterKey, testVault } from '../../support/store/vault.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { needsPostgres } from '../needs.ts';

/* Retention drops whole partitions of PostgreSQL: only old ones, in which everything has ended, with their sums kept. */

const firstDay = Date.UTC(2026, 5, 1);
const recordDays = 2;
/** The ids of the second day begin here. */
const secondDay = firstIdAt(firstDay + dayMs);
/** When the messages of the first day are so old. */
const due = firstDay + (1 + recordDays) * dayMs;

describe('old partitions', needsPostgres, () => {
  let server: Postgres | undefined;
  let store: Store;
  before(async () => {
    server = await Postgres.start();
  });
  after(() => server?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    store = await Store.open(await (server ?? assert.fail('it runs')).makeDatabase());
  });
  afterEach(() => store[Symbol.asyncDispose]());

  it('are dropped with their sums kept, and the ledger, the CDRs and the totals still add up', async () => {
    const [delivered, failed, last] = [store.id(0), store.id(1), store.id(dayMs - minuteMs)];
    // This charge has a message of each day.
    const [before1, after1] = [store.id(dayMs - 1), store.id(dayMs)];
    await store.send(delivered);
    await store.send(failed, { state: 'UNDELIVERABLE' });
    await store.send(last, { at: firstDay + dayMs + minuteMs });
    await store.apply(...[before1, after1].map((id) => store.accept(id)));
    for (const id of [before1, after1]) await store.end(id, firstDay + dayMs);
    assert.deepEqual(await store.drop(due), { days: recordDays, from: secondDay });
    assert.deepEqual(await store.ids('message'), [after1]);
    for (const table of partitionedTables.filter((name) => name !== 'message'))
      assert.deepEqual(await store.value(`select count(*) from ${table} where message <> ${after1}`), '0', table);
    const [first] = await findRanges(store.connection);
    assert.equal(first?.from, secondDay);
    assert.deepEqual(await store.faults(), []);
    const { stored, counted } = await store.totals();
    assert.deepEqual(counted, stored);
    assert.equal(await store.value('select removed from retention'), '4');
    // Nothing is left to do, and a later message is stored as before.
    await store.drop(due);
    await store.send(store.id(dayMs + 1), { at: firstDay + dayMs + 1 });
    assert.deepEqual(await store.faults(), []);
  });

  it('are dropped by retention, which removes no record of the partition that is dropped next', async () => {
    const [old, next] = [store.id(0), store.id(dayMs)];
    await store.send(old);
    await store.send(next);
    const place = { kind: 'postgres', url: store.url, name: 'n2', masterKey: testMasterKey } as const;
    await using journal = await Journal.open({ place, onFatal: fail, onFault: fail });
    await using reader = new Reader({ place, onFatal: fail, onFault: fail });
    await journal.append<'begin'>({ kind: 'begin', at: due });
    const { promise: removedBefore, resolve } = Promise.withResolvers<number>();
    // Records of the second day are due, too, but not all of them.
    const clock = { ...machineClock, now: () => due + dayMs - 1 };
    await using _ = startRetaining({
      log: quietLog,
      clock,
      random: machineRandom,
      reader,
      isHeld: () => false,
      journal: {
        statistics: journal.statistics,
        append: (command) => {
          if ('before' in command && 'what' in command && command.what === 'records') resolve(command.before);
          return journal.append(command);
        },
      },
      dropOld: (now) => dropPartitions(store.url, now),
    });
    assert.equal(await removedBefore, secondDay);
    assert.deepEqual(await store.ids('message'), [next]);
    assert.match(String(await store.value('select receiver from message')), /^~/);
  });

  it('stay while a message has not ended, or some account keeps them', async () => {
    const open = store.id(0);
    await store.apply(store.accept(open));
    assert.deepEqual(await store.drop(due), { days: recordDays, from: secondDay });
    assert.deepEqual(await store.ids('message'), [open]);
    await store.end(open, firstDay);
    await store.apply(operate('account.add', { name: 'longer', currency: 'EUR' }, { at: firstDay, made: {} }));
    const longer = await store.drop(due);
    assert.ok(longer && longer.days > recordDays);
    assert.deepEqual(await store.ids('message'), [open]);
    assert.deepEqual(await store.faults(), []);
  });

  it('wait for a long query, and stay if a message changed meanwhile', async () => {
    const [message, url] = [store.id(0), store.url];
    await store.send(message);
    // The empty partition of all days before goes first.
    await store.drop(due - dayMs);
    const reader = await connectAt(url);
    await reader.query({ text: 'begin', rowMode: 'array' });
    await reader.query({ text: 'select count(*) from message', rowMode: 'array' });
    const dropped = store.drop(due);
    const waiting = 'select count(*) from pg_locks where not granted';
    await waitUntil('the drop waits', async () => (await store.value(waiting)) !== '0');
    await store.receipt(message, firstDay);
    await reader.query({ text: 'commit', rowMode: 'array' });
    await dropped;
    assert.deepEqual(await store.ids('message'), [message], 'a second receipt came');
    await store.drop(due);
    assert.deepEqual(await store.ids('message'), []);
    const { stored, counted } = await store.totals();
    assert.deepEqual(counted, stored);
  });

  it('have records that are removed one by one without reading others', async () => {
    const { connection } = store;
    const ids = `select ${store.id(0)} + n * 4096 as id from generate_series(1, 20000) as n`;
    const part = 'message, number, changed_at, attempts, tries, in_doubt, ended_by_text, state, eligible, cdr';
    const filling = [
      `insert into cdr (id, account, message, part, ended_at, event) select id, 1, id, 1, 0, 'delivered' from (${ids}) as made`,
      `insert into part (${part}) select id, 1, 0, 1, 1, 0, 0, 'delivered', '', id from (${ids}) as made`,
      'analyze cdr, part',
      'set plan_cache_mode = force_generic_plan',
    ];
    for (const text of filling) await connection.send([{ text }]);
    for (const sql of privacyTexts['message.remove-records']) {
      await connection.send([{ text: `prepare removal (bigint, bigint) as ${toPostgres(sql)}` }]);
      const [found = []] = await connection.send([{ text: 'explain execute removal (1, 2)' }]);
      const steps = found.map(([step]) => String(step));
      const scans = steps.filter(
        (step, at) => / Scan .*on (cdr|part)_/.test(step) && !steps[at + 1]?.includes('Index Cond'),
      );
      assert.deepEqual(scans, [], sql);
      await connection.send([{ text: 'deallocate removal' }]);
    }
  });

  it('of four weeks, which an older node made during an upgrade, are followed by days, and dropped whole', async () => {
    const { to } = (await findRanges(store.connection)).at(-1) ?? assert.fail('there are some');
    assert.ok(to !== 'maxvalue');
    const [from, until] = [instantOf(toMessageId(to)), instantOf(toMessageId(to)) + 28 * dayMs];
    const weeks = { from: to, to: firstIdAt(until) };
    await store.connection.send(partitionSql(weeks).map((text) => ({ text })));
    await keepPartitions(store.connection, from + dayMs);
    assert.deepEqual((await findRanges(store.connection)).at(-1), weeks);
    await keepPartitions(store.connection, until - dayMs);
    const next = (await findRanges(store.connection)).filter((range) => range.from !== 'minvalue' && range.from > to);
    assert.deepEqual(next[0], { from: weeks.to, to: firstIdAt(until + dayMs) });
    const [within, later] = [from - firstDay + dayMs, until - firstDay];
    for (const at of [within, later]) await store.send(store.id(at), { at: firstDay + at });
    // Messages of so long a partition are removed one by one until all of them are due.
    const early = from + 10 * dayMs;
    assert.deepEqual(await store.drop(early), { days: recordDays, from: firstIdAt(early - recordDays * dayMs) });
    await store.drop(until + recordDays * dayMs);
    assert.deepEqual(await store.ids('message'), [store.id(later)]);
    assert.deepEqual(await store.faults(), []);
  });

  it('are as long as the accounts keep records, and shorter while there are many messages', async () => {
    const daysOfNewest = async (now: number) => {
      await keepPartitions(store.connection, now);
      const [from, to] = Object.values((await findRanges(store.connection)).at(-1) ?? {}).map(Number);
      return (Number(to) - Number(from)) / (secondDay - firstIdAt(firstDay));
    };
    const later = firstDay + 30 * dayMs;
    await store.connection.send([{ text: 'update account set record_days = 3200' }]);
    assert.equal(await daysOfNewest(later), 200);
    // A million messages a day.
    const count = `insert into traffic_slot select 3600, ${Math.floor(later / hourMs)} + 210 * 24, 7000000, 0, 0, 0, 0, 0, 0, 0, 0, 'EUR'`;
    await store.connection.send([{ text: count }]);
    assert.equal(await daysOfNewest(later + 210 * dayMs), 50);
  });
});

class Store implements AsyncDisposable {
  readonly url: string;
  readonly connection: PostgresConnection;
  readonly #engine: PostgresEngine;
  #lease = 0;

  private constructor(url: string, connection: PostgresConnection, engine: PostgresEngine) {
    this.url = url;
    this.connection = connection;
    this.#engine = engine;
  }

  /** A store with a partition for each of the first days, and an account that keeps records for two days. */
  static async open(url: string): Promise<Store> {
    const connection = await PostgresConnection.open(url);
    await migrateDatabase(connection);
    await keepPartitions(connection, firstDay);
    const store = new Store(url, connection, await PostgresEngine.open({ url, name: 'n1', vault: testVault }));
    const [begun] = await store.apply({ kind: 'begin', at: firstDay });
    if (begun?.ok && typeof begun.value === 'object' && begun.value && 'lease' in begun.value)
      store.#lease = begun.value.lease;
    const days = { textDays: 1, numberDays: 1, recordDays };
    const given = { name: 'acme', currency: 'EUR', balance: toMicros(1_000n), ...days } as const;
    await store.apply(operate('account.add', given, { at: firstDay, made: {} }));
    await store.apply(carrierCommand({ at: firstDay }));
    await store.apply(routeCommand({ at: firstDay }));
    const prices = [{ prefix: '41', price: toMicros(10n) }];
    await store.apply(operate('price.set', { list: 'default', prices }, { at: firstDay }));
    return store;
  }

  /** The first message id so long after the beginning of the first day. */
  id(afterMs: number): MessageId {
    return nextMessageId(0, firstDay + afterMs, this.#lease % 128);
  }

  async apply(...commands: Command[]) {
    const results = await applyGroup(this.#engine, commands, { fault: fail, noRoom: fail, applied: () => undefined });
    for (const result of results) assert.ok(result.ok, inspect(result));
    return results;
  }

  accept(id: MessageId): CommandOf<'accept'> {
    const claim = { carrier: 1, link: 1, lease: this.#lease, isWhole: false };
    return acceptCommand({ at: firstDay, id, claim });
  }

  async send(id: MessageId, { at = firstDay, state = 'DELIVERED' as const }: Partial<Sent> = {}): Promise<void> {
    await this.apply(this.accept(id));
    await this.end(id, at, state);
  }

  async end(id: MessageId, at: number, state: Sent['state'] = 'DELIVERED'): Promise<void> {
    const [carrierId, carrierIdKey] = [String(id), String(id)];
    const given = {
      part: 1,
      attempt: 1,
      carrier: 1,
      lease: this.#lease,
      outcome: 'accepted',
      scope: 'message',
    } as const;
    await this.apply({ kind: 'outcome', at, message: id, ...given, code: null, carrierId, carrierIdKey });
    await this.receipt(id, at, state);
  }

  async receipt(id: MessageId, at: number, state: Sent['state'] = 'DELIVERED'): Promise<void> {
    const [carrierId, carrierIdKey] = [String(id), String(id)];
    const numbers = { sender: '+41790000001', receiver: '+41790000002' };
    await this.apply({ kind: 'receipt', at, carrier: 1, carrierId, carrierIdKey, state, errorCode: null, ...numbers });
  }

  drop(now: number) {
    return dropPartitions(this.url, now);
  }

  get #queries(): PostgresQueries {
    return new PostgresQueries(this.connection, testVault);
  }

  /** The faults that the operator's checks of the ledger and of the CDRs find. */
  async faults(): Promise<unknown[]> {
    return [
      ...(await this.#faultsOf('ledger.check', checkStart)),
      ...(await this.#faultsOf('cdr.check', 'messages/0')),
    ];
  }

  async #faultsOf(view: 'ledger.check' | 'cdr.check', start: string): Promise<unknown[]> {
    const faults: unknown[] = [];
    for (let place: string | null = start; place !== null;) {
      const chunk: AnswerOf<OperationNamed<typeof view>> = await viewOf(this.#queries, view, { after: place });
      faults.push(...chunk.faults);
      place = chunk.next;
    }
    return faults;
  }

  totals() {
    const rows = async (text: string) => {
      const { names, found } = await this.connection.ask({ text, values: [] });
      return found.map((row) => Object.fromEntries(names.map((name, at) => [name, String(row[at])])));
    };
    return totalsOf({ queries: this.#queries, rows });
  }

  async value(text: string): Promise<unknown> {
    const [[[value] = []] = []] = await this.connection.send([{ text }]);
    return value;
  }

  async ids(table: string): Promise<number[]> {
    const [found = []] = await this.connection.send([{ text: `select id from ${table} order by id` }]);
    return found.map(([id]) => Number(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
    await this.connection.close();
  }
}

function fail(fault: unknown): never {
  assert.fail(String(fault));
}

interface Sent {
  readonly at: number;
  readonly state: 'DELIVERED' | 'UNDELIVERABLE';
}
