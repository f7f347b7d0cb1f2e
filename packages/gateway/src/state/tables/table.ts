/*
 * Descriptions of tables, and of the rows that queries return. The row types, readers and statements are made from the
 * description, so that nobody writes lists of columns or placeholders by hand.
 */

/* oxlint-disable typescript/no-unsafe-type-assertion -- the types of members are those of their columns. */

import { storedAsIs, type AnyColumn, type Stored } from './column.ts';

/** How a row is written. If a row with the same key is stored already, `put` replaces it and `add` leaves it. */
export type WriteWay = 'new' | 'put' | 'add' | 'changed' | 'rewritten' | 'gone';

/**
 * What a group of commands did to a row. `none` does not write the row, `changed` writes its moving members,
 * `rewritten` writes all members, and `gone` deletes the row.
 */
export type Change = WriteWay | 'none';

/** The members of a value. Each has a column, or a group of columns for a value inside the value. */
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

/** A group whose columns begin with the name of the member. */
export function group<M extends Members>(members: M): Group<ValuesOf<M>> {
  return { members, isNullable: false };
}

export function nullableGroup<M extends Members>(members: M): Group<ValuesOf<M> | null> {
  return { members, isNullable: true };
}

/** A member with a column of its own, or a group of such members. */
type Slot =
  | { readonly member: string; readonly name: string; readonly column: AnyColumn }
  | { readonly member: string; readonly shape: Shape<unknown>; readonly isNullable: boolean };

/** The columns of a value, in order. */
export class Shape<T> {
  /** The names of the columns. */
  readonly names: readonly string[];
  readonly isWide: boolean;
  readonly #slots: readonly Slot[];
  /** True for the rows of a table, which also have the member `change`. A loaded row has `none` there. */
  readonly #isRow: boolean;
  #read: ((stored: readonly Stored[]) => T) | undefined;
  #write: ((value: unknown) => Stored[]) | undefined;

  constructor(slots: readonly Slot[], isRow = false) {
    this.#slots = slots;
    this.#isRow = isRow;
    this.names = slots.flatMap((slot) => ('name' in slot ? [slot.name] : slot.shape.names));
    this.isWide = slots.some((slot) => ('name' in slot ? slot.column.isWide : slot.shape.isWide));
  }

  /** Makes a value from its stored columns. */
  read(stored: readonly Stored[]): T {
    return (this.#read ??= this.#makeReader())(stored);
  }

  /** Turns a value into its stored columns. */
  write(value: unknown): Stored[] {
    return (this.#write ??= this.#makeWriter())(value);
  }

  /*
   * Readers and writers are compiled from their source: a loop over the columns takes twice as long, because it looks
   * up each member by name. The source contains only names of members, which come from our code.
   */

  #makeReader(): (stored: readonly Stored[]) => T {
    const reads: AnyColumn['read'][] = [];
    return compiled('stored', this.#readSource(reads), reads) as (stored: readonly Stored[]) => T;
  }

  #readSource(reads: AnyColumn['read'][]): string {
    const members = this.#slots.map((slot) => {
      const at = reads.length;
      if ('name' in slot) {
        reads.push(slot.column.read);
        return `${slot.member}: columns[${at}](stored[${at}])`;
      }
      const inner = slot.shape.#readSource(reads);
      return `${slot.member}: ${slot.isNullable ? `stored[${at}] === null ? null : ` : ''}${inner}`;
    });
    return `{ ${[...(this.#isRow ? [`change: 'none'`] : []), ...members].join(', ')} }`;
  }

  #makeWriter(): (value: unknown) => Stored[] {
    const writes: AnyColumn['write'][] = [];
    return compiled('value', `[${this.#writeSources('value', writes).join(', ')}]`, writes) as (
      value: unknown,
    ) => Stored[];
  }

  #writeSources(value: string, writes: AnyColumn['write'][]): string[] {
    return this.#slots.flatMap((slot) => {
      const member = `${value}.${slot.member}`;
      if ('name' in slot) {
        if (slot.column.write === storedAsIs) return [member];
        writes.push(slot.column.write);
        return [`columns[${writes.length - 1}](${member})`];
      }
      const inner = slot.shape.#writeSources(member, writes);
      return slot.isNullable ? inner.map((each) => `${member} === null ? null : ${each}`) : inner;
    });
  }

  /** A shape of these columns, followed by those of another shape of the same value. */
  and(other: Shape<T>): Shape<T> {
    return new Shape([...this.#slots, ...other.#slots]);
  }

  /** A shape of only these columns. */
  only(names: readonly string[]): Shape<T> {
    const slots = this.#slots.flatMap((slot): readonly Slot[] => {
      if ('name' in slot) return names.includes(slot.name) ? [slot] : [];
      const inner = slot.shape.only(names);
      return inner.names.length > 0 ? [{ ...slot, shape: inner }] : [];
    });
    return new Shape(slots);
  }

  /** Each column with its name, for the comparison with the schema. */
  columns(): readonly (readonly [name: string, column: AnyColumn])[] {
    return this.#slots.flatMap((slot) => {
      if ('name' in slot) return [[slot.name, slot.column] as const];
      const own = slot.shape.columns();
      return slot.isNullable ? own.map(([name, column]) => [name, { ...column, isNullable: true }] as const) : own;
    });
  }
}

/** Compiles an expression with one parameter. The expression calls the functions in `columns`. */
function compiled(parameter: string, source: string, columns: readonly unknown[]): unknown {
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the source is made of our own names
  return new Function('columns', `return (${parameter}) => (${source});`)(columns);
}

function slotsOf(members: Members, prefix = ''): Slot[] {
  return Object.entries(members).map(([member, each]) => {
    const name = prefix + columnOf(member);
    if (!('members' in each))
      return { member, name: each.name === undefined ? name : prefix + each.name, column: each };
    const inner = new Shape(slotsOf(each.members, `${name}_`));
    return { member, shape: inner, isNullable: each.isNullable };
  });
}

/** Turns a member's name into a column's name: `errorCode` is stored in the column `error_code`. */
export function columnOf(member: string): string {
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

/** The members of a table without some, for the shape of a query. */
export function omit<All extends Members, Gone extends Members>(
  from: { readonly members: All },
  gone: Gone,
): Omit<All, keyof Gone> {
  return Object.fromEntries(Object.entries(from.members).filter(([name]) => !(name in gone))) as Omit<All, keyof Gone>;
}

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

/** A table with rows of the type `Row`. */
export interface Table<Row, All extends Members = Members> extends Traits {
  readonly name: string;
  /** All members of the table, for the shapes of queries. */
  readonly members: All;
  readonly shape: Shape<Row>;
  /** The columns of its primary key. */
  readonly key: Shape<Row>;
  /** The columns that are written when the row changes. */
  readonly moving: Shape<Row>;
  /** Members that count: `put` adds to their stored values. */
  readonly sums: readonly string[];
  /** Members that keep the value of the first `put`. */
  readonly kept: readonly string[];
  /** The other members outside the key, which `put` replaces. */
  readonly replaced: readonly string[];
}

/** The parts of a table's description beside its columns. */
interface Traits {
  /** Which commands make new ids; undefined if ids come from elsewhere. */
  readonly ids?: MadeIds;
  /** A column of another table with ids that are reserved for this table, before it has rows with them. */
  readonly takenIds?: { readonly table: string; readonly column: string };
  /** Whether the audit log has the changes that operators make to rows of the table. */
  readonly isAudited?: boolean;
  readonly indexes?: { readonly [name: string]: Index };
  /** The column whose values are times, or begin with a time. An engine may partition the table by the column. */
  readonly dividedBy?: string;
  /** Set if the rows belong to messages, whose ids are in the column `by`. The rows are deleted with their messages. */
  readonly about?: { readonly of: 'message' | 'inbound'; readonly by: string };
  /**
   * What the erasure of a phone number does with other rows that have the number. It deletes the rows, empties the
   * number, or replaces it by a code, because the rows must stay.
   */
  readonly erased?: 'rows' | 'numbers' | 'coded';
  /**
   * Whether messages at several nodes change the same rows. Such rows are written last, so that their locks are short.
   */
  readonly isShared?: boolean;
  /** Set if stored rows are never changed or deleted: the error of a statement that tries to. */
  readonly guard?: string;
}

/** An index on these columns. Rows with equal columns follow in the order of the key, which need not be named. */
export interface Index {
  readonly on: readonly string[];
  readonly isUnique?: boolean;
  /** In a unique index two nulls are equal, and equal to 0 or to the empty text. */
  readonly hasNulls?: boolean;
  /** The index has only rows for which one of these conditions holds. */
  readonly where?: readonly Condition[];
}

/** Each named column has this value, or does not have it. */
export interface Condition {
  readonly [column: string]: Value | { readonly not: Value };
}
type Value = string | number | null;

/**
 * Who causes the new rows of a table whose ids the store makes. Several nodes may make rows for traffic at once, but
 * commands of operators are decided one after the other, across all nodes.
 */
type MadeIds = 'traffic' | 'operator';

/** The columns that a statement writes, in order. The columns of the key that find a row come last. */
export function shapeOfWrite<Row>(of: Table<Row>, way: WriteWay): Shape<Row> {
  switch (way) {
    case 'changed':
      return of.moving.and(of.key);
    case 'rewritten':
      return of.shape.and(of.key);
    case 'gone':
      return of.key;
    case 'new':
    case 'add':
    case 'put':
      return of.shape;
  }
}

interface Described<F extends Members, M extends Members> extends Traits {
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** These columns are written with a new row, and later only if the whole row is rewritten. */
  readonly fixed: F;
  /** These columns are written with each change. */
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
  { key, fixed, moving, sums = [], kept = [], ...traits }: Described<F, M>,
): Table<RowFrom<F, M>, F & M> {
  const movingSlots = slotsOf(moving ?? {});
  const whole = new Shape<RowFrom<F, M>>([...slotsOf(fixed), ...movingSlots], true);
  const members = { ...fixed, ...moving } as F & M;
  const replaced = Object.keys(members).filter(
    (member) => !key.includes(columnOf(member)) && !sums.includes(member) && !kept.includes(member),
  );
  return {
    ...traits,
    name,
    members,
    shape: whole,
    key: whole.only(key),
    moving: new Shape(movingSlots),
    sums,
    kept,
    replaced,
  };
}
