import type { DatabaseSync } from 'node:sqlite';
import type { MessageId } from '../../core/message-id.ts';
import { toMessageId } from '../../core/message-id.ts';
import { namesReceiver } from '../../core/receipt.ts';
import type { Claim, Command, RecordOutcome, RecordReceipt } from '../commands.ts';
import { referenceKey } from '../decide/accept.ts';
import { numbersKey } from '../decide/receipt.ts';
import { attemptsWith } from '../decide/whole.ts';
import { attemptKey, carrierKey, Rows } from '../rows.ts';
import type { AttemptRow, MessageRow } from '../rows.ts';
import { Hot } from './hot.ts';
import { loadInbound, loadOverdueInbound } from './load-inbound.ts';
import { loadOperatorRows } from './load-operator.ts';
import { QueueLoader } from './load-queue.ts';
import {
  accountRowFrom,
  attemptRowFrom,
  carrierRowFrom,
  contentFrom,
  integer,
  messageRowFrom,
  parkedReceiptRowFrom,
  partRowFrom,
} from './row-readers.ts';
import { Statements } from './statements.ts';

/** More in flight than every link of every carrier could have together. */
const orphansMax = 100_000;

/** Of one message (3GPP TS 23.040, 9.2.3.24.1). */
const partsMax = 255;

/** Attempts that one carrier id may name before the oldest no longer count. */
const sameIdMax = 16;

/** Loads the rows that commands name. */
export class Loader {
  readonly #statements: Statements;
  readonly #queue: QueueLoader;
  readonly #hot = new Hot();
  /** Parked receipts in the store: while there are none, no answer has to look for its own. */
  #parkedCount: number;
  #start: Pick<Rows, 'counters' | 'lease' | 'lastMessageId'>;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database, (sql) => sql.includes('from account'));
    this.#queue = new QueueLoader(this.#statements);
    this.#start = this.#readStart();
    this.#parkedCount = this.#countParked();
  }

  load(commands: readonly Command[]): Rows {
    const rows = new Rows({ ...this.#start, counters: { ...this.#start.counters } });
    const answered = carrierIdsAnswered(commands);
    for (const command of commands) this.#loadFor(rows, command, answered);
    return rows;
  }

  /** After the commit: what the next group counts on from. */
  committed(rows: Rows): void {
    this.#start = { counters: rows.counters, lease: rows.lease, lastMessageId: rows.lastMessageId };
    for (const list of rows.parkedReceipts.values()) {
      for (const row of list) {
        if (row.change === 'new') this.#parkedCount += 1;
        else if (row.change === 'gone') this.#parkedCount -= 1;
      }
    }
    if (rows.sweep) this.#parkedCount = this.#countParked();
    this.#queue.committed(rows);
    this.#hot.keep(rows);
  }

  /** After a rollback: what the group made of its rows never was. */
  rolledBack(): void {
    this.#hot.clear();
  }

  #loadFor(rows: Rows, command: Command, answered: ReadonlyMap<string, MessageId>): void {
    switch (command.kind) {
      case 'accept':
        this.#account(rows, command.account);
        if (command.numParts > 1) this.#reference(rows, command);
        return;
      case 'claim':
        this.#waiting(rows, command);
        return;
      case 'outcome':
        this.#carrier(rows, command.carrier);
        this.#message(rows, command.message);
        this.#attempt(rows, command);
        this.#attemptsWith(rows, command);
        if (command.carrierIdKey !== null) this.#parked(rows, command.carrier, command.carrierIdKey);
        return;
      case 'receipt':
        this.#named(rows, command, answered);
        return;
      case 'begin':
        this.#orphans(rows);
        return;
      case 'expire':
        this.#overdue(rows, command.at, command.max);
        return;
      case 'release':
        for (const { message } of command.messages) this.#message(rows, message);
        return;
      case 'cancel':
        this.#message(rows, command.message);
        return;
      case 'inbound':
        loadInbound(rows, command, this.#statements);
        return;
      case 'expire-inbound':
        loadOverdueInbound(rows, command, this.#statements);
        return;
      case 'sweep':
        return;
      default:
        loadOperatorRows(rows, command, this.#statements);
    }
  }

  #countParked(): number {
    return integer(this.#statements.get('select count(*) as n from parked_receipt') ?? {}, 'n');
  }

  #account(rows: Rows, id: number): void {
    if (rows.accounts.has(id)) return;
    const row = this.#statements.get('select * from account where id = ?', id);
    if (row) rows.accounts.set(id, accountRowFrom(row));
  }

  #carrier(rows: Rows, id: number): void {
    if (rows.carriers.has(id)) return;
    const row = this.#statements.get('select * from carrier where id = ?', id);
    if (row) rows.carriers.set(id, carrierRowFrom(row));
  }

  #message(rows: Rows, id: MessageId): void {
    if (rows.messages.has(id)) return;
    const hot = this.#hot.message(id);
    if (hot) {
      addMessage(rows, hot);
      this.#account(rows, hot.account);
      return;
    }
    const row = this.#statements.get(
      `select id, account, route, priority, sender, receiver, num_parts, unit_price, release_at, expires_at, event, event_at, corrected, own_end,
        error_code from message where id = ?`,
      id,
    );
    if (!row) return;
    const parts = this.#statements.all('select * from part where message = ? order by number', id).map(partRowFrom);
    const message = messageRowFrom(row, parts);
    rows.messages.set(id, message);
    this.#account(rows, message.account);
  }

  #attempt(rows: Rows, wanted: { message: MessageId; part: number; attempt: number }): void {
    if (rows.attempts.has(attemptKey(wanted.message, wanted.part, wanted.attempt))) return;
    const row = this.#statements.get(
      'select * from attempt where message = ? and part = ? and number = ?',
      wanted.message,
      wanted.part,
      wanted.attempt,
    );
    if (row) this.#keepAttempt(rows, attemptRowFrom(row));
  }

  /** Those that left in one request with it, where it carried its message whole. */
  #attemptsWith(rows: Rows, wanted: RecordOutcome): void {
    const attempt = rows.attempts.get(attemptKey(wanted.message, wanted.part, wanted.attempt));
    if (!attempt?.isWhole || attemptsWith(rows, attempt).length === rows.messages.get(attempt.message)?.numParts)
      return;
    const found = this.#statements.all(
      'select * from attempt where message = ? and claimed_at = ? and whole = 1 limit ?',
      attempt.message,
      attempt.claimedAt,
      partsMax,
    );
    for (const row of found) this.#keepAttempt(rows, attemptRowFrom(row));
  }

  /** One object an attempt, however many commands of the group name it. */
  #keepAttempt(rows: Rows, attempt: AttemptRow): AttemptRow {
    const key = attemptKey(attempt.message, attempt.part, attempt.number);
    const known = rows.attempts.get(key);
    if (known) return known;
    this.#message(rows, attempt.message);
    const hot = rows.attempts.get(key);
    if (hot) return hot;
    rows.attempts.set(key, attempt);
    rows.messages.get(attempt.message)?.parts[attempt.part - 1]?.loaded.push(attempt);
    return attempt;
  }

  #reference(rows: Rows, pair: { receiver: string; sender: string }): void {
    const key = referenceKey(pair.receiver, pair.sender);
    if (rows.references.has(key)) return;
    const row = this.#statements.get(
      'select * from reference where receiver = ? and sender = ?',
      pair.receiver,
      pair.sender,
    );
    if (!row) return;
    rows.references.set(key, { ...pair, last: integer(row, 'last'), usedAt: integer(row, 'used_at') });
  }

  #parked(rows: Rows, carrier: number, idKey: string): void {
    const key = carrierKey(carrier, idKey);
    if (this.#parkedCount === 0 || rows.parkedReceipts.has(key)) return;
    const found = this.#statements.all(
      'select * from parked_receipt where carrier = ? and carrier_id_key = ? order by id',
      carrier,
      idKey,
    );
    if (found.length > 0) rows.parkedReceipts.set(key, found.map(parkedReceiptRowFrom));
  }

  /** The attempts that a receipt's id names. An id that an answer of this very group brings names that newest attempt. */
  #named(rows: Rows, command: RecordReceipt, answered: ReadonlyMap<string, MessageId>): void {
    const key = carrierKey(command.carrier, command.carrierIdKey);
    if (rows.attemptsByCarrierId.has(key)) return;
    const fresh = answered.get(key);
    if (fresh !== undefined) {
      // The receipt may stand before the answer in the group: both were in one read from the socket.
      this.#message(rows, fresh);
      if (isTo(rows.messages.get(fresh), command)) return;
    }
    const hot = this.#hot.attempt(key);
    if (hot && isTo(this.#hot.message(hot.message), command)) {
      this.#message(rows, hot.message);
      rows.attemptsByCarrierId.set(key, [hot]);
      return;
    }
    const found = this.#statements.all(
      'select * from attempt where carrier = ? and carrier_id_key = ? order by message desc, part desc, number desc limit ?',
      command.carrier,
      command.carrierIdKey,
      sameIdMax,
    );
    if (found.length === 0) {
      this.#doubts(rows, command);
      return;
    }
    const attempts = found.toReversed().map((row) => this.#keepAttempt(rows, attemptRowFrom(row)));
    rows.attemptsByCarrierId.set(key, attempts);
  }

  /** Attempts in doubt between the receipt's numbers, the way we swapped them back or the way they came. */
  #doubts(rows: Rows, command: RecordReceipt): void {
    const key = numbersKey(command.carrier, command);
    if (rows.inDoubtByNumbers.has(key)) return;
    const found = this.#statements.all(
      `select attempt.* from doubt join attempt
        on attempt.message = doubt.message and attempt.part = doubt.part and attempt.number = doubt.attempt
        where doubt.carrier = ? and (doubt.receiver, doubt.sender) in (values (?, ?), (?, ?))
        order by doubt.message, doubt.part, doubt.attempt limit ?`,
      command.carrier,
      command.receiver,
      command.sender,
      command.sender,
      command.receiver,
      sameIdMax,
    );
    rows.inDoubtByNumbers.set(
      key,
      found.map((row) => this.#keepAttempt(rows, attemptRowFrom(row))),
    );
    if (found.length > 0 && this.#isInFlight(command)) rows.inFlightByNumbers.add(key);
  }

  #isInFlight(command: RecordReceipt): boolean {
    const row = this.#statements.get(
      `select 1 as found from attempt join message on message.id = attempt.message
        where attempt.carrier = ? and attempt.outcome is null and message.receiver in (?, ?) limit 1`,
      command.carrier,
      command.receiver,
      command.sender,
    );
    return row !== undefined;
  }

  #orphans(rows: Rows): void {
    const found = this.#statements.all('select * from attempt where outcome is null limit ?', orphansMax);
    rows.orphans = found.map((row) => this.#keepAttempt(rows, attemptRowFrom(row)));
    for (const attempt of rows.orphans) this.#carrier(rows, attempt.carrier);
  }

  #overdue(rows: Rows, at: number, max: number): void {
    const found = this.#statements.all(
      'select message, number from part where deadline <= ? order by deadline limit ?',
      at,
      max,
    );
    for (const row of found) {
      const id = toMessageId(integer(row, 'message'));
      this.#message(rows, id);
      const part = rows.messages.get(id)?.parts[integer(row, 'number') - 1];
      if (part) rows.overdue.push(part);
    }
  }

  #waiting(rows: Rows, command: Claim): void {
    for (const { parts } of this.#queue.load(rows, command)) {
      for (const { message } of parts) {
        this.#message(rows, message);
        this.#content(rows, message);
      }
    }
  }

  #content(rows: Rows, id: MessageId): void {
    if (rows.contents.has(id)) return;
    const row = this.#statements.get(
      'select sender, receiver, encoding, dcs, text, reference, flash from message where id = ?',
      id,
    );
    if (row) rows.contents.set(id, contentFrom(row));
  }

  #readStart(): Pick<Rows, 'counters' | 'lease' | 'lastMessageId'> {
    const next = (table: string) =>
      integer(this.#statements.get(`select coalesce(max(id), 0) + 1 as next from ${table}`) ?? {}, 'next');
    const node = this.#statements.get('select * from node') ?? {};
    const newest = (table: string) =>
      integer(this.#statements.get(`select coalesce(max(id), 0) as newest from ${table}`) ?? {}, 'newest');
    return {
      counters: {
        entry: next('entry'),
        account: next('account'),
        carrier: next('carrier'),
        route: next('route'),
        priceList: next('price_list'),
        parkedReceipt: next('parked_receipt'),
        inboundPart: next('inbound_part'),
      },
      lease: integer(node, 'lease'),
      lastMessageId: Math.max(integer(node, 'message_id_high_water'), newest('message'), newest('inbound')),
    };
  }
}

/** The message that each carrier id of this group's answers names. */
function carrierIdsAnswered(commands: readonly Command[]): ReadonlyMap<string, MessageId> {
  const keys = new Map<string, MessageId>();
  for (const command of commands) {
    if (command.kind === 'outcome' && command.outcome === 'accepted' && command.carrierIdKey !== null) {
      keys.set(carrierKey(command.carrier, command.carrierIdKey), command.message);
    }
  }
  return keys;
}

function isTo(message: MessageRow | undefined, receipt: RecordReceipt): boolean {
  return message !== undefined && namesReceiver(message, receipt);
}

function addMessage(rows: Rows, message: MessageRow): void {
  rows.messages.set(message.id, message);
  for (const part of message.parts) {
    for (const attempt of part.loaded)
      rows.attempts.set(attemptKey(attempt.message, attempt.part, attempt.number), attempt);
  }
}
