import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Record } from '../sqlite/row-readers.ts';

/** Prepared statements of one reading connection, each made once. Integers come as bigints: amounts are 64 bits wide. */
export class Queries {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(sql: string, ...values: SQLInputValue[]): Record[] {
    return this.#statement(sql).all(...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Record | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Runs `read` in one snapshot, so that what it asks of several tables belongs together. */
  snapshot<T>(read: () => T): T {
    this.#database.exec('begin');
    try {
      return read();
    } finally {
      this.#database.exec('commit');
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
