/*
 * Lookups: the questions about stored rows that commands ask before they are decided. A lookup is one SQL text for every
 * engine. An engine answers it for all commands of a group, and a decision looks at the answers.
 */

import type { Stored } from './column.ts';
import { pick, shape, type Members, type Shape, type Table, type ValuesOf } from './table.ts';

/** What a lookup is asked with: one value for each placeholder of its SQL. */
type Asked = readonly Stored[];

/** A function of a row, typed as a method, so that lists of lookups can hold lookups of different tables. */
type Method<Row, Answer> = { of(row: Row): Answer }['of'];

/** Rows of a table. A group has one object for each of them, whatever lookups find it. */
export interface RowLookup<Row, Values extends Asked = Asked> {
  readonly table: Table<Row>;
  /** The SQL that follows `select … from` the table. */
  readonly tail: string;
  /**
   * The values that find a row; undefined if none do now. With it, rows that the group makes or changes are found, too.
   * Without it, the answer is what was stored before the group.
   */
  readonly keyOf: Method<Row, Asked | undefined> | undefined;
  /** The values of a row, whether the lookup finds it or not. Undefined unless it is found by its members. */
  readonly placeOf: Method<Row, Asked> | undefined;
  /** It asks for the key of the table, which never changes. */
  readonly isByKey: boolean;
  /** Only for the compiler: what it is asked with. */
  readonly asked?: Values;
}

/** Values that are not rows of a table, such as counts and rows of several tables. Groups never change them. */
export interface Query<Row, Values extends Asked = Asked> {
  readonly shape: Shape<Row>;
  readonly sql: string;
  readonly asked?: Values;
}

/** Rows with these values in these members. */
export function by<Row, All extends Members, const Names extends readonly (keyof All & string)[]>(
  table: Table<Row, All>,
  names: Names,
  only?: { readonly sql: string; readonly holds: (row: Row) => boolean },
): RowLookup<Row, StoredOf<All, Names>> {
  const columns = shape(pick(table, ...names));
  const where = columns.names.map((name) => `${table.name}.${name} = ?`).join(' and ');
  const keyOf = (row: Row) => (only && !only.holds(row) ? undefined : columns.write(row));
  const isByKey = !only && columns.names.join(' ') === table.key.names.join(' ');
  const placeOf = (row: Row) => columns.write(row);
  return { table, tail: `where ${where}${only ? ` and ${only.sql}` : ''}`, keyOf, placeOf, isByKey };
}

/** Members that are found by are stored as they are. */
type StoredOf<All extends Members, Names extends readonly (keyof All)[]> = {
  readonly [I in keyof Names]: Extract<ValuesOf<All>[Names[I]], Stored>;
};

/** Rows that other conditions select. */
export function search<Values extends Asked>() {
  return <Row>(table: Table<Row>, tail: string, keyOf?: (row: Row) => Values | undefined): RowLookup<Row, Values> => ({
    table,
    tail,
    keyOf,
    placeOf: undefined,
    isByKey: false,
  });
}

export function query<Values extends Asked>() {
  return <Row>(of: Shape<Row>, sql: string): Query<Row, Values> => ({ shape: of, sql });
}

/** The values as one key of a map. */
export function keyOfValues(values: Asked): Stored {
  // No value contains a NUL: it ends texts on the wire.
  if (values.length === 1) return values[0] ?? null;
  return values.length === 2 ? `${String(values[0])}\0${String(values[1])}` : values.join('\0');
}
