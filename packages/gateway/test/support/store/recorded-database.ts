import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

/** A query that was run, with what it returned. */
export interface Asked {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether only the first row was read. */
  readonly isFirst: boolean;
}

/** For tests: a database that remembers every query and its rows. */
export class RecordedDatabase extends DatabaseSync {
  readonly #asked: Asked[] = [];

  /** The queries since the last call of this method. */
  takeAsked(): Asked[] {
    return this.#asked.splice(0);
  }

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    const remember = (values: readonly SQLInputValue[], rows: readonly unknown[], isFirst: boolean): void => {
      const columns = statement.columns().map(({ name }) => name);
      this.#asked.push({ sql, values, columns, rows: rows.map(valuesOf), isFirst });
    };
    const all = statement.all.bind(statement);
    const get = statement.get.bind(statement);
    const recorded = {
      all: (...values: SQLInputValue[]) => {
        const rows = all(...values);
        remember(values, rows, false);
        return rows;
      },
      get: (...values: SQLInputValue[]) => {
        const row = get(...values);
        remember(values, row === undefined ? [] : [row], true);
        return row;
      },
      iterate: (...values: SQLInputValue[]) => recorded.all(...values).values(),
    };
    return Object.assign(statement, recorded);
  }
}

function valuesOf(row: unknown): readonly unknown[] {
  return Array.isArray(row) ? row : Object.values(row ?? {});
}
