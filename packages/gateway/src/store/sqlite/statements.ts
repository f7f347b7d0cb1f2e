/* The prepared statements of one connection, each prepared once. */

/* oxlint-disable typescript/no-unsafe-type-assertion -- `setReturnArrays` makes arrays of rows, and a table is the key of its own statements. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Change, Shape, Table } from '../../state/tables/table.ts';
import type { Column, Stored } from '../../state/tables/column.ts';
import { TableStatements } from './table-statements.ts';

/**
 * A `limit` in a statement for each message is written into the SQL: with a bound value, SQLite plans again at each
 * use, 6 to 40 us.
 */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #narrow = new Map<string, StatementSync>();
  /** Statements that return integers as bigints, because amounts have 64 bits. */
  readonly #wide = new Map<string, StatementSync>();
  readonly #ofTables = new Map<unknown, unknown>();
  readonly #shapedOnes = new Map<string, { readonly shape: unknown }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values);
  }

  rows<T>(shape: Shape<T>, sql: string, ...values: SQLInputValue[]): T[] {
    const { statement, read } = this.#shaped(shape, sql);
    return (statement.all(...values) as unknown as Stored[][]).map(read);
  }

  row<T>(shape: Shape<T>, sql: string, ...values: SQLInputValue[]): T | undefined {
    const { statement, read } = this.#shaped(shape, sql);
    const stored = statement.get(...values) as unknown as Stored[] | undefined;
    return stored && read(stored);
  }

  /** Reads row by row, for results that are too large for memory. */
  *each<T>(shape: Shape<T>, sql: string, ...values: SQLInputValue[]): Iterable<T> {
    const { statement, read } = this.#shaped(shape, sql);
    for (const stored of statement.iterate(...values)) yield read(stored as unknown as Stored[]);
  }

  values<T>(column: Column<T>, sql: string, ...values: SQLInputValue[]): T[] {
    const rows = this.#statement(sql, column.isWide).all(...values) as unknown as Stored[][];
    return rows.map(([first = null]) => column.read(first));
  }

  value<T>(column: Column<T>, sql: string, ...values: SQLInputValue[]): T | undefined {
    const stored = this.#statement(sql, column.isWide).get(...values) as unknown as Stored[] | undefined;
    return stored && column.read(stored[0] ?? null);
  }

  /** `tail` is the SQL after `select … from` the table. */
  find<Row>(table: Table<Row>, tail: string, ...values: SQLInputValue[]): Row[] {
    return this.#of(table).find(tail, values);
  }

  first<Row>(table: Table<Row>, tail: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#of(table).first(tail, values);
  }

  save<Row extends { readonly change: Change }>(table: Table<Row>, row: Row): void {
    if (row.change !== 'none') this.#of(table).write(row.change, row);
  }

  /** Adds a row, unless a row with the same key exists. */
  add<Row>(table: Table<Row>, row: Values<Row>): void {
    this.#of(table).write('add', row);
  }

  #shaped<T>(shape: Shape<T>, sql: string): Shaped<T> {
    const known = this.#shapedOnes.get(sql);
    if (known?.shape === shape) return known as Shaped<T>;
    const statement = this.#statement(sql, shape.isWide);
    const found = statement.columns().map(({ name }) => name);
    const places = shape.names.map((name) => found.indexOf(name));
    const wrong = shape.names.find((name, at) => places[at] === -1 || found.lastIndexOf(name) !== places[at]);
    if (wrong !== undefined) throw new Error(`a query has no column ${wrong}, or several`);
    const read = (stored: Stored[]): T => shape.read(places.map((place) => stored[place] ?? null));
    const shaped = { shape, statement, read };
    this.#shapedOnes.set(sql, shaped);
    return shaped;
  }

  remove<Row>(table: Table<Row>, key: Partial<Row>): void {
    this.#of(table).write('gone', key);
  }

  #of<Row>(table: Table<Row>): TableStatements<Row> {
    const known = this.#ofTables.get(table);
    if (known) return known as TableStatements<Row>;
    const made = new TableStatements(table, (sql) => this.#database.prepare(sql));
    this.#ofTables.set(table, made);
    return made;
  }

  #statement(sql: string, isWide = false): StatementSync {
    const known = isWide ? this.#wide : this.#narrow;
    let statement = known.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      statement.setReadBigInts(isWide);
      known.set(sql, statement);
    }
    return statement;
  }
}

interface Shaped<T> {
  readonly shape: Shape<T>;
  readonly statement: StatementSync;
  readonly read: (stored: Stored[]) => T;
}

/** A row without its member `change`. */
type Values<Row> = Omit<Row, 'change'>;
