/* SQLite as the source or the target of a move. */

import { nodeTable } from '../../state/tables/node.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '@morsel/api/values/time.ts';
import type { CommandOf } from '../../state/commands.ts';
import { StoreRefused } from '../../state/sealing/refused.ts';
import { Vault } from '../../state/sealing/vault.ts';
import { allTables } from '../../state/tables/all.ts';
import { lockDataDirectory } from '../lock.ts';
import { assertNothingLost, makeCommitCount, removeCommitCount } from '../sqlite/commit-count.ts';
import { assertUsable, commitsIn, migrate, openForWriting } from '../sqlite/database.ts';
import { SqliteEngine } from '../sqlite/engine.ts';
import { SqliteQueries } from '../sqlite/queries.ts';
import { soleNode } from '../sqlite/start.ts';
import { Statements } from '../sqlite/statements.ts';
import { writeSql } from '../sqlite/table-statements.ts';
import { databaseName } from '../stopped.ts';
import { markInSqlite, type MoveMark } from './mark.ts';
import type { MovedRow, MovedTable, Side, Sql } from './side.ts';

/** Pages of 4 KiB in the WAL before they are copied into the file: 64 MiB. */
const checkpointPages = 16_384;

interface Opening {
  readonly folder: string;
  /** The file of the master key. */
  readonly masterKey: string;
  readonly at: Instant;
  readonly aheadMaxMs: number;
}

export class SqliteSide implements Side {
  readonly engine = 'sqlite';
  readonly place: string;
  readonly queries: SqliteQueries;
  readonly database: DatabaseSync;
  readonly #file: string;
  readonly #opening: Opening;
  readonly #lock: Disposable;
  readonly #statements: Statements;

  private constructor(opening: Opening, lock: Disposable, database: DatabaseSync) {
    this.place = `the folder ${resolve(opening.folder)}`;
    this.database = database;
    this.queries = new SqliteQueries(database, new Vault(opening.masterKey));
    this.#file = join(opening.folder, databaseName);
    this.#opening = opening;
    this.#lock = lock;
    this.#statements = new Statements(database);
  }

  /** Opens the database of a stopped gateway, or a new one. While it is open, no gateway can start on the folder. */
  static open(opening: Opening, { mayBeNew }: { readonly mayBeNew: boolean }): SqliteSide {
    const { folder } = opening;
    const file = join(folder, databaseName);
    if (!mayBeNew && !existsSync(file)) throw new StoreRefused(`there is no database in ${folder}`);
    using opened = new DisposableStack();
    const lock = opened.use(lockDataDirectory(folder));
    const commits = assertUsable(file, false);
    if (!mayBeNew) assertNothingLost(file, commits);
    const database = opened.adopt(openForWriting(file), (each) => each.close());
    // A move has no checkpoint thread, as a gateway has, so SQLite makes checkpoints by itself.
    database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
    migrate(database);
    const side = new SqliteSide(opening, lock, database);
    opened.move();
    return side;
  }

  async insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    // This lets the other database answer meanwhile.
    await new Promise((done) => setImmediate(done));
    const sql = writeSql(table, 'new');
    await this.run(...rows.map((row) => [sql, ...table.shape.write(row)] as const));
  }

  async run(...statements: readonly Sql[]): Promise<void> {
    this.database.exec('begin immediate');
    try {
      for (const [sql, ...values] of statements) this.#statements.run(sql, ...values);
      this.database.exec('commit');
    } catch (fault) {
      if (this.database.isTransaction) this.database.exec('rollback');
      throw fault;
    }
  }

  async readMark(): Promise<MoveMark | undefined> {
    return markInSqlite(this.database);
  }

  /** Does what a start of the gateway does: the lease grows, and parts in flight are in doubt. */
  async fence(): Promise<void> {
    const { at, aheadMaxMs } = this.#opening;
    await this.#apply({ kind: 'begin', at, aheadMaxMs });
  }

  async clear(): Promise<void> {
    // The file counts commits of a database that was in this folder before.
    removeCommitCount(this.#file);
    // The triggers that guard entries are dropped meanwhile, because half-moved rows are no ledger or audit log yet.
    const guards = this.database.prepare("select name, sql from sqlite_schema where type = 'trigger'").all();
    await this.run(
      ...guards.map(({ name }) => [`drop trigger ${String(name)}`] as const),
      ...allTables.toReversed().map(({ name }) => [`delete from ${name}`] as const),
      ...guards.map(({ sql }) => [String(sql)] as const),
    );
  }

  /** Takes over the claims of all nodes, because this process, with the node number 0, is now the only one. */
  async finish(): Promise<void> {
    await this.run([
      `insert into node (id, last_message_id, lease, seen_at, untrusted_from, last_cdr, groups)
        select ${soleNode}, 0, 0, max(seen_at), min(untrusted_from), 0, 0 from node where true
        on conflict (id) do update set seen_at = excluded.seen_at, untrusted_from = excluded.untrusted_from`,
    ]);
    const { at } = this.#opening;
    for (const { id: node, lease } of this.#statements.find(nodeTable, 'where id <> ? order by id', soleNode))
      await this.#apply({ kind: 'take-over', at, node, lease });
    makeCommitCount(this.#file, commitsIn(this.database));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.database.close();
    this.#lock[Symbol.dispose]();
  }

  async #apply(command: CommandOf<'begin'> | CommandOf<'take-over'>): Promise<void> {
    const { results } = await new SqliteEngine(this.database, this.queries).apply([command]);
    if (results[0]?.ok !== true) throw new Error(`the command ${command.kind} was refused`);
  }
}
