/*
 * Loads what a group of commands needs, in rounds. In a round every command names what it needs and gets only what is
 * loaded already. Then all that was named is asked in one flight.
 */

/* oxlint-disable typescript/no-unsafe-type-assertion -- the rows of an answer have the type of its lookup. */

import type { MessageId } from '../../core/base/message-id.ts';
import { nameNeeds } from '../commands.ts';
import type { Command } from '../commands.ts';
import { needInbound } from '../decide/message/inbound.ts';
import { attemptsWith } from '../decide/message/whole.ts';
import { needDestinations } from '../decide/notification/notification.ts';
import { keyOfValues } from '../rows/lookup.ts';
import type { Query, RowLookup } from '../rows/lookup.ts';
import type { Needs, WaitingWanted } from '../rows/needs.ts';
import { accountById } from '../tables/account.ts';
import type { Stored } from '../tables/column.ts';
import {
  attemptById,
  attemptKey,
  attemptsOfId,
  attemptTable,
  messageById,
  openAttempt,
  partsOfMessage,
  wholeAttempts,
} from '../tables/message.ts';
import type { AttemptRow, MessageRow, PartRow, WaitingFound } from '../tables/message.ts';
import { carrierById } from '../tables/route.ts';
import type { Rows } from '../tables/rows.ts';
import { answersOf, statementOf } from './questions.ts';
import type { Asked, FoundRow, LookupOrQuery, Version } from './questions.ts';
import { findWaiting } from './waiting.ts';
import type { Ask } from './waiting.ts';
import type { PostgresConnection } from './connection.ts';

interface Loading {
  readonly connection: Pick<PostgresConnection, 'send'>;
  readonly rows: Rows;
  /** The versions of loaded rows. */
  readonly versions: WeakMap<object, Version>;
  /** Whether a transaction is open, in which rows can be locked. */
  readonly isInTransaction: boolean;
}

/** Loads the needs of commands. */
export async function loadNeeds(commands: readonly Command[], loading: Loading): Promise<void> {
  const needs = new NeedsInRounds(loading);
  do {
    for (const command of commands) nameNeeds(needs, command);
  } while (await needs.load());
}

class NeedsInRounds implements Needs {
  readonly rows: Rows;
  readonly #loading: Loading;
  /** What was named in this round. */
  #named = new Map<LookupOrQuery, Map<Stored, readonly Stored[]>>();
  #wanted: WaitingWanted[] = [];
  #messages = new Set<MessageId>();
  /** Messages that were looked for. */
  readonly #looked = new Set<MessageId>();

  constructor(loading: Loading) {
    this.#loading = loading;
    this.rows = loading.rows;
  }

  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined {
    return this.all(lookup, ...values)[0];
  }

  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[] {
    return this.#isLoaded(lookup, values) ? this.rows.all(lookup, ...values) : [];
  }

  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[] {
    return this.#isLoaded(query, values) ? this.rows.values(query, ...values) : [];
  }

  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[] {
    return this.all(lookup, ...values);
  }

  message(id: MessageId): MessageRow | undefined {
    if (!this.#looked.has(id)) this.#messages.add(id);
    return this.rows.messages.get(id);
  }

  attempt(message: MessageId, part: number, number: number): AttemptRow | undefined {
    const known = this.rows.attempts.get(attemptKey(message, part, number));
    return known ?? this.all(attemptById, message, part, number)[0];
  }

  attemptsWith(attempt: AttemptRow): void {
    const isComplete = attemptsWith(this.rows, attempt).length === this.rows.messages.get(attempt.message)?.numParts;
    if (!isComplete) this.all(wholeAttempts, attempt.message, attempt.claimedAt);
  }

  named({ carrier }: { readonly carrier: number }, idKey: string): boolean {
    return this.all(attemptsOfId, carrier, idKey).length > 0;
  }

  waiting(wanted: WaitingWanted): WaitingFound {
    const found = this.rows.waiting.get(wanted.carrier);
    if (found) return found;
    if (!this.#wanted.some(({ carrier }) => carrier === wanted.carrier)) this.#wanted.push(wanted);
    return { queues: [], nextDue: null };
  }

  /** Loads what was named. Returns whether that was anything. */
  async load(): Promise<boolean> {
    const asked = [...this.#named].map(([of, values]) => ({ of, values: [...values.values()] }));
    const messages = [...this.#messages];
    const wanted = this.#wanted;
    if (asked.length + messages.length + wanted.length === 0) return false;
    this.#named = new Map();
    this.#messages = new Set();
    this.#wanted = [];
    const answers = await this.#ask([...asked, ...askMessages(messages)]);
    this.#keepMessages(messages, answers.slice(asked.length));
    await this.#loadMessagesOf(answers.filter((_, at) => isOfAttempts(asked[at]?.of)));
    for (const [at, { of, values }] of asked.entries()) this.#keep(of, values, answers[at] ?? []);
    for (const each of wanted) {
      const ask: Ask = async (of, values, lock) => {
        if (values.length === 0) return [];
        const [found = []] = await this.#ask([{ of, values, lock }]);
        return found.map((rows) => rows.map(({ row }) => row as never));
      };
      this.rows.waiting.set(each.carrier, await findWaiting(this.rows, each, ask));
    }
    return true;
  }

  #isLoaded(of: LookupOrQuery, values: readonly Stored[]): boolean {
    if (this.rows.isLoaded(of, values)) return true;
    const named = this.#named.get(of) ?? new Map<Stored, readonly Stored[]>();
    this.#named.set(of, named);
    named.set(keyOfValues(values), values);
    return false;
  }

  async #ask(asked: readonly Asked[]): Promise<FoundRow[][][]> {
    if (asked.length === 0) return [];
    const { connection, isInTransaction } = this.#loading;
    const statements = asked.map((each) => statementOf(isInTransaction ? each : { ...each, lock: undefined }));
    const found = await connection.send(statements);
    return asked.map((each, at) => answersOf(each, found[at] ?? []));
  }

  #keep(of: LookupOrQuery, values: readonly (readonly Stored[])[], answers: readonly FoundRow[][]): void {
    for (const [at, asked] of values.entries()) {
      const found = answers[at] ?? [];
      if (isOfAttempts(of)) this.#keepAttempts(of as RowLookup<AttemptRow>, asked, found);
      else if ('table' in of) {
        const kept = this.rows.keep(
          of,
          asked,
          found.map(({ row }) => row),
        );
        for (const [place, row] of kept.entries()) this.#know(row as object, found[place]);
      } else
        this.rows.keepValues(
          of,
          asked,
          found.map(({ row }) => row),
        );
    }
  }

  #keepAttempts(lookup: RowLookup<AttemptRow>, asked: readonly Stored[], found: readonly FoundRow[]): void {
    const kept = found.map((each) => {
      const attempt = each.row as AttemptRow;
      const key = attemptKey(attempt.message, attempt.part, attempt.number);
      const known = this.rows.attempts.get(key);
      if (known) return known;
      this.rows.attempts.set(key, attempt);
      this.rows.messages.get(attempt.message)?.parts[attempt.part - 1]?.loaded.push(attempt);
      this.#know(attempt, each);
      return attempt;
    });
    this.rows.keepOnly(lookup, asked, kept);
  }

  async #loadMessagesOf(answers: readonly FoundRow[][][]): Promise<void> {
    const ids = new Set(answers.flat(2).map(({ row }) => (row as AttemptRow).message));
    const missing = [...ids].filter((id) => !this.#looked.has(id));
    this.#keepMessages(missing, await this.#ask(askMessages(missing)));
  }

  #keepMessages(ids: readonly MessageId[], [messages = [], parts = []]: readonly FoundRow[][][]): void {
    for (const [at, id] of ids.entries()) {
      this.#looked.add(id);
      const found = messages[at]?.[0];
      if (!found || this.rows.messages.has(id)) continue;
      this.#know(found.row, found);
      const own = (parts[at] ?? []).map((each) => {
        const part = each.row as Omit<PartRow, 'loaded'>;
        this.#know(part, each);
        return Object.assign(part, { loaded: [openAttempt(part) ?? []].flat() });
      });
      const report = own[0]?.report;
      if (!report) throw new Error('a message is stored without its part 1');
      this.#addMessage(Object.assign(found.row as MessageRow, report, { parts: own }));
    }
  }

  #addMessage(message: MessageRow): void {
    const { rows } = this;
    rows.messages.set(message.id, message);
    for (const { loaded, textEnd, carrier } of message.parts) {
      for (const attempt of loaded)
        rows.attempts.set(attemptKey(attempt.message, attempt.part, attempt.number), attempt);
      // What an unmarked text that ended a part needs to become an inbound message.
      if (textEnd) needInbound(this, textEnd);
      if (textEnd && carrier !== null) this.one(carrierById, carrier);
    }
    this.one(accountById, message.account);
    needDestinations(this, message.account);
  }

  #know(row: object, found: FoundRow | undefined): void {
    const version = found?.version ?? null;
    if (version !== null && !this.#loading.versions.has(row)) this.#loading.versions.set(row, version);
  }
}

function askMessages(ids: readonly MessageId[]): Asked[] {
  if (ids.length === 0) return [];
  const values = ids.map((id) => [id]);
  return [messageById, partsOfMessage].map((of) => ({ of, values }));
}

function isOfAttempts(of: LookupOrQuery | undefined): boolean {
  return of !== undefined && 'table' in of && of.table.name === attemptTable.name;
}
