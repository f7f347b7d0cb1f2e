import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Record } from './columns.ts';

/**
 * Prepared statements of one connection, each prepared once. On the path of a message a `limit` is written into the
 * SQL: SQLite plans a statement again at each use if its limit is a bound value, which costs 6 to 40 us.
 */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #isWide: (sql: string) => boolean;
  readonly #statements = new Map<string, StatementSync>();

  /** Wide statements return integers as bigints: amounts have 64 bits. */
  constructor(database: DatabaseSync, isWide: (sql: string) => boolean = () => false) {
    this.#database = database;
    this.#isWide = isWide;
  }

  all(sql: string, ...values: SQLInputValue[]): Record[] {
    return this.#statement(sql).all(...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Record | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Row by row, for results that are too large to hold. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<Record> {
    return this.#statement(sql).iterate(...values);
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  /** Runs it and returns the number of changed rows. */
  change(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      if (this.#isWide(sql)) statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** An insert with the names of its columns, which are separated by commas. */
export function insertInto(table: string, columns: string): string {
  return `insert into ${table} (${columns}) values (${columns.replaceAll(/\w+/g, '?')})`;
}
