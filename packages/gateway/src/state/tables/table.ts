/*
 * Descriptions of tables, and of the rows that queries return. The type of a row, its reader and its statements are made
 * of the description: nobody writes a list of columns or of placeholders by hand.
 */

/* oxlint-disable typescript/no-unsafe-type-assertion -- the types of members are those of their columns. */

import { storedAsIs, type AnyColumn, type Stored } from './column.ts';

/** How a row is written. If a row with its key is stored already, `put` replaces it and `add` leaves it. */
export type WriteWay = 'new' | 'put' | 'add' | 'changed' | 'rewritten' | 'gone';

/**
 * What a group of commands did to a row. A row of `none` is not written, `changed` writes its moving members, `rewritten`
 * all of them, and `gone` deletes it.
 */
export type Change = WriteWay | 'none';

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
  /** A row of a table has the member `change`, too: nothing happened to it yet. */
  readonly #isRow: boolean;
  #read: ((stored: readonly Stored[]) => T) | undefined;
  #write: ((value: unknown) => Stored[]) | undefined;

  constructor(slots: readonly Slot[], isRow = false) {
    this.#slots = slots;
    this.#isRow = isRow;
    this.names = slots.flatMap((slot) => ('name' in slot ? [slot.name] : slot.shape.names));
    this.isWide = slots.some((slot) => ('name' in slot ? slot.column.isWide : slot.shape.isWide));
  }

  /** Makes the value of its stored columns. */
  read(stored: readonly Stored[]): T {
    return (this.#read ??= this.#makeReader())(stored);
  }

  /** The stored columns of a value. */
  write(value: unknown): Stored[] {
    return (this.#write ??= this.#makeWriter())(value);
  }

  /*
   * Readers and writers are compiled from their source: a loop over the columns takes twice as long, because each
   * access to a member is then a look-up by name. Only names of members, which are ours, get into the source.
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

  /** These columns, and after them those of another shape of the same value. */
  and(other: Shape<T>): Shape<T> {
    return new Shape([...this.#slots, ...other.#slots]);
  }

  /** The shape of these columns alone. */
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

/** Compiles an expression with one parameter. `columns` are the functions that it calls. */
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

/** `errorCode` is stored in the column `error_code`. */
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

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

/** A table with rows of the type `Row`. */
export interface Table<Row, All extends Members = Members> extends Traits {
  readonly name: string;
  /** All its members, for the shapes of queries. */
  readonly members: All;
  readonly shape: Shape<Row>;
  /** The columns of its primary key. */
  readonly key: Shape<Row>;
  /** The columns that a change writes. */
  readonly moving: Shape<Row>;
  /** Members that count: a `put` adds to what is there. */
  readonly sums: readonly string[];
  /** Members that keep what was written first. */
  readonly kept: readonly string[];
  /** Its other members outside the key. */
  readonly replaced: readonly string[];
}

/** What a description says beside the columns. */
interface Traits {
  /** Left out for ids that come from elsewhere. */
  readonly ids?: MadeIds;
  /** A column of another table with ids that are taken, although this table has no row with them yet. */
  readonly takenIds?: { readonly table: string; readonly column: string };
  /** Whether the audit log has the changes that operators make to its rows. */
  readonly isAudited?: boolean;
  readonly indexes?: { readonly [name: string]: Index };
  /** The column whose values are times, or begin with one: an engine may divide the table by it. */
  readonly dividedBy?: string;
  /** Its rows are about messages, whose ids are in the column `by`. They are deleted with them. */
  readonly about?: { readonly of: 'message' | 'inbound'; readonly by: string };
  /**
   * What the erasure of a phone number does with its other rows that have the number: it deletes them, empties their numbers, or puts
   * a code in its place, because they must stay.
   */
  readonly erased?: 'rows' | 'numbers' | 'coded';
  /** Set if stored rows never change and are never deleted: the error of a statement that tries it. */
  readonly guard?: string;
}

/** An index over these columns. The key follows by itself: rows with equal columns are in its order. */
export interface Index {
  readonly on: readonly string[];
  readonly isUnique?: boolean;
  /** In a unique index two nulls are equal, and equal to 0 or to the empty text. */
  readonly hasNulls?: boolean;
  /** It has only the rows for which one of these holds. */
  readonly where?: readonly Condition[];
}

/** Each named column has this value, or has not. */
export interface Condition {
  readonly [column: string]: Value | { readonly not: Value };
}
type Value = string | number | null;

/**
 * Who causes the new rows of a table whose ids the store makes. Several nodes may make rows for traffic at once, but
 * commands of the operator are decided one after the other, in all nodes together.
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
