/* SQLite as the source or the target of a move. */

/* oxlint-disable typescript/no-unsafe-type-assertion -- `setReturnArrays` makes arrays of rows, which the types of Node do not know. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../state/commands.ts';
import { lockDataDirectory } from '../lock.ts';
import { assertNothingLost, makeCommitCount, removeCommitCount } from '../sqlite/commit-count.ts';
import { assertUsable, commitsIn, migrate, openForWriting } from '../sqlite/database.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { Vault } from '../../state/sealing/vault.ts';
import { SqliteEngine } from '../sqlite/engine.ts';
import { SqliteQueries } from '../sqlite/queries.ts';
import { databaseName } from '../stopped.ts';
import { allTables } from '../../state/tables/all.ts';
import type { Queries } from '../views/queries.ts';
import { markInSqlite, markSql, type MoveMark } from './mark.ts';
import { lastSql, keyOf, pageSql, type AnyTable, type Side, type StoredRow } from './side.ts';

/** Pages of 4 KiB in the WAL before they are moved into the file: 64 MiB. */
const checkpointPages = 16_384;

interface Opening {
  readonly folder: string;
  /** The file of the master key. */
  readonly masterKey: string;
  readonly at: Instant;
  readonly aheadMaxMs: number;
}

export class SqliteSide implements Side {
  readonly place: string;
  readonly database: DatabaseSync;
  readonly #opening: Opening;
  readonly #vault: Vault;
  readonly #lock: Disposable;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(opening: Opening, lock: Disposable, database: DatabaseSync) {
    this.place = `the folder ${resolve(opening.folder)}`;
    this.database = database;
    this.#opening = opening;
    this.#vault = new Vault(opening.masterKey);
    this.#lock = lock;
  }

  /** Opens the database of a stopped gateway, or a new one. No gateway can start on the folder meanwhile. */
  static open(opening: Opening, { mayBeNew }: { readonly mayBeNew: boolean }): SqliteSide {
    const { folder } = opening;
    const file = join(folder, databaseName);
    if (!mayBeNew && !existsSync(file)) throw new StoreRefused(`there is no database in ${folder}`);
    using opened = new DisposableStack();
    const lock = opened.use(lockDataDirectory(folder));
    const commits = assertUsable(file, false);
    if (!mayBeNew) assertNothingLost(file, commits);
    const database = opened.adopt(openForWriting(file), (each) => each.close());
    // There is no thread for checkpoints, as a gateway has.
    database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
    migrate(database);
    const side = new SqliteSide(opening, lock, database);
    opened.move();
    return side;
  }

  get #file(): string {
    return join(this.#opening.folder, databaseName);
  }

  async rows(table: AnyTable, after: StoredRow | null, max: number): Promise<readonly StoredRow[]> {
    await afterOthers();
    const places = [...table.key.names.map(() => '?'), '?'];
    const statement = this.#statement(pageSql(table, after === null, places));
    return statement.all(...(after === null ? [] : keyOf(table, after)), max) as unknown as StoredRow[];
  }

  async write(table: AnyTable, rows: readonly StoredRow[]): Promise<void> {
    await afterOthers();
    const { name, shape } = table;
    const places = shape.names.map(() => '?').join(', ');
    const insert = this.#statement(`insert into ${name} (${shape.names.join(', ')}) values (${places})`);
    this.#transaction(() => {
      for (const row of rows) insert.run(...row);
    });
  }

  async last(table: AnyTable): Promise<StoredRow | undefined> {
    return this.#statement(lastSql(table)).get() as unknown as StoredRow | undefined;
  }

  async ask(sql: string): Promise<readonly StoredRow[]> {
    return this.#statement(sql).all() as unknown as StoredRow[];
  }

  snapshot<T>(read: (queries: Queries) => Promise<T>): Promise<T> {
    return new SqliteQueries(this.database, this.#vault).snapshot(read);
  }

  async readMark(): Promise<MoveMark | undefined> {
    return markInSqlite(this.database);
  }

  async mark(mark: MoveMark | undefined): Promise<void> {
    this.#transaction(() => {
      this.database.exec(markSql.make);
      this.database.exec(markSql.clear);
      if (mark) this.database.prepare('insert into morsel_move values (?, ?)').run(mark.state, mark.other);
      else this.database.exec(markSql.drop);
    });
    this.database.exec('pragma wal_checkpoint(truncate)');
  }

  /** What a start does: the lease grows, and what was in flight is in doubt. */
  async fence(): Promise<void> {
    const { at, aheadMaxMs } = this.#opening;
    await this.#apply({ kind: 'begin', at, aheadMaxMs });
  }

  async filled(): Promise<void> {}

  async clear(): Promise<void> {
    // It is of a database that was in this folder before.
    removeCommitCount(this.#file);
    // The triggers that keep entries keep those of a ledger and of an audit log, and these are none yet.
    const guards = this.database.prepare("select name, sql from sqlite_schema where type = 'trigger'").all();
    this.#transaction(() => {
      for (const { name } of guards) this.database.exec(`drop trigger ${String(name)}`);
      for (const { name } of allTables.toReversed()) this.database.exec(`delete from ${name}`);
      for (const { sql } of guards) this.database.exec(String(sql));
    });
  }

  /** Takes over the claims of all nodes: this process is the only one now, and its number is 0. */
  async finish(): Promise<void> {
    this.database.exec(`insert into node (id, last_message_id, lease, seen_at, untrusted_from)
      select 0, 0, 0, max(seen_at), min(untrusted_from) from node where true on conflict (id) do update set
      seen_at = max(node.seen_at, excluded.seen_at),
      untrusted_from = coalesce(min(node.untrusted_from, excluded.untrusted_from), node.untrusted_from, excluded.untrusted_from)`);
    const { at } = this.#opening;
    for (const [node, lease] of await this.ask('select id, lease from node where id <> 0 order by id'))
      await this.#apply({ kind: 'take-over', at, node: Number(node), lease: Number(lease) });
    makeCommitCount(this.#file, commitsIn(this.database));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.database.close();
    this.#lock[Symbol.dispose]();
  }

  async #apply(command: CommandOf<'begin'> | CommandOf<'take-over'>): Promise<void> {
    const { results } = await new SqliteEngine(this.database, { vault: this.#vault }).apply([command]);
    if (results[0]?.ok !== true) throw new Error(`the command ${command.kind} was refused`);
  }

  #transaction(write: () => void): void {
    this.database.exec('begin immediate');
    try {
      write();
      this.database.exec('commit');
    } catch (fault) {
      if (this.database.isTransaction) this.database.exec('rollback');
      throw fault;
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** What was begun before, such as a flight to the other database, is sent first: both databases work at once. */
function afterOthers(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
