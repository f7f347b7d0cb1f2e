import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Engine } from '../apply.ts';
import type { Command } from '../commands/commands.ts';
import type { Rows } from '../tables/rows.ts';
import { isFatal, isNoRoom } from './faults.ts';
import { Loader } from './load/load.ts';
import { Writer } from './write/write.ts';

/** The engine for one machine: groups as SQLite transactions on the one connection that writes. */
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

  /** Somebody listens to these accounts, and to no others. */
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
    // SQLite has rolled back by itself after some faults (a full disk among them).
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
