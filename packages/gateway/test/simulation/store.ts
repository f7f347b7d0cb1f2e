/*
 * The store of a simulation: the real journal, writer and engine, on SQLite in memory and without threads.
 */

import { DatabaseSync } from 'node:sqlite';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import type { AnyResult, Command } from '../../src/state/commands.ts';
import { Journal, type JournalOptions, type WritingThread } from '../../src/store/journal.ts';
import { migrate } from '../../src/store/sqlite/database.ts';
import { SqliteEngine } from '../../src/store/sqlite/engine.ts';
import { SqliteQueries } from '../../src/store/sqlite/queries.ts';
import { readView, type ViewAnswer, type ViewInput, type ViewName } from '../../src/store/views/views.ts';
import { writeFor, type Applied, type FromWriter, type ToWriter, type WriterPort } from '../../src/store/writer.ts';
import { testVault } from '../support/store/vault.ts';
import { usualStallMs } from './faults.ts';
import type { ProcessClock, World } from './world.ts';

let schema: string | undefined;

/** The statements that make an empty database. The migrations take 40 ms, so they run once in a process. */
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

/** Chances of the faults of a disk. */
export interface DiskFaults {
  /** A commit waits for up to this long. */
  stallMaxMs: number;
  isFull: boolean;
}

class SimEngine extends SqliteEngine {
  readonly #world: World;
  readonly #given;

  constructor(
    world: World,
    given: {
      readonly clock: ProcessClock;
      readonly store: SimStore;
      readonly seen: (command: Command, result: AnyResult) => void;
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
    for (const [at, result] of applied.results.entries()) {
      const command = commands[at];
      if (command) seen(command, result);
    }
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
  readonly faults: DiskFaults = { stallMaxMs: usualStallMs, isFull: false };

  constructor() {
    this.database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
    this.database.exec((schema ??= newSchema()));
    this.queries = new SqliteQueries(this.database, testVault);
  }

  close(): void {
    this.database.close();
  }
}

/**
 * The journal of one run of a gateway, and its writing thread. A crash may come before a command reaches the thread,
 * before its commit, and between its commit and its answer.
 */
export function openJournal(
  world: World,
  given: Pick<JournalOptions, 'onApplied' | 'onGroup'> & {
    readonly clock: ProcessClock;
    readonly store: SimStore;
    /** Called with each command that was committed or refused, also if a crash loses its answer. */
    readonly seen: (command: Command, result: AnyResult) => void;
    readonly bugs: unknown[];
  },
): Journal {
  const { clock, store, bugs, seen, ...options } = given;
  const engine = new SimEngine(world, { clock, store, seen });
  const [forJournal, forWriter] = portsOf(world, clock);
  writeFor({ port: forWriter, engine, describe: String });
  const bug = (reason: string) => bugs.push(reason);
  return new Journal(forJournal, { ...options, onFatal: bug, onFault: bug }, durability);
}

const durability = { engine: 'SQLite', commitSettings: '', warnings: [] } as const;

/** The two sides between the threads. Messages are copied, take time, and keep their order. */
function portsOf(world: World, clock: ProcessClock): [WritingThread, WriterPort] {
  const newLane = <Message>() => {
    let hear: ((message: Message) => void) | undefined;
    let lastAt = 0;
    const send = (message: Message) => {
      const copy = structuredClone(message);
      lastAt = Math.max(lastAt + 0.001, world.nowMs + 0.05 + world.chance.next() ** 3);
      world.after(lastAt - world.nowMs, () => {
        if (clock.isAlive) hear?.(copy);
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
          (answer) => resolve(ok(answer as ViewAnswer<V>)),
          reject,
        );
      });
    });
  }
}
