/* The statements of one table, made from its description. */

/* oxlint-disable typescript/no-unsafe-type-assertion -- `setReturnArrays` makes arrays of rows, which the types of Node do not know. */

import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { Stored } from '../../state/tables/column.ts';
import { columnsIn, replacement } from '../table-sql.ts';
import { shapeOfWrite, type Shape, type Table, type WriteWay } from '../../state/tables/table.ts';

export class TableStatements<Row> {
  readonly #table: Table<Row>;
  readonly #prepare: (sql: string) => StatementSync;
  readonly #selects = new Map<string, StatementSync>();
  readonly #writes = new Map<WriteWay, { readonly statement: StatementSync; readonly shape: Shape<Row> }>();

  constructor(table: Table<Row>, prepare: (sql: string) => StatementSync) {
    this.#table = table;
    this.#prepare = prepare;
  }

  find(tail: string, values: readonly SQLInputValue[]): Row[] {
    const { shape } = this.#table;
    return (this.#select(tail).all(...values) as unknown as Stored[][]).map((stored) => shape.read(stored));
  }

  first(tail: string, values: readonly SQLInputValue[]): Row | undefined {
    const stored = this.#select(tail).get(...values) as unknown as Stored[] | undefined;
    return stored && this.#table.shape.read(stored);
  }

  write(way: WriteWay, row: Partial<Row> | Omit<Row, 'change'>): void {
    let write = this.#writes.get(way);
    if (!write) {
      write = { statement: this.#prepare(writeSql(this.#table, way)), shape: shapeOfWrite(this.#table, way) };
      this.#writes.set(way, write);
    }
    // `run` would make an object with the number of changed rows.
    write.statement.get(...write.shape.write(row));
  }

  #select(tail: string): StatementSync {
    let statement = this.#selects.get(tail);
    if (!statement) {
      const { name, shape } = this.#table;
      statement = this.#prepare(`select ${columnsIn(name, shape.names)} from ${name} ${tail}`);
      statement.setReturnArrays(true);
      statement.setReadBigInts(shape.isWide);
      this.#selects.set(tail, statement);
    }
    return statement;
  }
}

export function writeSql<Row>(of: Table<Row>, way: WriteWay): string {
  const { name, shape, key, moving } = of;
  const where = key.names.map((column) => `${column} = ?`).join(' and ');
  const insert = `insert into ${name} (${shape.names.join(', ')}) values (${shape.names.map(() => '?').join(', ')})`;
  const onConflict = `on conflict (${key.names.join(', ')}) do`;
  switch (way) {
    case 'new':
      return insert;
    case 'add':
      return `${insert} ${onConflict} nothing`;
    case 'put':
      return `${insert} ${onConflict} ${replacement(of)}`;
    case 'changed':
      return `update ${name} set ${assigned(moving.names)} where ${where}`;
    case 'rewritten':
      return `update ${name} set ${assigned(shape.names)} where ${where}`;
    case 'gone':
      return `delete from ${name} where ${where}`;
  }
}

function assigned(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(', ');
}
