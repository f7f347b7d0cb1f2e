/* Expected redeliveries of inbound messages: loading, writing and removing them. */

import { repeatedWithinMs } from '../../../core/message/inbound.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { repeatKey } from '../../tables/inbound.ts';
import type { InboundRows, RepeatRow } from '../../tables/inbound.ts';
import type { RecordInbound } from '../../commands/inbound.ts';
import type { Rows } from '../../tables/rows.ts';
import { inboundRowFrom } from '../load/load-replayed.ts';
import { bytes, integer, integerOrNull, text } from '../columns.ts';
import type { Record } from '../columns.ts';
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
    const found = statements.get('select coalesce(max(expected_at), 0) as last from inbound_repeat');
    this.#lastExpectedAt = integer(found ?? {}, 'last');
  }

  /** Loads the expected repeats that an inbound message of one part may be. */
  load(rows: Rows, command: RecordInbound): void {
    if (command.concatenation || command.at - this.#lastExpectedAt >= repeatedWithinMs) return;
    const key = repeatKey(command);
    if (rows.inbound.repeats.has(key)) return;
    const found = this.#statements.all(
      'select * from inbound_repeat where carrier = ? and sender = ? and receiver = ? and taken_by is null order by id',
      command.carrier,
      command.sender,
      command.receiver,
    );
    rows.inbound.repeats.set(key, found.map(repeatFrom));
  }

  /** At a start: messages that the last run may not have answered, and repeats that it took without an answer. */
  loadUnanswered(rows: Rows): void {
    const answered = integerOrNull(this.#statements.get('select inbound_answered from node') ?? {}, 'inbound_answered');
    if (answered === null) return;
    rows.inbound.unanswered = this.#statements
      .all(`select * from inbound where id >= ? and num_parts = 1 order by id limit ${unansweredMax}`, answered)
      .map(inboundRowFrom);
    for (const found of this.#statements.all('select * from inbound_repeat where taken_by >= ?', answered)) {
      const row: RepeatRow = { ...repeatFrom(found), change: 'changed', takenBy: null };
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

export function writeRepeats({ repeats, answered }: InboundRows, statements: Statements): void {
  for (const list of repeats.values()) for (const row of list) writeRepeat(row, statements);
  if (answered !== undefined) statements.run('update node set inbound_answered = ?', answered);
}

export function sweepRepeats(statements: Statements, before: Instant, max: number): void {
  statements.run(
    'delete from inbound_repeat where id in (select id from inbound_repeat where expected_at < ? order by expected_at limit ?)',
    before,
    max,
  );
}

function writeRepeat(row: RepeatRow, statements: Statements): void {
  if (row.change === 'changed') {
    statements.run('update inbound_repeat set taken_by = ? where id = ?', row.takenBy, row.id);
  }
  if (row.change !== 'new') return;
  statements.run(
    'insert into inbound_repeat (carrier, sender, receiver, digest, expected_at, taken_by) values (?, ?, ?, ?, ?, ?)',
    row.carrier,
    row.sender,
    row.receiver,
    row.digest,
    row.expectedAt,
    row.takenBy,
  );
}

function repeatFrom(row: Record): RepeatRow {
  const takenBy = integerOrNull(row, 'taken_by');
  return {
    change: 'none',
    id: integer(row, 'id'),
    carrier: integer(row, 'carrier'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    digest: bytes(row, 'digest'),
    expectedAt: integer(row, 'expected_at'),
    takenBy: takenBy === null ? null : toMessageId(takenBy),
  };
}
