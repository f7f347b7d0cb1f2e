/*
 * Descriptions of tables, and of the rows that queries return. The type of a row, its reader and its statements are made
 * of the description: nobody writes a list of columns or of placeholders by hand.
 */

/* oxlint-disable typescript/no-unsafe-type-assertion -- the types of members are those of their columns. */

import type { Change } from './change.ts';
import type { AnyColumn, Stored } from './column.ts';

/** The members of a value, each with its column, or with the columns of a value inside it. */
export interface Members {
  readonly [member: string]: AnyColumn | Group<unknown>;
}

/** Several columns that make one value, such as an amount and its currency. */
export interface Group<T> {
  readonly members: Members;
  /** The value is null if its first column is null. */
  readonly isNullable: boolean;
  /** Only for the compiler: the type of the value. */
  readonly type?: T;
}

export type ValuesOf<M extends Members> = { readonly [K in keyof M]: ValueOf<M[K]> };
type ValueOf<C> = C extends Group<infer T> ? T : C extends { readonly read: (stored: Stored) => infer T } ? T : never;

/** A value in columns that begin with the name of the member. */
export function group<M extends Members>(members: M): Group<ValuesOf<M>> {
  return { members, isNullable: false };
}

export function nullableGroup<M extends Members>(members: M): Group<ValuesOf<M> | null> {
  return { members, isNullable: true };
}

/** A member in a column of its own, or a group of such members. */
type Slot =
  | { readonly member: string; readonly name: string; readonly column: AnyColumn }
  | { readonly member: string; readonly shape: Shape<unknown>; readonly isNullable: boolean };

/** The columns of a value, in order. */
export class Shape<T> {
  /** The names of its columns. */
  readonly names: readonly string[];
  readonly isWide: boolean;
  readonly #slots: readonly Slot[];

  constructor(slots: readonly Slot[]) {
    this.#slots = slots;
    this.names = this.#slots.flatMap((slot) => ('name' in slot ? [slot.name] : slot.shape.names));
    this.isWide = this.#slots.some((slot) => ('name' in slot ? slot.column.isWide : slot.shape.isWide));
  }

  /** Makes the value of stored columns, which begin at `from`. Its members are added to `into`. */
  read(stored: readonly Stored[], from = 0, into: { [member: string]: unknown } = {}): T {
    let at = from;
    for (const slot of this.#slots) {
      if ('name' in slot) into[slot.member] = slot.column.read(stored[at++] ?? null);
      else {
        const isNull = slot.isNullable && (stored[at] ?? null) === null;
        into[slot.member] = isNull ? null : slot.shape.read(stored, at);
        at += slot.shape.names.length;
      }
    }
    return into as T;
  }

  /** Adds the stored columns of a value to `stored`. */
  write(value: unknown, stored: Stored[] = []): Stored[] {
    const members = value as { readonly [member: string]: unknown };
    for (const slot of this.#slots) {
      const member = members[slot.member];
      if ('name' in slot) stored.push(slot.column.write(member as never));
      else if (member === null) for (const _ of slot.shape.names) stored.push(null);
      else slot.shape.write(member, stored);
    }
    return stored;
  }

  /** The same without the other columns. */
  only(names: readonly string[]): Shape<T> {
    const slots = this.#slots.flatMap((slot): readonly Slot[] => {
      if ('name' in slot) return names.includes(slot.name) ? [slot] : [];
      const inner = slot.shape.only(names);
      return inner.names.length > 0 ? [{ ...slot, shape: inner }] : [];
    });
    return new Shape(slots);
  }

  /** Each column by its name, to be compared with the schema. */
  columns(): readonly (readonly [name: string, column: AnyColumn])[] {
    return this.#slots.flatMap((slot) => {
      if ('name' in slot) return [[slot.name, slot.column] as const];
      const own = slot.shape.columns();
      return slot.isNullable ? own.map(([name, column]) => [name, { ...column, isNullable: true }] as const) : own;
    });
  }
}

function slotsOf(members: Members, prefix = ''): Slot[] {
  return Object.entries(members).map(([member, each]) => {
    const name = prefix + snake(member);
    if (!('members' in each))
      return { member, name: each.name === undefined ? name : prefix + each.name, column: each };
    const inner = new Shape(slotsOf(each.members, `${name}_`));
    return { member, shape: inner, isNullable: each.isNullable };
  });
}

/** `errorCode` is stored in the column `error_code`. */
function snake(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The shape of the rows of a query. */
export function shape<M extends Members>(members: M): Shape<ValuesOf<M>> {
  return new Shape(slotsOf(members));
}

/** Some members of a table, for the shape of a query. */
export function pick<All extends Members, Name extends keyof All>(
  from: { readonly members: All },
  ...names: readonly Name[]
): Pick<All, Name> {
  return Object.fromEntries(names.map((name) => [name, from.members[name]])) as Pick<All, Name>;
}

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

/** A table with rows of the type `Row`. */
export interface Table<Row, All extends Members = Members> {
  readonly name: string;
  /** All its members, for the shapes of queries. */
  readonly members: All;
  readonly shape: Shape<Row>;
  /** The columns of its primary key. */
  readonly key: Shape<Row>;
  /** The columns that a change writes. */
  readonly moving: Shape<Row>;
  /** Columns of counts: what is written is added to what is there. */
  readonly sums: readonly string[];
  /** Columns that keep what was written first. */
  readonly kept: readonly string[];
}

interface Described<F extends Members, M extends Members> {
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** Written with a new row, and again only when the whole row is rewritten. */
  readonly fixed: F;
  /** Written with each change. */
  readonly moving?: M;
  readonly sums?: readonly string[];
  readonly kept?: readonly string[];
}

type RowFrom<F extends Members, M extends Members> = { change: Change } & ValuesOf<F> & {
    -readonly [K in keyof M]: ValuesOf<M>[K];
  };
type NoMembers = { readonly [member in never]: never };
export type RowOf<T> = T extends Table<infer Row> ? Row : never;

export function table<F extends Members, M extends Members = NoMembers>(
  name: string,
  { key, fixed, moving, sums = [], kept = [] }: Described<F, M>,
): Table<RowFrom<F, M>, F & M> {
  const movingSlots = slotsOf(moving ?? {});
  const whole = new Shape<RowFrom<F, M>>([...slotsOf(fixed), ...movingSlots]);
  const members = { ...fixed, ...moving } as F & M;
  return { name, members, shape: whole, key: whole.only(key), moving: new Shape(movingSlots), sums, kept };
}
