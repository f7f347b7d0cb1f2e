import type { DatabaseSync } from 'node:sqlite';
import { Statements } from '../sqlite/statements.ts';

/** The reading connection. Integers come as bigints. */
export class Queries extends Statements {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    super(database, () => true);
    this.#database = database;
  }

  /** Runs `read` in one snapshot, so that its answers from several tables fit together. */
  snapshot<T>(read: () => T): T {
    this.#database.exec('begin');
    try {
      return read();
    } finally {
      this.#database.exec('commit');
    }
  }
}
