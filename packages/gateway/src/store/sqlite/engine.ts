import type { Command } from '../commands.ts';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Engine } from '../apply.ts';
import type { Rows } from '../tables/rows.ts';
import { isFatal, isNoRoom } from './faults.ts';
import { Loader } from './load/load.ts';
import { Writer } from './write/write.ts';

/** The SQLite engine: each group is a transaction on the one writing connection. */
export class SqliteEngine implements Engine {
  readonly #database: DatabaseSync;
  readonly #loader: Loader;
  readonly #writer: Writer;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  #rows: Rows | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#loader = new Loader(database);
    this.#writer = new Writer(database);
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.#rollback = database.prepare('rollback');
  }

  /** From now on, events of these accounts, and no others, are reported. */
  listen(accounts: readonly number[]): void {
    this.#loader.listen(accounts);
  }

  begin(): void {
    this.#begin.run();
  }

  load(commands: readonly Command[]): Rows {
    this.#rows = this.#loader.load(commands);
    return this.#rows;
  }

  write(rows: Rows): void {
    this.#writer.write(rows);
  }

  commit(): void {
    this.#commit.run();
    if (this.#rows) this.#loader.committed(this.#rows);
  }

  rollback(): void {
    // SQLite rolls back by itself after some faults, such as a full disk.
    if (this.#database.isTransaction) this.#rollback.run();
    this.#loader.rolledBack();
  }

  isNoRoom(fault: unknown): boolean {
    return isNoRoom(fault);
  }

  isFatal(fault: unknown): boolean {
    return isFatal(fault);
  }
}
