import type { DatabaseSync } from 'node:sqlite';
import { Statements } from '../sqlite/statements.ts';

/** The connection for reading. */
export class Queries extends Statements {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    super(database);
    this.#database = database;
  }

  /** Runs `read` in one database transaction, so that rows from several tables belong to the same state. */
  snapshot<T>(read: () => T): T {
    this.#database.exec('begin');
    try {
      return read();
    } finally {
      this.#database.exec('commit');
    }
  }
}
