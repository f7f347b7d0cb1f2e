/* Loads the rows that the commands of a group need, with as few queries as possible. */

import type { WaitingWanted, Needs } from '../../rows/needs.ts';
import { carrierIdsAnswered } from '../../commands.ts';
import type { Command } from '../../commands.ts';
import type { DatabaseSync } from 'node:sqlite';
import type { MessageId } from '../../../core/base/message-id.ts';
import { needInbound } from '../../decide/message/inbound.ts';
import { attemptsWith } from '../../decide/message/whole.ts';
import { needDestinations } from '../../decide/notification/notification.ts';
import { carrierKey, Rows } from '../../tables/rows.ts';
import type { WaitingFound, AttemptRow, MessageRow } from '../../tables/message.ts';
import { carrierById } from '../../tables/route.ts';
import { namesReceiver } from '../../../core/message/receipt.ts';
import type { Numbers } from '../../../core/message/receipt.ts';
import { accountById } from '../../tables/account.ts';
import {
  attemptById,
  attemptKey,
  attemptsOfId,
  messageTable,
  openAttempt,
  partTable,
  wholeAttempts,
} from '../../tables/message.ts';
import { Counters, readNode } from '../start.ts';
import { MessageCache } from './message-cache.ts';
import { KeptAnswers } from './kept-answers.ts';
import { QueueLoader } from './load-queue.ts';
import type { RowLookup, Query } from '../../rows/lookup.ts';
import type { Stored } from '../../tables/column.ts';
import { Statements } from '../statements.ts';

/** Answers what commands need at once: SQLite is in the process. */
export class Loader implements Needs {
  readonly #statements: Statements;
  readonly #queue: QueueLoader;
  readonly #cache: MessageCache;
  readonly #kept: KeptAnswers;
  #start: Pick<Rows, 'node' | 'turns'>;
  readonly #counters: Counters;
  #rows: Rows;
  #listened: ReadonlySet<number> = new Set();

  constructor(database: DatabaseSync, isKeeping: boolean) {
    this.#kept = new KeptAnswers(isKeeping);
    this.#cache = new MessageCache(isKeeping);
    this.#statements = new Statements(database);
    this.#queue = new QueueLoader(this.#statements, this);
    this.#start = { node: readNode(this.#statements), turns: new Map() };
    this.#counters = new Counters(this.#statements);
    this.#rows = this.#newRows();
  }

  /** From now on, events of these accounts are reported, whether a notification is made or not. */
  listen(accounts: readonly number[]): void {
    this.#listened = new Set(accounts);
  }

  /** The rows of a new group. A look at rows that are not loaded loads them, until the engine decides. */
  begin(commands: readonly Command[]): Rows {
    this.#rows = this.#newRows();
    this.#rows.listened = this.#listened;
    this.#rows.ask = (of, values) => this.#load(of, values);
    this.#rows.answered = carrierIdsAnswered(commands);
    return this.#rows;
  }

  #newRows(): Rows {
    return new Rows({ ...this.#start, nextId: this.#counters.ofGroup() });
  }

  get rows(): Rows {
    return this.#rows;
  }

  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined {
    return this.#rows.one(lookup, ...values);
  }

  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[] {
    return this.#rows.all(lookup, ...values);
  }

  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[] {
    return this.#rows.values(query, ...values);
  }

  message(id: MessageId): MessageRow | undefined {
    this.#message(this.#rows, id);
    return this.#rows.messages.get(id);
  }

  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[] {
    if (!this.#rows.isLoaded(lookup, values))
      this.#rows.keepOnly(lookup, values, this.#findAttempts(lookup, ...values));
    return this.#rows.all(lookup, ...values);
  }

  /** After the commit: the next group goes on from here. */
  committed(rows: Rows): void {
    const { node, turns } = rows;
    this.#start = { node, turns };
    this.#counters.committed();
    this.#cache.keep(rows);
    this.#kept.committed(rows);
  }

  /** After a rollback: drops what the group changed. */
  rolledBack(): void {
    this.#cache.clear();
    this.#kept.clear();
  }

  /** The kept or stored answer to a lookup or a query. */
  #load(of: RowLookup<unknown> | Query<unknown>, values: readonly Stored[]): readonly unknown[] {
    if ('table' in of) {
      const find = () => this.#statements.find(of.table, of.tail, ...values);
      return this.#rows.keep(of, values, this.#kept.get(of, values, find));
    }
    const ask = () => this.#statements.rows(of.shape, of.sql, ...values);
    return this.#rows.keepValues(of, values, this.#kept.get(of, values, ask));
  }

  #message(rows: Rows, id: MessageId): void {
    if (rows.messages.has(id)) return;
    const cached = this.#cache.message(id);
    if (cached) {
      addMessage(rows, cached);
      this.#ofMessage(cached);
      return;
    }
    const row = this.#statements.first(messageTable, 'where id = ?', id);
    if (!row) return;
    const parts = this.#statements.find(partTable, 'where message = ? order by number', id);
    const withClaim = (part: (typeof parts)[number]) =>
      Object.assign(part, { loaded: [openAttempt(part) ?? []].flat() });
    const report = parts[0]?.report;
    if (!report) throw new Error('a message is stored without its part 1');
    const message = Object.assign(row, report, { parts: parts.map(withClaim) });
    addMessage(rows, message);
    this.#ofMessage(message);
  }

  /** The account of a message, and what an unmarked text that ended a part needs to become an inbound message. */
  #ofMessage(message: MessageRow): void {
    this.one(accountById, message.account);
    needDestinations(this, message.account);
    for (const { textEnd, carrier } of message.parts) {
      if (textEnd) needInbound(this, textEnd);
      if (textEnd && carrier !== null) this.one(carrierById, carrier);
    }
  }

  named(receipt: Numbers & { readonly carrier: number }, idKey: string): boolean {
    const { carrier } = receipt;
    const key = carrierKey(carrier, idKey);
    if (this.#rows.loaded(attemptsOfId, carrier, idKey).length > 0) return true;
    // First the attempt that has the id. An answer of this group with the same id may be void, and comes after the
    // receipt.
    const cached = this.#cache.attempt(key);
    if (cached && isTo(this.#cache.message(cached.message), receipt)) {
      this.#message(this.#rows, cached.message);
      this.#rows.keepOnly(attemptsOfId, [carrier, idKey], [cached]);
      return true;
    }
    // The answer is void if its message ended long ago. Then an older message has the id.
    const fresh = this.#rows.answered.get(key);
    const isFresh = fresh !== undefined && isTo(this.#cache.message(fresh), receipt);
    this.#rows.keepOnly(
      attemptsOfId,
      [carrier, idKey],
      isFresh ? [] : this.#findAttempts(attemptsOfId, carrier, idKey),
    );
    return isFresh || this.#rows.loaded(attemptsOfId, carrier, idKey).length > 0;
  }

  waiting(wanted: WaitingWanted): WaitingFound {
    const found = this.#queue.load(wanted);
    this.#rows.waiting.set(wanted.carrier, found);
    return found;
  }

  attempt(message: MessageId, part: number, number: number): AttemptRow | undefined {
    const known = this.#rows.attempts.get(attemptKey(message, part, number));
    return known ?? this.attempts(attemptById, message, part, number)[0];
  }

  attemptsWith(attempt: AttemptRow): void {
    const isComplete = attemptsWith(this.#rows, attempt).length === this.#rows.messages.get(attempt.message)?.numParts;
    if (!isComplete) this.attempts(wholeAttempts, attempt.message, attempt.claimedAt);
  }

  #findAttempts<Values extends readonly Stored[]>(lookup: RowLookup<AttemptRow, Values>, ...values: Values) {
    const found = this.#statements.find(lookup.table, lookup.tail, ...values);
    return found.map((attempt) => this.#keepAttempt(this.#rows, attempt));
  }

  /** Keeps one object for each attempt, however many commands of the group name it. */
  #keepAttempt(rows: Rows, attempt: AttemptRow): AttemptRow {
    const key = attemptKey(attempt.message, attempt.part, attempt.number);
    const known = rows.attempts.get(key);
    if (known) return known;
    this.#message(rows, attempt.message);
    const cached = rows.attempts.get(key);
    if (cached) return cached;
    rows.attempts.set(key, attempt);
    rows.messages.get(attempt.message)?.parts[attempt.part - 1]?.loaded.push(attempt);
    return attempt;
  }
}

function addMessage(rows: Rows, message: MessageRow): void {
  rows.messages.set(message.id, message);
  for (const part of message.parts) {
    for (const attempt of part.loaded)
      rows.attempts.set(attemptKey(attempt.message, attempt.part, attempt.number), attempt);
  }
}

function isTo(message: MessageRow | undefined, receipt: Numbers): boolean {
  return message !== undefined && namesReceiver(message, receipt);
}
