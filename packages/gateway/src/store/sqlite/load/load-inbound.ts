/* Loads inbound messages, their waiting parts and the numbers that they were sent to. */

import { ownersOf } from '../../../core/number/owners.ts';
import { toMessageId } from '../../../core/base/message-id.ts';
import type { ExpireInbound, RecordInbound, ReplayInbound } from '../../commands/inbound.ts';
import {
  inboundKey,
  inboundPartTable,
  inboundTable,
  joinedTable,
  numberKey,
  numberTable,
} from '../../tables/inbound.ts';
import type { InboundPartRow, NumberRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';
import { notificationTable } from '../../tables/notification.ts';
import { keepNotification } from './load-notifications.ts';
import type { Statements } from '../statements.ts';

/** Loads the account of the number and, for a part of a long message, the other parts. */
export function loadInbound(rows: Rows, command: RecordInbound, statements: Statements): void {
  loadOwners(rows, command.receiver, statements);
  const { concatenation } = command;
  if (concatenation) loadTogether(rows, { ...command, concatenation }, statements);
}

/** Loads parts that have waited too long, with all parts of their messages. Returns their senders. */
export function loadOverdueInbound(rows: Rows, command: ExpireInbound, statements: Statements): ReadonlySet<string> {
  const max = command.ids.length;
  const where = 'where received_at <= ? order by received_at limit ?';
  const found = statements.find(inboundPartTable, where, command.before, max);
  for (const part of found) {
    loadOwners(rows, part.receiver, statements);
    loadTogether(rows, part, statements);
  }
  rows.inbound.overdue = [...new Set(found.map(inboundKey))];
  rows.inbound.isFull = found.length === max;
  return new Set(found.map(({ sender }) => sender));
}

/** Loads messages to replay, their notifications and the present accounts of their numbers. Returns their senders. */
export function loadReplayedInbound(rows: Rows, command: ReplayInbound, statements: Statements): ReadonlySet<string> {
  const { stored } = rows.inbound;
  const wanted = command.ids.filter((id) => !stored.has(id));
  const found = statements.findAmong(inboundTable, { column: 'id', values: wanted });
  for (const row of found) stored.set(row.id, { row, notifications: [] });
  const tail = "and kind = 'inbound' order by id";
  for (const each of statements.findAmong(notificationTable, { column: 'subject', values: wanted, tail })) {
    const notification = keepNotification(rows, each);
    stored.get(toMessageId(notification.subject))?.notifications.push(notification);
  }
  for (const receiver of new Set(found.map((row) => row.receiver))) loadOwners(rows, receiver, statements);
  return new Set(found.map(({ sender }) => sender));
}

export function loadNumber(rows: Rows, digits: string, statements: Statements): void {
  for (const row of statements.find(numberTable, 'where digits = ?', digits)) keepNumber(rows, row);
}

function loadOwners(rows: Rows, receiver: string, statements: Statements): void {
  const digits = new Set(ownersOf(receiver).map((owner) => owner.digits));
  const found = statements.findAmong(numberTable, { column: 'digits', values: [...digits] });
  for (const row of found) keepNumber(rows, row);
}

type Together = Pick<InboundPartRow, 'carrier' | 'sender' | 'receiver' | 'concatenation'>;

function loadTogether(rows: Rows, part: Together, statements: Statements): void {
  const { carrier, sender, receiver, concatenation } = part;
  const key = inboundKey(part);
  if (rows.inbound.waiting.has(key)) return;
  const values = [carrier, sender, receiver, concatenation.kind, concatenation.reference, concatenation.total];
  const where = `where carrier = ? and sender = ? and receiver = ?
    and concatenation_kind = ? and concatenation_reference = ? and concatenation_total = ?`;
  rows.inbound.waiting.set(key, statements.find(inboundPartTable, `${where} order by id`, ...values));
  const joined = statements.find(joinedTable, where, ...values);
  rows.inbound.joined.set(key, new Map(joined.map((row) => [row.concatenation.number, row])));
}

/** Keeps one object for each number, however many commands of the group name it. */
function keepNumber(rows: Rows, row: NumberRow): void {
  const key = numberKey(row);
  if (!rows.inbound.numbers.has(key)) rows.inbound.numbers.set(key, row);
}
