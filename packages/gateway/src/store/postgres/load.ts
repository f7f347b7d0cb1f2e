/*
 * Loads the rows that a group of commands reads, in rounds. In a round every command names its reads, and gets only
 * rows that are already loaded. Then one flight asks for all other named rows.
 */

/* oxlint-disable typescript/no-unsafe-type-assertion -- answers are kept by their question */

import { nameReads, type Command } from '../../state/commands.ts';
import { Loader } from '../../state/loader.ts';
import { keyOfValues, type Query, type RowLookup } from '../../state/tables/lookup.ts';
import type { WaitingWanted } from '../../state/rows/reads.ts';
import { accountById } from '../../state/tables/account.ts';
import type { Stored } from '../../state/tables/column.ts';
import { messageById, partsOfMessage, type WaitingFound } from '../../state/tables/message.ts';
import type { Rows } from '../../state/rows/rows.ts';
import type { DatabaseConnection } from './wire/connection.ts';
import type { Statement } from './wire/flight.ts';
import { answersOf, statementOf, type BatchedQuestion, type LookupOrQuery, type Version } from './questions.ts';
import { findWaiting, type AskEach } from './waiting.ts';

interface Loading {
  readonly connection: DatabaseConnection;
  readonly rows: Rows;
  /** Statements that are sent before the first question, in its flight. */
  readonly before: Statement[];
  /** Whether a transaction is open, in which rows can be locked. */
  readonly isInTransaction: boolean;
  /** Whether messages and accounts of the first round are locked, after a conflict. */
  readonly isLocking: boolean;
}

export class PostgresLoader extends Loader {
  /** The number of the transaction that wrote each row in memory. */
  readonly versions = new WeakMap<object, Version>();
  readonly #loaded = new Map<LookupOrQuery, Map<Stored, readonly unknown[]>>();
  readonly #waiting = new Map<number, WaitingFound>();
  /** Lookups that were named in this round, with their values. */
  #named = new Map<LookupOrQuery, Map<Stored, readonly Stored[]>>();
  #wanted = new Map<number, WaitingWanted>();

  constructor(memoryMib: number | undefined) {
    super('shared', memoryMib);
  }

  async load(commands: readonly Command[], loading: Loading): Promise<void> {
    const { rows } = loading;
    this.#loaded.clear();
    this.#waiting.clear();
    // Accounts in memory may be out of date. A group that writes one finds out by a conflict, but a claim writes none.
    if (loading.isInTransaction) this.forgetAccounts();
    this.begin(rows, commands);
    for (let round = 1; ; round++) {
      for (const command of commands) nameReads(this, command);
      if (this.#named.size + this.#wanted.size === 0) break;
      await this.#loadNamed({ ...loading, isLocking: loading.isLocking && round === 1 });
      this.nextRound();
    }
    rows.ask = undefined;
  }

  /** Whether a refusal may be old: the command read rows in memory that were not loaded for this group. */
  isRecalled(command: Command): boolean {
    let isOld = false;
    const hear = (of: LookupOrQuery, values: readonly Stored[]) => {
      isOld ||= this.#loaded.get(of)?.has(keyOfValues(values)) !== true;
    };
    this.recall(command, { answer: hear, message: (id) => hear(messageById, [id]) });
    return isOld;
  }

  override rolledBack(): void {
    super.rolledBack();
    this.#named = new Map();
    this.#wanted = new Map();
  }

  protected override find<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] | undefined {
    const key = keyOfValues(values);
    const known = this.#loaded.get(of)?.get(key) as readonly Row[] | undefined;
    if (known) return known;
    const named = this.#named.get(of) ?? new Map<Stored, readonly Stored[]>();
    this.#named.set(of, named);
    named.set(key, values);
    return undefined;
  }

  protected override findWaiting(wanted: WaitingWanted): WaitingFound | undefined {
    const known = this.#waiting.get(wanted.carrier);
    if (!known) this.#wanted.set(wanted.carrier, wanted);
    return known;
  }

  async #loadNamed(loading: Loading): Promise<void> {
    const asked = [...this.#named].map(([of, values]) => ({ of, values: [...values.values()] }));
    const wanted = this.#wanted;
    this.#named = new Map();
    this.#wanted = new Map();
    await this.#ask(asked, loading);
    for (const [carrier, each] of wanted) {
      const ask: AskEach = async (of, values, lock) => {
        if (values.length > 0) await this.#ask([{ of, values, lock }], loading);
        return values.map((of1) => (this.#loaded.get(of)?.get(keyOfValues(of1)) ?? []) as never[]);
      };
      this.#waiting.set(carrier, await findWaiting(loading.rows, each, ask));
    }
  }

  /** Asks questions in one flight, and keeps the answers for this group. */
  async #ask(questions: readonly BatchedQuestion[], loading: Loading): Promise<void> {
    if (questions.length === 0) return;
    const { connection, isInTransaction, isLocking } = loading;
    const asked = isLocking ? lockingOf(questions) : questions;
    const statements = asked.map((each) => statementOf(isInTransaction ? each : { ...each, lock: undefined }));
    const before = loading.before.splice(0);
    const answers = (await connection.send([...before, ...statements])).slice(before.length);
    for (const [at, each] of asked.entries()) {
      const loaded = this.#loaded.get(each.of) ?? new Map<Stored, readonly unknown[]>();
      this.#loaded.set(each.of, loaded);
      for (const [place, found] of answersOf(each, answers[at] ?? []).entries()) {
        for (const { row, version } of found) if (version !== null) this.versions.set(row, version);
        loaded.set(
          keyOfValues(each.values[place] ?? []),
          found.map(({ row }) => row),
        );
      }
    }
  }
}

/** What a group locks after a conflict, in the order in which its last flight would. */
const locked: readonly LookupOrQuery[] = [partsOfMessage, accountById];

/**
 * Rows are locked in the order of their ids, all at once, so that two nodes never wait for each other. PostgreSQL ends
 * such a deadlock only after a second.
 */
function lockingOf(questions: readonly BatchedQuestion[]): readonly BatchedQuestion[] {
  const inOrder = questions.toSorted((one, other) => locked.indexOf(one.of) - locked.indexOf(other.of));
  return inOrder.map((each) => {
    if (!locked.includes(each.of)) return each;
    return { ...each, values: each.values.toSorted(([a], [b]) => Number(a) - Number(b)), lock: 'for update' };
  });
}
