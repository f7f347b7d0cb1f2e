/*
 * The rows that a group of commands has loaded and made. Commands name their reads as lookups, and an engine loads the
 * answers. Decisions read the answers and change rows, and the engine writes the changed rows.
 */

/* oxlint-disable typescript/no-unsafe-type-assertion -- a table and a lookup are the keys of rows of their own type. */

import type { Stored } from '../tables/column.ts';
import { keyOfValues, type Effect, type RowLookup, type Query } from '../tables/lookup.ts';
import type { Change, Table } from '../tables/table.ts';

interface Changing {
  change: Change;
}

interface Run {
  readonly name: string;
  readonly values: readonly Stored[];
}

export class LoadedRows {
  readonly #tables = new Map<unknown, TableRows>();
  /** Loaded answers, by their lookup and the values that it was asked with. */
  readonly #answers = new Map<unknown, Map<Stored, unknown[]>>();
  /** Lookups of this group that also find rows made by the group, by their table. */
  readonly #live = new Map<unknown, RowLookup<unknown>[]>();
  /** Effects, which run after all rows are written. */
  readonly effects: Run[] = [];
  #watched: Map<object, readonly Stored[] | undefined> | undefined;
  /** For engines: loads an answer while commands name their reads. Undefined once they are decided. */
  ask: ((of: RowLookup<unknown> | Query<unknown>, values: readonly Stored[]) => readonly unknown[]) | undefined;

  /** Whether commands are rehearsed on copies. Then a loaded answer also gets the rows made before it. */
  isRehearsal = false;

  /** The first row that a lookup finds, with the changes of the group until now. */
  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined {
    for (const row of this.#answer<Row>(lookup, values)) if (isFound(lookup, values, row)) return row;
    return undefined;
  }

  /** The rows that a lookup finds, with the changes of the group until now. */
  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[] {
    const answer = this.#answer<Row>(lookup, values);
    return answer.length === 0 ? answer : answer.filter((row) => isFound(lookup, values, row));
  }

  /** The answer of a query, as stored before the group. */
  values<Row, Values extends readonly Stored[]>(of: Query<Row, Values>, ...values: Values): readonly Row[] {
    return this.#answer<Row>(of, values);
  }

  /** The part of the answer that is loaded; empty if none is. For rows that commands need only in some cases. */
  loaded<Row, Values extends readonly Stored[]>(
    of: RowLookup<Row, Values> | Query<Row, Values>,
    ...values: Values
  ): readonly Row[] {
    if (!this.isLoaded(of, values)) return [];
    return 'table' in of ? this.all(of, ...values) : this.values(of, ...values);
  }

  /** Adds a row, which is new unless its member `change` says otherwise. From now on, lookups find the row. */
  add<Row>(to: Table<Row>, row: Omit<Row, 'change'> & { change?: Change }): Row {
    row.change ??= 'new';
    const added = row as Row;
    this.#rowsOf(to).all.push(added as Changing);
    this.#watched?.set(added as Changing, undefined);
    this.moved(to, added);
    return added;
  }

  /** Adds a row that replaces the row with its key, or adds its counts to that row. */
  put<Row>(to: Table<Row>, row: Omit<Row, 'change'>): void {
    const of = this.#rowsOf(to);
    const known = of.find(row);
    if (!known) {
      const made = of.known({ change: 'put', ...row });
      this.#watched?.set(made, undefined);
      return;
    }
    this.look(to, known);
    merge(to, known as never, row as never);
    if (known.change === 'none') known.change = 'put';
  }

  /** Must be called after a change of members by which lookups find the row. */
  moved<Row>(of: Table<Row>, row: Row): void {
    for (const lookup of this.#live.get(of) ?? []) {
      const key = lookup.keyOf?.(row);
      const answer = key && this.#answers.get(lookup)?.get(keyOfValues(key));
      if (answer && !answer.includes(row)) answer.push(row);
    }
  }

  /** Runs an effect after all rows of the group are written. */
  run<Values extends readonly Stored[]>({ name }: Effect<Values>, ...values: Values): void {
    this.effects.push({ name, values });
  }

  /**
   * For the audit log: runs a decision, and returns the former values of the audited rows that it read. Undefined for a
   * row that did not exist. A decision changes no other rows.
   */
  watch<Done>(decide: () => Done): { done: Done; before: ReadonlyMap<object, readonly Stored[] | undefined> } {
    const before = new Map<object, readonly Stored[] | undefined>();
    this.#watched = before;
    try {
      return { done: decide(), before };
    } finally {
      this.#watched = undefined;
    }
  }

  /** Notes for the audit log, before a decision changes it, a row that it got without a lookup. */
  look(table: Table<unknown>, row: Changing): void {
    if (!this.#watched || !table.isAudited || this.#watched.has(row)) return;
    this.#watched.set(row, row.change === 'gone' ? undefined : table.shape.write(row));
  }

  /** For engines: the values with which the group has asked a lookup, as keys. */
  asked(of: RowLookup<unknown> | Query<unknown>): Iterable<Stored> {
    return this.#answers.get(of)?.keys() ?? [];
  }

  /** For engines: whether the answer to a lookup is loaded. */
  isLoaded(of: RowLookup<unknown> | Query<unknown>, values: readonly Stored[]): boolean {
    return this.#answers.get(of)?.has(keyOfValues(values)) === true;
  }

  /** For engines: keeps an answer. Each row is one object, even if several lookups find it. */
  keep<Row>(lookup: RowLookup<Row>, values: readonly Stored[], found: readonly Row[]): readonly Row[] {
    const of = this.#rowsOf(lookup.table);
    const kept = found.map((row) => of.known(row as Changing) as Row);
    if (this.isRehearsal) {
      const made = of.all as unknown as Row[];
      kept.push(...made.filter((row) => isFoundNow(lookup, values, row) && !kept.includes(row)));
    }
    return this.keepOnly(lookup, values, kept);
  }

  /** For engines: keeps an answer as it is, because the engine itself keeps one object for each row. */
  keepOnly<Row>(lookup: RowLookup<Row>, values: readonly Stored[], found: readonly Row[]): readonly Row[] {
    this.keepValues(lookup, values, found);
    if (!lookup.keyOf) return found;
    const live = this.#live.get(lookup.table) ?? [];
    this.#live.set(lookup.table, live);
    if (!live.includes(lookup)) live.push(lookup);
    return found;
  }

  keepValues<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[], found: readonly Row[]): readonly Row[] {
    const answers = this.#answers.get(of) ?? new Map<Stored, unknown[]>();
    this.#answers.set(of, answers);
    answers.set(keyOfValues(values), found as unknown[]);
    return found;
  }

  /** All rows of a table that the group loaded or made. */
  of<Row>(table: Table<Row>): readonly (Row & Changing)[] {
    const all = this.#tables.get(table)?.all ?? [];
    if (this.#watched) for (const row of all) this.look(table, row);
    return all as unknown as readonly (Row & Changing)[];
  }

  /** Whether the group changed a row of the table. */
  isChanged(table: Table<unknown>): boolean {
    return this.#tables.get(table)?.all.some(({ change }) => change !== 'none') === true;
  }

  #rowsOf(table: Table<unknown>): TableRows {
    const known = this.#tables.get(table) ?? new TableRows(table);
    this.#tables.set(table, known);
    return known;
  }

  #answer<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): Row[] {
    const found = this.#answers.get(of)?.get(keyOfValues(values));
    if (found && this.#watched && 'table' in of) for (const row of found) this.look(of.table, row as Changing);
    if (found) return found as Row[];
    if (this.ask) return this.ask(of, values) as Row[];
    throw new Error(`a decision asked for rows that its command did not name: ${of.name}`);
  }
}

/** The rows of one table. */
class TableRows {
  readonly all: Changing[] = [];
  readonly #table: Table<unknown>;
  readonly #byKey = new Map<Stored, Changing>();

  constructor(table: Table<unknown>) {
    this.#table = table;
  }

  /** The object of the row with the same key. */
  find(row: object): Changing | undefined {
    return this.#byKey.get(this.#keyOf(row));
  }

  /** The object of a loaded row, which may be loaded already. */
  known(row: Changing): Changing {
    const key = this.#keyOf(row);
    const known = this.#byKey.get(key);
    if (known) return known;
    this.#byKey.set(key, row);
    this.all.push(row);
    return row;
  }

  #keyOf(row: object): Stored {
    return keyOfValues(this.#table.key.write(row));
  }
}

/** Writes another row's values into a row: counts are added, and members that keep their first value stay. */
function merge(
  { sums, replaced }: Table<unknown>,
  row: { [member: string]: number },
  next: { [member: string]: number },
): void {
  for (const member of sums) row[member] = (row[member] ?? 0) + (next[member] ?? 0);
  for (const member of replaced) row[member] = next[member] ?? 0;
}

/** Whether a lookup with these values would find the row now. */
function isFoundNow<Row>({ keyOf }: RowLookup<Row>, values: readonly Stored[], row: Row): boolean {
  const now = (row as Changing).change === 'gone' ? undefined : keyOf?.(row);
  return now?.every((value, at) => value === values[at]) === true;
}

/** Whether a row that was found by a lookup with these values would still be found. */
function isFound<Row>(lookup: RowLookup<Row>, values: readonly Stored[], row: Row): boolean {
  if (!lookup.keyOf) return true;
  if ((row as Changing).change === 'gone') return false;
  if (lookup.isByKey) return true;
  const now = lookup.keyOf(row);
  return now !== undefined && now.every((value, at) => value === values[at]);
}
