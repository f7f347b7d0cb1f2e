/*
 * For tests: an engine whose needs are answered in rounds, as by a database at the other end of a network. In a round
 * every command names what it needs, and gets only what is loaded already; then all that was named is loaded.
 */

import { nameNeeds } from '../../src/store/commands.ts';
import type { Command } from '../../src/store/commands.ts';
import type { Query, RowLookup } from '../../src/store/rows/lookup.ts';
import type { Needs } from '../../src/store/rows/needs.ts';
import { SqliteEngine } from '../../src/store/sqlite/engine.ts';
import type { Stored } from '../../src/store/tables/column.ts';
import type { AttemptRow } from '../../src/store/tables/message.ts';
import type { Rows } from '../../src/store/tables/rows.ts';

export class EngineInRounds extends SqliteEngine {
  /** The most rounds of a group until now. */
  rounds = 0;

  protected override load(commands: readonly Command[]): Rows {
    const rows = this.loader.begin(commands);
    const needs = new NeedsInRounds(this.loader);
    let rounds = 0;
    do {
      for (const command of commands) nameNeeds(needs, command);
      rounds += 1;
    } while (needs.load());
    this.rounds = Math.max(this.rounds, rounds - 1);
    return rows;
  }
}

class NeedsInRounds implements Needs {
  readonly #engine: Needs;
  /** What was named in this round, by what names it. */
  #named = new Map<string, () => unknown>();
  readonly #loaded = new Set<string>();
  readonly #places = new Map<unknown, number>();

  constructor(engine: Needs) {
    this.#engine = engine;
  }

  get rows(): Rows {
    return this.#engine.rows;
  }

  /** Loads what was named. Returns whether that was anything. */
  load(): boolean {
    const named = [...this.#named];
    this.#named = new Map();
    for (const [key, load] of named) {
      load();
      this.#loaded.add(key);
    }
    return named.length > 0;
  }

  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined {
    return this.#once([lookup, ...values], () => this.#engine.one(lookup, ...values), undefined);
  }

  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[] {
    return this.#once([lookup, ...values], () => this.#engine.all(lookup, ...values), []);
  }

  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[] {
    return this.#once([query, ...values], () => this.#engine.values(query, ...values), []);
  }

  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[] {
    return this.#once([lookup, ...values], () => this.#engine.attempts(lookup, ...values), []);
  }

  message(...of: Parameters<Needs['message']>): ReturnType<Needs['message']> {
    return this.#once(['message', ...of], () => this.#engine.message(...of), undefined);
  }

  attempt(...of: Parameters<Needs['attempt']>): ReturnType<Needs['attempt']> {
    return this.#once(['attempt', ...of], () => this.#engine.attempt(...of), undefined);
  }

  attemptsWith(attempt: AttemptRow): void {
    const { message, part, number } = attempt;
    this.#once(['attemptsWith', message, part, number], () => this.#engine.attemptsWith(attempt), undefined);
  }

  waiting(wanted: Parameters<Needs['waiting']>[0]): ReturnType<Needs['waiting']> {
    const nothing = { queues: [], nextDue: null };
    return this.#once(['waiting', JSON.stringify(wanted)], () => this.#engine.waiting(wanted), nothing);
  }

  named(...of: Parameters<Needs['named']>): boolean {
    return this.#once(['named', JSON.stringify(of)], () => this.#engine.named(...of), false);
  }

  /** What `ask` answers, if it was loaded in an earlier round; until then `nothing`. */
  #once<T>(name: readonly (Stored | object)[], ask: () => T, nothing: T): T {
    const key = name.map((each) => this.#textOf(each)).join('\0');
    if (this.#loaded.has(key)) return ask();
    this.#named.set(key, ask);
    return nothing;
  }

  #textOf(named: Stored | object): string {
    if (named === null || typeof named !== 'object') return String(named);
    const place = this.#places.get(named) ?? this.#places.size;
    this.#places.set(named, place);
    return `#${place}`;
  }
}
