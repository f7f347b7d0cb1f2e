/* Loads expected redeliveries of inbound messages. */

import { repeatedWithinMs } from '../../../core/message/inbound.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, nullable } from '../../tables/column.ts';
import { inboundTable, repeatKey, repeatTable } from '../../tables/inbound.ts';
import type { RecordInbound } from '../../commands/inbound.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Statements } from '../statements.ts';

/**
 * Messages that a killed process left unanswered: more than it can receive in the second between two records of its
 * answers.
 */
const unansweredMax = 100_000;

/** Inbound messages that may be repeated. While there are none, no message causes a query. */
export class InboundRepeats {
  readonly #statements: Statements;
  #lastExpectedAt: Instant;

  constructor(statements: Statements) {
    this.#statements = statements;
    const last = statements.value(nullable(integer), 'select max(expected_at) from inbound_repeat');
    this.#lastExpectedAt = last ?? 0;
  }

  /** Loads the expected repeats that an inbound message of one part may be. */
  load(rows: Rows, command: RecordInbound): void {
    if (command.concatenation || command.at - this.#lastExpectedAt >= repeatedWithinMs) return;
    const key = repeatKey(command);
    if (rows.inbound.repeats.has(key)) return;
    const { carrier, sender, receiver } = command;
    const where = 'where carrier = ? and sender = ? and receiver = ? and taken_by is null order by id';
    rows.inbound.repeats.set(key, this.#statements.find(repeatTable, where, carrier, sender, receiver));
  }

  /** At a start: messages that the last run may not have answered, and repeats that it took without an answer. */
  loadUnanswered(rows: Rows): void {
    const answered = rows.node.inboundAnswered;
    if (answered === null) return;
    const where = 'where id >= ? and num_parts = 1 order by id limit ?';
    rows.inbound.unanswered = this.#statements.find(inboundTable, where, answered, unansweredMax);
    for (const row of this.#statements.find(repeatTable, 'where taken_by >= ?', answered)) {
      row.takenBy = null;
      touch(row);
      const key = repeatKey(row);
      rows.inbound.repeats.set(key, [...(rows.inbound.repeats.get(key) ?? []), row]);
    }
  }

  committed(rows: Rows): void {
    for (const list of rows.inbound.repeats.values()) {
      for (const { expectedAt } of list) this.#lastExpectedAt = Math.max(this.#lastExpectedAt, expectedAt);
    }
  }
}
