/*
 * For tests: an engine that loads the rows of a group of commands in rounds, as over a network. In a round, commands
 * name the rows that they read, and get only those of earlier rounds. Then the engine loads all named rows at once.
 */

import type { DatabaseSync } from 'node:sqlite';
import { nameReads, type Command } from '../../../src/state/commands.ts';
import { keyOfValues, type Query, type RowLookup } from '../../../src/state/tables/lookup.ts';
import type { WaitingWanted } from '../../../src/state/rows/reads.ts';
import { SqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { SqliteLoader } from '../../../src/store/sqlite/load/load.ts';
import type { Stored } from '../../../src/state/tables/column.ts';
import type { WaitingFound } from '../../../src/state/tables/message.ts';
import type { Rows } from '../../../src/state/rows/rows.ts';
import { testVault } from './vault.ts';

export class EngineInRounds extends SqliteEngine {
  /** The largest number of rounds that a group of commands has needed so far. */
  rounds = 0;

  protected override makeLoader(database: DatabaseSync): SqliteLoader {
    return new LoaderInRounds(database, { isKeeping: false, vault: testVault });
  }

  protected override load(commands: readonly Command[]): Rows {
    const { loader } = this;
    if (!(loader instanceof LoaderInRounds)) throw new TypeError('the engine has no loader in rounds');
    const rows = loader.beginGroup(commands);
    let rounds = 0;
    do {
      for (const command of commands) nameReads(loader, command);
      rounds += 1;
    } while (loader.loadNamed());
    this.rounds = Math.max(this.rounds, rounds - 1);
    return rows;
  }
}

class LoaderInRounds extends SqliteLoader {
  /** The rows of earlier rounds, by the lookup or query that named them, and then by its values. */
  readonly #loaded = new Map<unknown, Map<Stored, readonly unknown[]>>();
  readonly #waiting = new Map<number, WaitingFound>();
  /** Whether rows are loaded at once, without rounds: as for the queue, whose lookups need the rows of earlier ones. */
  #isAtOnce = false;
  /** Functions that load the rows named in this round. */
  #named: (() => void)[] = [];

  override beginGroup(commands: readonly Command[]): Rows {
    this.#loaded.clear();
    this.#waiting.clear();
    return super.beginGroup(commands);
  }

  /** Loads the rows named in this round. Returns whether there were any. */
  loadNamed(): boolean {
    const named = this.#named;
    this.#named = [];
    for (const load of named) load();
    if (named.length > 0) this.nextRound();
    return named.length > 0;
  }

  protected override find<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] | undefined {
    if (this.#isAtOnce) return super.find(of, values);
    const loaded = this.#loaded.get(of) ?? new Map<Stored, readonly unknown[]>();
    this.#loaded.set(of, loaded);
    const key = keyOfValues(values);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- answers are kept by their question
    const known = loaded.get(key) as readonly Row[] | undefined;
    if (!known) this.#named.push(() => loaded.set(key, super.find(of, values) ?? []));
    return known;
  }

  protected override findWaiting(wanted: WaitingWanted): WaitingFound | undefined {
    const known = this.#waiting.get(wanted.carrier);
    if (!known) this.#named.push(() => this.#keepWaiting(wanted));
    return known;
  }

  #keepWaiting(wanted: WaitingWanted): void {
    this.#isAtOnce = true;
    const found = super.findWaiting(wanted);
    this.#isAtOnce = false;
    if (found) this.#waiting.set(wanted.carrier, found);
  }
}
