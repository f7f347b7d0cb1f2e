import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Engine } from '../apply.ts';
import type { Command } from '../commands.ts';
import type { Rows } from '../rows.ts';
import { Loader } from './load.ts';
import { Writer } from './write.ts';

/** Result codes of SQLite (sqlite.org/rescode.html): the primary code is the low byte. */
const sqliteReadOnly = 8;
const sqliteIoError = 10;
const sqliteCorrupt = 11;
const sqliteFull = 13;
const sqliteNotADatabase = 26;

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
    return [sqliteFull, sqliteReadOnly].includes(primaryCode(fault));
  }

  /** After an I/O error nobody knows what the disk holds; a failed fsync in particular is never retried (P4). */
  isFatal(fault: unknown): boolean {
    return [sqliteIoError, sqliteCorrupt, sqliteNotADatabase].includes(primaryCode(fault));
  }
}

function primaryCode(fault: unknown): number {
  if (!(fault instanceof Error) || !('errcode' in fault) || typeof fault.errcode !== 'number') return 0;
  return fault.errcode & 0xff;
}
