/*
 * Lookups: the questions about stored rows that commands ask before they are decided. A lookup is data: members that rows
 * are found by, or a name, whose SQL is in store/lookups. An engine answers it for all commands of a group, and a decision
 * looks at the answers. Effects are changes of stored rows that are not loaded.
 */

import type { Stored } from './column.ts';
import { columnOf, pick, shape, type Members, type Shape, type Table, type ValuesOf } from './table.ts';

/** What a lookup is asked with, or an effect is run with. */
type Asked = readonly Stored[];

/** A function of a row, typed as a method, so that lists of lookups can hold lookups of different tables. */
type Method<Row, Answer> = { of(row: Row): Answer }['of'];

/** Rows of a table. A group has one object for each of them, whatever lookups find it. */
export interface RowLookup<Row, Values extends Asked = Asked> {
  /** Unique among lookups and effects. */
  readonly name: string;
  readonly table: Table<Row>;
  /** What its rows have in common. Without it, the store has its SQL by its name. */
  readonly where: Matching | undefined;
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

/** Rows whose columns have the values that a lookup is asked with, if their column `only` has, or has not, this value. */
export interface Matching {
  readonly columns: readonly string[];
  readonly only: (Is & { readonly column: string }) | undefined;
}

type Is = { readonly is: string | null } | { readonly isNot: string | null };

/** Values that are not rows of a table, such as counts and rows of several tables. Groups never change them. */
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

/** Rows with these values in these members. */
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

/** Members that are found by are stored as they are. */
type StoredOf<All extends Members, Names extends readonly (keyof All)[]> = {
  readonly [I in keyof Names]: Extract<ValuesOf<All>[Names[I]], Stored>;
};

/** Rows that other conditions select. */
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

/** The values as one key of a map. */
export function keyOfValues(values: Asked): Stored {
  // No value contains a NUL: it ends texts on the wire.
  if (values.length === 1) return values[0] ?? null;
  return values.length === 2 ? `${String(values[0])}\0${String(values[1])}` : values.join('\0');
}
