/*
 * The store of a simulation: the real journal, writer and engine, on SQLite in memory and without threads.
 */

import { DatabaseSync } from 'node:sqlite';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import type { Command } from '../../src/state/commands.ts';
import { Journal, type JournalOptions, type WritingThread } from '../../src/store/journal.ts';
import { LeaseLost } from '../../src/store/postgres/engine.ts';
import { migrate } from '../../src/store/sqlite/database.ts';
import { SqliteEngine } from '../../src/store/sqlite/engine.ts';
import { SqliteQueries } from '../../src/store/sqlite/queries.ts';
import { readView, type ViewAnswer, type ViewInput, type ViewName } from '../../src/store/views/views.ts';
import { writeFor, type Applied, type FromWriter, type ToWriter, type WriterPort } from '../../src/store/writer.ts';
import { testVault } from '../support/store/vault.ts';
import { SimDatabase } from './database.ts';
import { usualNoticeMs, usualStallMs } from './faults.ts';
import { SimPostgresEngine, type Seen } from './postgres/engine.ts';
import { postgresSchemaOf } from './postgres/schema.ts';
import { SimPostgres, type ServerFaults } from './postgres/server.ts';
import type { ProcessClock, World } from './world.ts';

let schema: string | undefined;

/** The statements that make the empty tables of SQLite. The migrations take 40 ms, so they run once in a process. */
function newSchema(): string {
  using database = new DatabaseSync(':memory:');
  migrate(database);
  const made = database
    .prepare("select sql from sqlite_schema where sql is not null and name not like 'sqlite_%'")
    .all();
  const rows: string[] = [];
  for (const { name } of database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()) {
    for (const row of database.prepare(`select * from ${String(name)}`).all()) {
      const values = Object.values(row).map((value) =>
        value === null ? 'null' : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
      );
      rows.push(`insert into ${String(name)} (${Object.keys(row).join()}) values (${values.join()})`);
    }
  }
  const version = String(database.prepare('pragma user_version').get()?.['user_version']);
  return [`pragma user_version = ${version}`, ...made.map(({ sql }) => String(sql)), ...rows].join(';\n');
}

class SimEngine extends SqliteEngine {
  readonly #world: World;
  readonly #given;

  constructor(
    world: World,
    given: {
      readonly clock: ProcessClock;
      readonly store: SimStore;
      readonly seen: Seen;
    },
  ) {
    super(given.store.database, { vault: testVault });
    this.#world = world;
    this.#given = given;
  }

  override async apply(commands: readonly Command[]): Promise<Applied> {
    const { clock, store, seen } = this.#given;
    await new Promise<void>((resolve) => {
      this.#world.soon(0.1, store.faults.stallMaxMs, () => {
        if (clock.isAlive) resolve();
      });
    });
    const applied = await super.apply(commands);
    for (const [at, command] of commands.entries()) seen(command, applied.results[at]);
    return applied;
  }

  protected override commit(): void {
    if (this.#given.store.faults.isFull) throw new DiskFull();
    super.commit();
    this.#world.commits += 1;
  }

  override isNoRoom(fault: unknown): boolean {
    return fault instanceof DiskFull || super.isNoRoom(fault);
  }
}

class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** The database of all runs of a gateway, which a crash leaves as the last commit made it. */
export class SimStore {
  readonly database: DatabaseSync;
  readonly queries: SqliteQueries;
  readonly faults: ServerFaults = {
    stallMaxMs: usualStallMs,
    isFull: false,
    isDown: false,
    noticeMaxMs: usualNoticeMs,
  };
  /** The server in whose tables several nodes write; undefined for SQLite with a single node. */
  readonly server: SimPostgres | undefined;

  constructor(world: World, isShared: boolean) {
    this.database = isShared
      ? new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
      : SimDatabase.begin();
    if (isShared) {
      this.server = new SimPostgres(world, this.database, this.faults);
      this.database.exec((schema ??= postgresSchemaOf(newSchema())));
    }
    this.queries = new SqliteQueries(this.database, testVault);
  }

  close(): void {
    if (this.database instanceof SimDatabase) this.database.end();
    else this.database.close();
  }
}

/**
 * The journal of one run of a gateway, and its writing thread. A crash may come before a command reaches the thread,
 * before its commit, and between its commit and its answer.
 */
export async function openJournal(
  world: World,
  given: Pick<JournalOptions, 'onApplied' | 'onGroup' | 'onReplaced'> & {
    readonly clock: ProcessClock;
    readonly store: SimStore;
    /** The name of the node. */
    readonly name: string;
    readonly seen: Seen;
    readonly bugs: unknown[];
  },
): Promise<Journal> {
  const { clock, store, name, bugs, seen, ...options } = given;
  const { server } = store;
  const [forJournal, forWriter] = portsOf(world, clock);
  const away = (isAway: boolean) => forWriter.say({ kind: 'away', isAway });
  const engine = server
    ? await SimPostgresEngine.start({ server, clock, name, seen, away })
    : new SimEngine(world, { clock, store, seen });
  writeFor({
    port: forWriter,
    engine,
    describe: String,
    isReplaced: (fault) => fault instanceof LeaseLost,
    setTimer: clock.setTimer,
  });
  const bug = (reason: string) => bugs.push(reason);
  const durability = { engine: server ? 'PostgreSQL' : 'SQLite', commitSettings: '', warnings: [] } as const;
  return new Journal(forJournal, { ...options, onFatal: bug, onFault: bug }, durability);
}

/** The two sides between the threads. Messages are copied, take time, and keep their order. */
function portsOf(world: World, clock: ProcessClock): [WritingThread, WriterPort] {
  const newLane = <Message>() => {
    let hear: ((message: Message) => void) | undefined;
    let lastAt = 0;
    const send = (message: Message) => {
      const copy = structuredClone(message);
      lastAt = Math.max(lastAt + 0.001, world.nowMs + 0.05 + world.chance.next() ** 3);
      world.after(lastAt - world.nowMs, () => {
        clock.act(() => hear?.(copy));
      });
    };
    return { send, onMessage: (call: (message: Message) => void) => void (hear = call) };
  };
  const there = newLane<ToWriter>();
  const back = newLane<FromWriter>();
  const journalSide: WritingThread = {
    post: there.send,
    onMessage: back.onMessage,
    atTurnsEnd: (call) => world.last(call),
    end: async () => undefined,
  };
  const writerSide: WriterPort = {
    onMessage: there.onMessage,
    receive: () => undefined,
    say: back.send,
    close: () => undefined,
  };
  return [journalSide, writerSide];
}

/** Reads the views at once, and answers a little later. */
export class SimReader {
  readonly #world: World;
  readonly #clock: ProcessClock;
  readonly #store: SimStore;

  constructor(world: World, { clock, store }: { readonly clock: ProcessClock; readonly store: SimStore }) {
    this.#world = world;
    this.#clock = clock;
    this.#store = store;
  }

  ask<V extends ViewName>(view: V, input: ViewInput<V>): Promise<Result<ViewAnswer<V>, Rejection>> {
    return new Promise((resolve, reject) => {
      this.#world.soon(0.05, 2, () => {
        if (!this.#clock.isAlive) return;
        readView(this.#store.queries, view, structuredClone(input)).then(
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the view's name chose the function whose answer this is
          (answer) => this.#clock.act(() => resolve(ok(answer as ViewAnswer<V>))),
          reject,
        );
      });
    });
  }
}
