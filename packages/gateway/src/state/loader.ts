/*
 * Answers the lookups of a group of commands from memory or from the database. Each engine asks its database in its own
 * way: at once, or in rounds. After each round of questions, the commands name their reads again.
 */

import { memoryShares } from '../core/base/memory.ts';
import type { MessageId } from '../core/base/message-id.ts';
import { namesReceiver, type Numbers } from '../core/message/receipt.ts';
import { carrierIdsAnswered, nameReads, type Command } from './commands.ts';
import { attemptsWith } from './decide/message/whole.ts';
import { readDestinations } from './decide/notification/notification.ts';
import { accountById } from './tables/account.ts';
import type { Stored } from './tables/column.ts';
import {
  attemptById,
  attemptsOfId,
  messageById,
  openAttempt,
  partsOfMessage,
  wholeAttempts,
  type AttemptRow,
  type MessageRow,
  type WaitingFound,
} from './tables/message.ts';
import { carrierKey, type Rows } from './rows/rows.ts';
import { KeptAnswers, type Keeping } from './rows/kept-answers.ts';
import type { Query, RowLookup } from './tables/lookup.ts';
import { MessageCache } from './rows/message-cache.ts';
import type { Reads, WaitingWanted } from './rows/reads.ts';
import { Recollection, type RecallEars } from './rows/recollection.ts';

export abstract class Loader implements Reads {
  readonly #messages: MessageCache;
  readonly #answers: KeptAnswers;
  #rows: Rows | undefined;
  #listened: ReadonlySet<number> = new Set();

  constructor(keeping: Keeping, memoryMib?: number) {
    this.#messages = new MessageCache(memoryShares(memoryMib).messagesMax);
    this.#answers = new KeptAnswers(keeping);
  }

  /** Asks the database. Returns undefined if the answer comes in the next round of questions. */
  protected abstract find<Row>(of: RowLookup<Row> | Query<Row>, values: readonly Stored[]): readonly Row[] | undefined;

  /** The parts that a claim may take. Returns undefined if they come in the next round of questions. */
  protected abstract findWaiting(wanted: WaitingWanted): WaitingFound | undefined;

  /** Sets the accounts with a listener. All their events are reported, with or without a notification. */
  listen(accounts: readonly number[]): void {
    this.#listened = new Set(accounts);
  }

  /** Begins a group of commands. Until the engine decides, a lookup of rows that are not loaded loads them. */
  begin(rows: Rows, commands: readonly Command[]): void {
    this.#rows = rows;
    const last = commands.at(-1);
    if (last && 'at' in last) this.#answers.begin(last.at);
    rows.listened = this.#listened;
    rows.answered = carrierIdsAnswered(commands);
    rows.ask = (of, values) => this.#load(of, values);
  }

  /** Drops the accounts kept in memory, and the answers that are kept with an account. */
  protected forgetAccounts(): void {
    this.#answers.forgetAccounts();
  }

  /** Drops all answers that are kept for later groups of commands. */
  forgetAnswers(): void {
    this.#answers.clear();
  }

  /** Drops the answers and messages in memory that a command reads. */
  forgetReads(command: Command): void {
    const forgetMessage = (id: MessageId) => this.#messages.forget(id);
    this.recall(command, { answer: (of, values) => this.#answers.forget(of, values), message: forgetMessage });
  }

  /** Tells `hear` which answers and messages that a command reads are in memory. */
  protected recall(command: Command, hear: RecallEars): void {
    const memory = { rows: this.rows, kept: this.#answers, messages: this.#messages };
    nameReads(new Recollection(memory, hear), command);
  }

  /** Begins another round of questions to the database: messages name again the rows that they need. */
  nextRound(): void {
    for (const message of this.rows.messages.values()) this.#readOf(message);
  }

  /** After the commit: keeps the rows that later groups of commands need. */
  committed(rows: Rows): void {
    this.#messages.keep(rows);
    this.#answers.committed(rows);
  }

  /**
   * After a rollback: drops what the group has read. It may have changed the objects in memory, or another node the
   * rows.
   */
  rolledBack(): void {
    if (!this.#rows) return;
    for (const id of this.#rows.messages.keys()) this.#messages.forget(id);
    this.#answers.rolledBack(this.#rows);
  }

  /** Drops everything that is kept for later groups of commands. */
  forgetAll(): void {
    this.#messages.clear();
    this.#answers.clear();
  }

  get rows(): Rows {
    if (!this.#rows) throw new Error('no group has begun');
    return this.#rows;
  }

  one<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): Row | undefined {
    return this.rows.one(lookup, ...values);
  }

  all<Row, Values extends readonly Stored[]>(lookup: RowLookup<Row, Values>, ...values: Values): readonly Row[] {
    return this.rows.all(lookup, ...values);
  }

  values<Row, Values extends readonly Stored[]>(query: Query<Row, Values>, ...values: Values): readonly Row[] {
    return this.rows.values(query, ...values);
  }

  message(id: MessageId): MessageRow | undefined {
    const known = this.rows.messages.get(id);
    if (known) return known;
    const message = this.#messages.message(id) ?? this.#findMessage(id);
    if (message) this.#addMessage(message);
    return message;
  }

  attempts<Values extends readonly Stored[]>(
    lookup: RowLookup<AttemptRow, Values>,
    ...values: Values
  ): readonly AttemptRow[] {
    if (!this.rows.isLoaded(lookup, values)) {
      const found = this.#findAttempts(lookup, values);
      if (!found) return [];
      this.rows.keepOnly(lookup, values, found);
    }
    return this.rows.all(lookup, ...values);
  }

  attempt(message: MessageId, part: number, number: number): AttemptRow | undefined {
    return this.rows.attempt(message, part, number) ?? this.attempts(attemptById, message, part, number)[0];
  }

  attemptsWith(attempt: AttemptRow): void {
    const isComplete = attemptsWith(this.rows, attempt).length === this.rows.messages.get(attempt.message)?.numParts;
    if (!isComplete) this.attempts(wholeAttempts, attempt.message, attempt.claimedAt);
  }

  named(receipt: Numbers & { readonly carrier: number }, idKey: string): boolean {
    const { carrier } = receipt;
    const { rows } = this;
    const key = carrierKey(carrier, idKey);
    if (rows.loaded(attemptsOfId, carrier, idKey).length > 0) return true;
    // A stored attempt with the id comes first. A carrier's answer in this group with the same id may be void, and
    // comes after the receipt.
    const cached = this.#messages.attempt(key);
    if (cached && isTo(this.#messages.message(cached.message), receipt)) {
      this.message(cached.message);
      rows.keepOnly(attemptsOfId, [carrier, idKey], [cached]);
      return true;
    }
    // A carrier's answer is void if its message ended long ago. Then an older message has the id.
    const fresh = rows.answered.get(key);
    const isFresh = fresh !== undefined && isTo(this.#messages.message(fresh), receipt);
    const found = isFresh ? [] : this.#findAttempts(attemptsOfId, [carrier, idKey]);
    if (found) rows.keepOnly(attemptsOfId, [carrier, idKey], found);
    return isFresh || rows.loaded(attemptsOfId, carrier, idKey).length > 0;
  }

  waiting(wanted: WaitingWanted): WaitingFound {
    const found = this.findWaiting(wanted);
    if (found) this.rows.waiting.set(wanted.carrier, found);
    return found ?? { queues: [], nextDue: null };
  }

  /** Answers a lookup or a query from memory, or from the database. */
  #load(of: RowLookup<unknown> | Query<unknown>, values: readonly Stored[]): readonly unknown[] {
    const found = this.#answers.get(of, values, () => this.find(of, values));
    if (!found) return [];
    return 'table' in of ? this.rows.keep(of, values, found) : this.rows.keepValues(of, values, found);
  }

  #findMessage(id: MessageId): MessageRow | undefined {
    const [found, parts] = [this.find(messageById, [id]), this.find(partsOfMessage, [id])];
    const row = found?.[0];
    if (!row || !parts) return undefined;
    const report = parts[0]?.report;
    if (!report) throw new Error('a message is stored without its part 1');
    const withClaim = (part: (typeof parts)[number]) =>
      Object.assign(part, { loaded: [openAttempt(part) ?? []].flat() });
    return Object.assign(row, report, { parts: parts.map(withClaim) });
  }

  /** Adds a message, and loads its account. */
  #addMessage(message: MessageRow): void {
    this.rows.messages.set(message.id, message);
    this.#readOf(message);
  }

  #readOf(message: MessageRow): void {
    this.one(accountById, message.account);
    readDestinations(this, message.account);
  }

  /** Attempts with their messages. Returns undefined if some come in the next round of questions. */
  #findAttempts(lookup: RowLookup<AttemptRow>, values: readonly Stored[]): readonly AttemptRow[] | undefined {
    const found = this.find(lookup, values);
    const messages = found?.map(({ message }) => this.message(message));
    if (!messages || messages.includes(undefined)) return undefined;
    return found?.map((attempt) => this.#keepAttempt(attempt));
  }

  /** Keeps one object for each attempt, however many commands of the group name it. */
  #keepAttempt(attempt: AttemptRow): AttemptRow {
    const known = this.rows.attempt(attempt.message, attempt.part, attempt.number);
    if (known) return known;
    this.rows.messages.get(attempt.message)?.parts[attempt.part - 1]?.loaded.push(attempt);
    return attempt;
  }
}

function isTo(message: MessageRow | undefined, receipt: Numbers): boolean {
  return message !== undefined && namesReceiver(message, receipt);
}
