/* Loads the attempts and unmatched receipts that a receipt or an answer may belong to. */

import type { Command } from '../../commands.ts';
import { answerKeyOf, answerKeysOf, receiptKeyOf, receiptKeysOf } from '../../../core/message/carrier-id.ts';
import { namesReceiver } from '../../../core/message/receipt.ts';
import type { Numbers } from '../../../core/message/receipt.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { RecordReceipt, Rematch } from '../../commands/receipt.ts';
import type { RecordInbound } from '../../tables/inbound.ts';
import { ruleOf } from '../../tables/learning.ts';
import type { LearningRow } from '../../tables/learning.ts';
import { carrierKey, numbersKey } from '../../tables/rows.ts';
import type { InFlight, UnmatchedReceiptRow } from '../../tables/receipt.ts';
import type { AttemptRow, MessageRow } from '../../tables/message.ts';
import type { Rows } from '../../tables/rows.ts';
import type { MessageCache } from './message-cache.ts';
import { attemptTable, doubtTable } from '../../tables/message.ts';
import { unmatchedReceiptTable } from '../../tables/receipt.ts';
import { pick, shape } from '../../tables/table.ts';
import type { Statements } from '../statements.ts';

/** Attempts with one carrier id; beyond it the oldest no longer count. */
const sameIdMax = 16;

/** Parts in flight to one receiver that are compared. With more, an id with two readings waits. */
const inFlightMax = 16;

/**
 * Receipts of one group that a learned rule does not match and that are looked up under the other rules. This is enough
 * to notice a carrier that changed, and keeps a flood of unknown ids cheap.
 */
const otherRuleLooksMax = 4;

/** Attempts in doubt of one message: 255 parts (3GPP TS 23.040, 9.2.3.24.1), each sent three times (`resendsMax`). */
const doubtsMax = 3 * 255;

/** Unmatched receipts that are looked at again with one receipt: as many as a message has parts. */
const unmatchedBesideMax = 255;

/** Undecided receipts that one command looks at again, in turn. */
const undecidedMax = 100;

const inFlightShape = shape(pick(attemptTable, 'message', 'part', 'number', 'claimedAt'));
const doubtShape = shape(pick(doubtTable, 'carrier', 'sender', 'receiver'));

/** The fields that identify a receipt's message. */
type Naming = Pick<RecordReceipt, 'carrier' | 'carrierIdKey' | 'sender' | 'receiver'>;

interface LoaderOfMessages {
  message(rows: Rows, id: MessageId): void;
  /** Keeps one object for each attempt, however many commands of the group name it. */
  keepAttempt(rows: Rows, attempt: AttemptRow): AttemptRow;
  /** Loads what an unmarked text needs to become an inbound message. */
  inbound(command: RecordInbound): void;
  /** Loads the numbers that a receiver may belong to. */
  route(receiver: string): void;
}

/** Loads what receipts name, and the unmatched receipts that answers name. */
export class ReceiptLoader {
  readonly #statements: Statements;
  readonly #cache: MessageCache;
  readonly #messages: LoaderOfMessages;
  /** The undecided receipt that was looked at last. */
  #lastUndecided = 0;

  constructor(statements: Statements, cache: MessageCache, messages: LoaderOfMessages) {
    this.#statements = statements;
    this.#cache = cache;
    this.#messages = messages;
  }

  /** The attempts that a receipt's id names. If an answer of this group brings the id, only its attempt counts. */
  loadNamed(rows: Rows, command: RecordReceipt, answered: ReadonlyMap<string, MessageId>): void {
    const learning = rows.learning.get(command.carrier);
    const rule = learning ? ruleOf(learning) : 'same';
    const keys = rule === null ? answerKeysOf(command.carrierIdKey) : [answerKeyOf(command.carrierIdKey, rule)];
    // An unmarked text may be no receipt.
    if (command.orInbound) this.#inboundInstead(rows, command, command.orInbound);
    if (keys.length > 1) {
      this.#underAnyRule(rows, command, answered);
      return;
    }
    const [idKey = null] = keys;
    if (idKey !== null && this.#atHand(rows, command, { idKey, answered })) return;
    if (idKey !== null && this.#stored(rows, command.carrier, idKey)) return;
    this.#lookUnderOthers(rows, command, learning);
    this.#doubts(rows, command);
  }

  /** Loads what decides whether an unmarked text is an inbound message. */
  #inboundInstead(rows: Rows, command: RecordReceipt, orInbound: RecordInbound): void {
    this.#messages.inbound(orInbound);
    this.#messages.route(command.sender);
    if (rows.learning.get(command.carrier)?.hasTextReceipts !== true) this.#inFlightTo(rows, command);
  }

  /** Loads the unmatched receipts with the id of an answer. A carrier without unmatched receipts needs no query. */
  loadUnmatched(rows: Rows, carrier: number, answerKey: string): void {
    const learning = rows.learning.get(carrier);
    if (!learning || learning.unmatched === 0) return;
    const rule = ruleOf(learning);
    if (rule !== null) {
      const key = receiptKeyOf(answerKey, rule);
      if (key !== null) this.#unmatched(rows, carrier, key);
      return;
    }
    for (const key of receiptKeysOf(answerKey)) {
      for (const unmatched of this.#unmatched(rows, carrier, key)) {
        this.#underAnyRule(rows, unmatched, new Map());
        this.#inFlightTo(rows, unmatched);
      }
    }
  }

  /** Unmatched receipts to be looked at again, and what they name. */
  loadRematch(rows: Rows, command: Rematch): void {
    const learning = [...rows.learning.values()].find((row) => row.rematchFrom !== null);
    const receipts = learning ? this.#unmatchedFrom(rows, learning, command.max) : [];
    const undecided = this.#undecided(rows);
    for (const unmatched of [...receipts, ...undecided]) this.#namedByUnmatched(rows, unmatched);
    rows.rematch = { carrier: learning?.carrier ?? null, from: learning?.rematchFrom ?? null, receipts, undecided };
  }

  /** Unmatched receipts between a part's numbers, which may end its doubt. */
  loadForDoubt(rows: Rows, message: MessageId, part: number): void {
    const sql = 'select distinct carrier, sender, receiver from doubt where message = ? and part = ?';
    for (const found of this.#statements.rows(doubtShape, sql, message, part)) {
      this.#doubts(rows, { ...found, carrierIdKey: '' });
    }
  }

  /** Whether the attempt of the id is in this group or in memory. */
  #atHand(
    rows: Rows,
    command: RecordReceipt,
    { idKey, answered }: { idKey: string; answered: ReadonlyMap<string, MessageId> },
  ): boolean {
    const key = carrierKey(command.carrier, idKey);
    if (rows.attemptsByCarrierId.has(key)) return true;
    // First the attempt that has the id. An answer of this group with the same id may be void, and comes after the
    // receipt.
    const cached = this.#cache.attempt(key);
    if (cached && isTo(this.#cache.message(cached.message), command)) {
      this.#messages.message(rows, cached.message);
      rows.attemptsByCarrierId.set(key, [cached]);
      return true;
    }
    const fresh = answered.get(key);
    if (fresh === undefined) return false;
    // The receipt may stand before the answer in the group: both came in one read from the socket.
    this.#messages.message(rows, fresh);
    // The answer may be void if its message ended long ago. Then an older message has the id.
    return this.#cache.message(fresh) !== undefined && isTo(rows.messages.get(fresh), command);
  }

  /** Whether the store has attempts with this id. They are loaded. */
  #stored(rows: Rows, carrier: number, idKey: string): boolean {
    const key = carrierKey(carrier, idKey);
    if (rows.attemptsByCarrierId.has(key)) return true;
    const found = this.#statements.find(
      attemptTable,
      `where carrier = ? and carrier_id_key = ? order by message desc, part desc, number desc limit ${sameIdMax}`,
      carrier,
      idKey,
    );
    if (found.length === 0) return false;
    const attempts = found.toReversed().map((row) => this.#messages.keepAttempt(rows, row));
    rows.attemptsByCarrierId.set(key, attempts);
    return true;
  }

  /**
   * While no rule is known: everything that the id may name. If it fits something in one of several readings, also what
   * else is in flight to the same receiver.
   */
  #underAnyRule(rows: Rows, receipt: Naming, answered: ReadonlyMap<string, MessageId>): void {
    const keys = answerKeysOf(receipt.carrierIdKey);
    let isFound = false;
    for (const idKey of keys) {
      const fresh = answered.get(carrierKey(receipt.carrier, idKey));
      if (fresh !== undefined) this.#messages.message(rows, fresh);
      isFound = this.#stored(rows, receipt.carrier, idKey) || fresh !== undefined || isFound;
    }
    this.#doubts(rows, receipt);
    if (isFound && keys.length > 1) this.#inFlightTo(rows, receipt);
  }

  #lookUnderOthers(rows: Rows, command: RecordReceipt, learning: LearningRow | undefined): void {
    if (learning?.rule !== 'auto' || learning.learned === null || rows.otherRuleLooks >= otherRuleLooksMax) return;
    rows.otherRuleLooks += 1;
    this.#underAnyRule(rows, command, new Map());
  }

  /** What an unmatched receipt names, under the rule or under all rules; or what is in doubt between its numbers. */
  #namedByUnmatched(rows: Rows, unmatched: UnmatchedReceiptRow): void {
    const learning = rows.learning.get(unmatched.carrier);
    const rule = learning ? ruleOf(learning) : 'same';
    if (rule === null) this.#underAnyRule(rows, unmatched, new Map());
    else {
      const idKey = answerKeyOf(unmatched.carrierIdKey, rule);
      if (idKey === null || !this.#stored(rows, unmatched.carrier, idKey)) this.#doubts(rows, unmatched);
    }
  }

  #unmatched(rows: Rows, carrier: number, receiptKey: string): readonly UnmatchedReceiptRow[] {
    const key = carrierKey(carrier, receiptKey);
    if (!rows.unmatchedLoaded.has(key)) {
      rows.unmatchedLoaded.add(key);
      const found = this.#statements.find(
        unmatchedReceiptTable,
        'where carrier = ? and carrier_id_key = ? order by id',
        carrier,
        receiptKey,
      );
      for (const row of found) this.#keepUnmatched(rows, row);
    }
    return rows.unmatchedReceipts.get(key) ?? [];
  }

  #unmatchedFrom(rows: Rows, learning: LearningRow, max: number): readonly UnmatchedReceiptRow[] {
    return this.#statements
      .find(
        unmatchedReceiptTable,
        "where carrier = ? and why = 'unknown' and id >= ? order by id limit ?",
        learning.carrier,
        learning.rematchFrom ?? 0,
        max,
      )
      .map((row) => this.#keepUnmatched(rows, row));
  }

  #undecided(rows: Rows): readonly UnmatchedReceiptRow[] {
    const found = this.#statements.find(
      unmatchedReceiptTable,
      "where why = 'undecided' and id > ? order by id limit ?",
      this.#lastUndecided,
      undecidedMax,
    );
    const last = found.at(-1);
    // At the end it starts again.
    this.#lastUndecided = last && found.length === undecidedMax ? last.id : 0;
    return found.map((row) => this.#keepUnmatched(rows, row));
  }

  /** Keeps one object for each unmatched receipt. An unmarked one may become an inbound message. */
  #keepUnmatched(rows: Rows, row: UnmatchedReceiptRow): UnmatchedReceiptRow {
    const key = carrierKey(row.carrier, row.carrierIdKey);
    const list = rows.unmatchedReceipts.get(key);
    const known = list?.find((each) => each.id === row.id);
    if (known) return known;
    if (list) list.push(row);
    else rows.unmatchedReceipts.set(key, [row]);
    if (row.orInbound) this.#messages.inbound(row.orInbound);
    return row;
  }

  /** Attempts in doubt between the receipt's numbers, in either order. */
  #doubts(rows: Rows, receipt: Naming): void {
    const key = numbersKey(receipt.carrier, receipt);
    if (rows.learning.get(receipt.carrier)?.mayDoubt === false || rows.inDoubtByNumbers.has(key)) return;
    const { carrier, sender, receiver } = receipt;
    const found = this.#statements.find(
      attemptTable,
      `join doubt on attempt.message = doubt.message and attempt.part = doubt.part and attempt.number = doubt.attempt
        where doubt.carrier = ?1 and (doubt.receiver, doubt.sender) in (values (?2, ?3), (?3, ?2))
        order by doubt.message, doubt.part, doubt.attempt limit ${doubtsMax + 1}`,
      carrier,
      receiver,
      sender,
    );
    // With so many, no single message is meant, whatever this group does. The receipt is looked at again later.
    const isHopeless = found.length > doubtsMax || new Set(found.map(({ message }) => message)).size > sameIdMax;
    const attempts = isHopeless ? [] : found;
    rows.inDoubtByNumbers.set(
      key,
      attempts.map((attempt) => this.#messages.keepAttempt(rows, attempt)),
    );
    if (attempts.length === 0) return;
    if (this.#flying(receipt, 1).length > 0) rows.inFlightByNumbers.add(key);
    this.#unmatchedBeside(rows, receipt);
  }

  /** The newest unmatched receipts with the same numbers, and what each of them may settle. */
  #unmatchedBeside(rows: Rows, receipt: Naming): void {
    const { carrier, sender, receiver } = receipt;
    if (rows.learning.get(carrier)?.unmatched === 0) return;
    const found = this.#statements.find(
      unmatchedReceiptTable,
      `where carrier = ?1 and (receiver, sender) in (values (?2, ?3), (?3, ?2)) and why = 'unknown'
        order by id desc limit ${unmatchedBesideMax}`,
      carrier,
      receiver,
      sender,
    );
    const unmatched = found.toReversed().map((row) => this.#keepUnmatched(rows, row));
    rows.unmatchedByNumbers.set(numbersKey(carrier, receipt), unmatched);
    for (const each of unmatched) this.#namedByUnmatched(rows, each);
  }

  #inFlightTo(rows: Rows, receipt: Naming): void {
    const key = numbersKey(receipt.carrier, receipt);
    if (rows.inFlightTo.has(key)) return;
    rows.inFlightTo.set(key, this.#flying(receipt, inFlightMax));
  }

  #flying(receipt: Naming, max: number): readonly InFlight[] {
    return this.#statements.rows(
      inFlightShape,
      `select part.message, part.number as part, part.attempts as number, part.claim_at as claimed_at from part
        join message on message.id = part.message
        where part.tried_by = ? and part.claim_link is not null and message.receiver in (?, ?)
        order by part.message, part.number limit ?`,
      receipt.carrier,
      receipt.receiver,
      receipt.sender,
      max,
    );
  }
}

/** The message of each carrier id in this group's answers. */
export function carrierIdsAnswered(commands: readonly Command[]): ReadonlyMap<string, MessageId> {
  const keys = new Map<string, MessageId>();
  for (const command of commands) {
    if (command.kind === 'outcome' && command.outcome === 'accepted' && command.carrierIdKey !== null) {
      keys.set(carrierKey(command.carrier, command.carrierIdKey), command.message);
    }
  }
  return keys;
}

function isTo(message: MessageRow | undefined, receipt: Numbers): boolean {
  return message !== undefined && namesReceiver(message, receipt);
}
