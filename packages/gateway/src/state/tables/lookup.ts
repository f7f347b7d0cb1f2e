/*
 * Lookups: the questions about stored rows that commands ask before they are decided. A lookup is data: either members
 * that rows are found by, or a name whose SQL is in store/lookups. An engine answers it for all commands of a group,
 * and decisions read the answers. Effects are changes of stored rows that are not loaded.
 */

import type { Stored } from './column.ts';
import { columnOf, pick, shape, type Members, type Shape, type Table, type ValuesOf } from './table.ts';

/** The values that a lookup or an effect is called with. */
type Asked = readonly Stored[];

/** A function of a row, typed as a method, so that lists of lookups can hold lookups of different tables. */
type Method<Row, Answer> = { of(row: Row): Answer }['of'];

/** Finds rows of one table. In a group, each row is one object, even if several lookups find it. */
export interface RowLookup<Row, Values extends Asked = Asked> {
  /** The name of the lookup, unique among lookups and effects. */
  readonly name: string;
  readonly table: Table<Row>;
  /** The condition on the rows. If undefined, the store has the SQL of the lookup by its name. */
  readonly where: Matching | undefined;
  /**
   * The values with which the lookup finds a row now; undefined if with none. If given, the lookup also finds rows that
   * the group made or changed. If undefined, the answer is as stored before the group.
   */
  readonly keyOf: Method<Row, Asked | undefined> | undefined;
  /** The values of the row's members, found or not. Undefined unless the lookup finds rows by members. */
  readonly placeOf: Method<Row, Asked> | undefined;
  /** The lookup finds rows by the table's key, which never changes. */
  readonly isByKey: boolean;
  /** Only for the compiler: the values that the lookup is called with. */
  readonly asked?: Values;
}

/** Rows whose columns have the values of the call, and whose column `only` has this value, or does not have it. */
export interface Matching {
  readonly columns: readonly string[];
  readonly only: (Is & { readonly column: string }) | undefined;
}

type Is = { readonly is: string | null } | { readonly isNot: string | null };

/** A query for values that are not rows of one table, such as counts. Changes of a group do not change them. */
export interface Query<Row, Values extends Asked = Asked> {
  readonly name: string;
  readonly shape: Shape<Row>;
  readonly asked?: Values;
}

/** A change of stored rows that are not loaded, such as the deletion of old rows. */
export interface Effect<Values extends Asked = Asked> {
  readonly name: string;
  readonly asked?: Values;
}

/** A lookup of rows by the values of these members. */
export function by<Row, All extends Members, const Names extends readonly (keyof All & string)[]>(
  table: Table<Row, All>,
  names: Names,
  only?: Is & { readonly member: keyof All & keyof Row & string },
): RowLookup<Row, StoredOf<All, Names>> {
  const columns = shape(pick(table, ...names));
  const placeOf = (row: Row) => columns.write(row);
  return {
    name: `${table.name}.by-${names.join('-')}`,
    table,
    where: { columns: columns.names, only: only && { ...only, column: columnOf(only.member) } },
    keyOf: (row) => (only && !holds(only, row[only.member]) ? undefined : placeOf(row)),
    placeOf,
    isByKey: !only && columns.names.join(' ') === table.key.names.join(' '),
  };
}

function holds(only: Is, value: unknown): boolean {
  return 'is' in only ? value === only.is : value !== only.isNot;
}

/** Members that rows are found by must be stored unchanged. */
type StoredOf<All extends Members, Names extends readonly (keyof All)[]> = {
  readonly [I in keyof Names]: Extract<ValuesOf<All>[Names[I]], Stored>;
};

/** A lookup of rows by a condition in SQL. */
export function search<Values extends Asked>() {
  return <Row>(name: string, table: Table<Row>, keyOf?: (row: Row) => Values | undefined): RowLookup<Row, Values> => ({
    name,
    table,
    where: undefined,
    keyOf,
    placeOf: undefined,
    isByKey: false,
  });
}

export function query<Values extends Asked>() {
  return <Row>(name: string, of: Shape<Row>): Query<Row, Values> => ({ name, shape: of });
}

export function effect<Values extends Asked>() {
  return (name: string): Effect<Values> => ({ name });
}

/** Joins the values of a call into one key of a map. */
export function keyOfValues(values: Asked): Stored {
  // No value contains a NUL, because a NUL ends texts in the protocol of PostgreSQL.
  if (values.length === 1) return values[0] ?? null;
  return values.length === 2 ? `${String(values[0])}\0${String(values[1])}` : values.join('\0');
}
