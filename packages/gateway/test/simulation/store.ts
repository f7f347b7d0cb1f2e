/*
 * The store of a simulation: the real engine on SQLite in memory, without threads. A group of commands is committed
 * whole or not at all. A crash may come before the commit, or after it and before the answers.
 */

import { DatabaseSync } from 'node:sqlite';
import { refused, ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../src/state/commands.ts';
import { migrate } from '../../src/store/sqlite/database.ts';
import { SqliteEngine } from '../../src/store/sqlite/engine.ts';
import { SqliteQueries } from '../../src/store/sqlite/queries.ts';
import { readView, type ViewAnswer, type ViewInput, type ViewName } from '../../src/store/views/views.ts';
import { applyGroup, groupMax } from '../../src/store/writer.ts';
import type { JournalOptions } from '../../src/store/journal.ts';
import { testVault } from '../support/store/vault.ts';
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
  isFull = false;

  protected override commit(): void {
    if (this.isFull) throw new DiskFull();
    super.commit();
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
  readonly faults: DiskFaults = { stallMaxMs: 3, isFull: false };

  constructor() {
    this.database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
    this.database.exec((schema ??= newSchema()));
    this.queries = new SqliteQueries(this.database, testVault);
  }

  close(): void {
    this.database.close();
  }
}

interface Waiting {
  readonly command: Command;
  readonly done: (result: AnyResult) => void;
}

type Followers = Pick<JournalOptions, 'onNews' | 'onNoRoom' | 'onAway' | 'onApplied'>;

/** The journal of one run of a gateway. */
export class SimJournal {
  readonly durability = { engine: 'SQLite', commitSettings: '', warnings: [] } as const;
  readonly #world: World;
  readonly #clock: ProcessClock;
  readonly #store: SimStore;
  readonly #engine: SimEngine;
  readonly #seen: (command: Command, result: AnyResult) => void;
  /** Bugs: commands that could not be applied. */
  readonly bugs: unknown[];
  #followers: Followers;
  #waiting: Waiting[] = [];
  #isBusy = false;
  #groups = 0;
  #commands = 0;

  constructor(
    world: World,
    given: {
      readonly clock: ProcessClock;
      readonly store: SimStore;
      readonly onApplied: (command: Command, result: AnyResult) => void;
      /** Called with each committed or refused command, also if a crash loses its answer. */
      readonly seen: (command: Command, result: AnyResult) => void;
      readonly bugs: unknown[];
    },
  ) {
    this.#world = world;
    this.#clock = given.clock;
    this.#store = given.store;
    this.#engine = new SimEngine(given.store.database, { vault: testVault });
    this.#followers = { onApplied: given.onApplied };
    this.#seen = given.seen;
    this.bugs = given.bugs;
  }

  get statistics() {
    return { groups: this.#groups, commands: this.#commands, waiting: this.#waiting.length };
  }

  append<K extends Command['kind']>(command: CommandOf<K>): Promise<ResultOf<K>>;
  append(command: Command): Promise<AnyResult> {
    return new Promise((done) => this.appendThen<Command['kind']>(command, done));
  }

  appendThen<K extends Command['kind']>(command: CommandOf<K>, done: (result: ResultOf<K>) => void): void;
  appendThen(command: Command, done: (result: AnyResult) => void): void {
    // The real journal copies commands to another thread, so that later changes of the object change nothing.
    this.#waiting.push({ command: structuredClone(command), done });
    if (!this.#isBusy) this.#begin();
  }

  follow(followers: Partial<Followers>): void {
    this.#followers = { ...this.#followers, ...followers };
  }

  listen(accounts: readonly number[]): void {
    this.#engine.listen(accounts);
  }

  forget(): void {
    // The only node of its store has nothing to forget.
  }

  async clean(): Promise<void> {
    // SQLite in memory has no files with old copies.
  }

  /** Gathers the next group, commits it and answers: three moments between which the process may crash. */
  #begin(): void {
    this.#isBusy = true;
    this.#later(0.05, 1, () => {
      // As in the real journal, outcomes and receipts go before new messages only if more than two groups wait.
      const group = this.#waiting.splice(0, this.#world.chance.between(1, groupMax));
      this.#later(0.1, this.#store.faults.stallMaxMs, () => void this.#commit(group));
    });
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    this.#engine.isFull = this.#store.faults.isFull;
    let noRoom: string | undefined;
    const news: Parameters<NonNullable<Followers['onNews']>>[0][number][] = [];
    const results = await applyGroup(
      this.#engine,
      group.map(({ command }) => command),
      {
        fault: (fault) => this.bugs.push(fault),
        noRoom: (fault) => (noRoom = String(fault)),
        applied: (rows) => news.push(...rows.news.values()),
      },
    );
    for (const [at, { command }] of group.entries()) this.#seen(command, results[at] ?? unanswered);
    this.#later(0.05, 1, () => {
      this.#groups += 1;
      this.#commands += group.length;
      this.#isBusy = false;
      if (this.#waiting.length > 0) this.#begin();
      for (const [at, { command, done }] of group.entries()) {
        const result = results[at] ?? unanswered;
        this.#followers.onApplied?.(command, result);
        done(structuredClone(result));
      }
      if (noRoom !== undefined) this.#followers.onNoRoom?.(noRoom);
      if (news.length > 0) this.#followers.onNews?.(news);
    });
  }

  #later(leastMs: number, mostMs: number, call: () => void): void {
    this.#world.soon(leastMs, mostMs, () => {
      if (this.#clock.isAlive) call();
    });
  }
}

const unanswered = refused({ code: 'internal_error' } as const);

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
