/* Writes the changed rows of a group. */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Accept } from '../../commands/commands.ts';
import type { RecordInbound } from '../../commands/inbound.ts';
import type { UnmatchedReceiptRow } from '../../tables/receipt.ts';
import type { EntryRow } from '../../tables/ledger.ts';
import { numbersOf } from '../../tables/rows.ts';
import type { AlertRow, AttemptRow, MessageRow, PartRow, Rows } from '../../tables/rows.ts';
import { writeRedated } from '../load/untrusted-messages.ts';
import { insertInto, Statements } from '../statements.ts';
import { writeIdempotencyKeys } from '../tables/idempotency-keys.ts';
import { writeNotifications } from '../tables/notification-tables.ts';
import { writeOptOuts } from '../tables/opt-out-tables.ts';
import { sweepInbound, writeInbound } from './write-inbound.ts';
import { sweepRepeats } from '../tables/inbound-repeats.ts';
import { writeLearning } from './write-learning.ts';
import { writeOperatorRows } from './write-operator.ts';

/** The columns that every message fills, in the order of `#newMessage`. */
const messageColumns = `id, account, source, sender, receiver, dcs, encoding, text, num_parts, reference, client_ref, flash,
  priority, route, accepted_at, due_at, expires_at, price_list, price_version, unit_price, total_cost, balance_after,
  entry, entry_place, event, event_at, corrected, own_end, error_code, submitter, address`;
/** The columns that only messages submitted over SMPP fill, in the order of `smppOnly`. */
const smppColumns = 'octets, header, registered, tlvs, session';
const insertMessage = insertInto('message', messageColumns);
const insertMessageOfSmpp = insertInto('message', `${messageColumns}, ${smppColumns}`);

const updateNode = 'update node set message_id_high_water = ?, lease = ?, seen_at = ?, doubted_from = ?';

const nothingMore: readonly SQLInputValue[] = [];

/** The values of the columns that only messages submitted over SMPP fill; nothing for other messages. */
function smppOnly({ clientEncoded, registered, tlvs, session }: Accept): readonly SQLInputValue[] {
  if (!clientEncoded && registered === undefined && !tlvs && session === undefined) return nothingMore;
  const vendors = tlvs ? JSON.stringify(tlvs) : null;
  return [clientEncoded?.octets ?? null, clientEncoded?.header ?? null, registered ?? null, vendors, session ?? null];
}

/** Writes the new and changed rows of a group. It decides nothing. */
export class Writer {
  readonly #statements: Statements;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
  }

  write(rows: Rows): void {
    writeOperatorRows(rows, this.#statements);
    for (const entry of rows.entries) this.#entry(entry);
    for (const alert of rows.alerts) this.#alert(alert);
    let accepted = false;
    for (const message of rows.messages.values()) {
      if (message.change === 'new') {
        accepted = true;
        this.#newMessage(message);
      } else if (message.change === 'changed') this.#changedMessage(message);
      for (const part of message.parts) this.#part(part);
    }
    for (const attempt of rows.attempts.values()) this.#attempt(attempt);
    this.#queue(rows);
    this.#receiptsAndDoubts(rows);
    this.#rare(rows);
    writeInbound(rows.inbound, this.#statements);
    writeOptOuts(rows.optOuts, this.#statements);
    writeNotifications(rows.notifications, this.#statements);
    if (accepted || rows.leaseChanged || rows.inbound.made.length > 0) {
      const { lastMessageId, lease, seenAt, untrustedFrom } = rows;
      this.#statements.run(updateNode, lastMessageId, lease, seenAt, untrustedFrom);
    }
  }

  #entry(row: EntryRow): void {
    this.#statements.run(
      'insert into entry values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.id,
      row.account,
      row.kind,
      row.amount,
      row.balanceAfter,
      row.messages,
      row.firstMessage,
      row.lastMessage,
      row.part,
      row.reason,
      row.actor,
      row.createdAt,
      row.parts,
      row.key,
    );
  }

  #alert(row: AlertRow): void {
    this.#statements.run(
      `insert into alert (id, account, kind, created_at, threshold, balance, carrier, prefix, unit_price, unit_cost, webhook,
          detail)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      row.id,
      row.account,
      row.kind,
      row.at,
      ...aboutOf(row),
    );
  }

  #newMessage(row: MessageRow): void {
    if (!row.fresh) throw new Error('a new message has no `accept` command');
    const { accept, reference, balanceAfter, entry, entryPlace } = row.fresh;
    const more = smppOnly(accept);
    this.#statements.run(
      more.length === 0 ? insertMessage : insertMessageOfSmpp,
      row.id,
      row.account,
      accept.source,
      accept.sender,
      accept.receiver,
      accept.dcs,
      accept.encoding,
      accept.dcs === 'BIN' ? null : accept.text,
      row.numParts,
      reference,
      accept.clientRef,
      accept.flash ? 1 : 0,
      row.priority,
      row.route,
      accept.at,
      row.dueAt,
      row.expiresAt,
      accept.priceList,
      accept.priceVersion,
      row.unitPrice,
      accept.totalCost,
      balanceAfter,
      entry,
      entryPlace,
      row.event,
      row.eventAt,
      row.corrected ? 1 : 0,
      row.ownEnd ? 1 : 0,
      row.errorCode,
      accept.submitter ?? null,
      accept.address ?? null,
      ...more,
    );
  }

  #changedMessage(row: MessageRow): void {
    this.#statements.run(
      'update message set event = ?, event_at = ?, corrected = ?, own_end = ?, error_code = ? where id = ?',
      row.event,
      row.eventAt,
      row.corrected ? 1 : 0,
      row.ownEnd ? 1 : 0,
      row.errorCode,
      row.id,
    );
  }

  #part(row: PartRow): void {
    if (row.change === 'none') return;
    if (row.change === 'new') {
      this.#statements.run(
        'insert into part values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)',
        row.message,
        row.number,
        row.state,
        row.changedAt,
        row.deadline,
        row.due,
        row.carrier,
        row.attempts,
        row.tries,
        row.inDoubt,
        row.carrierState,
        row.errorCode,
        row.refundEntry,
        row.eligible,
        row.triedBy,
        row.roundEnds,
      );
      return;
    }
    this.#statements.run(
      `update part set state = ?, changed_at = ?, deadline = ?, due = ?, carrier = ?, attempts = ?, tries = ?, in_doubt = ?,
        carrier_state = ?, error_code = ?, refund_entry = ?, eligible = ?, tried_by = ?, round_ends = ?,
        text_end = ?
        where message = ? and number = ?`,
      row.state,
      row.changedAt,
      row.deadline,
      row.due,
      row.carrier,
      row.attempts,
      row.tries,
      row.inDoubt,
      row.carrierState,
      row.errorCode,
      row.refundEntry,
      row.eligible,
      row.triedBy,
      row.roundEnds,
      inboundText(row.textEnd),
      row.message,
      row.number,
    );
  }

  #attempt(row: AttemptRow): void {
    if (row.change === 'none') return;
    if (row.change === 'new') {
      this.#statements.run(
        'insert into attempt values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null, null)',
        row.message,
        row.part,
        row.number,
        row.carrier,
        row.link,
        row.lease,
        row.claimedAt,
        row.answeredAt,
        row.outcome,
        row.commandStatus,
        row.carrierId,
        row.carrierIdKey,
        row.isWhole ? 1 : 0,
      );
      return;
    }
    this.#statements.run(
      `update attempt set answered_at = ?, outcome = ?, command_status = ?, carrier_id = ?, carrier_id_key = ?,
        cost = ?, cost_currency = ?
        where message = ? and part = ? and number = ?`,
      row.answeredAt,
      row.outcome,
      row.commandStatus,
      row.carrierId,
      row.carrierIdKey,
      row.cost?.amount ?? null,
      row.cost?.currency ?? null,
      row.message,
      row.part,
      row.number,
    );
  }

  /** Rows that left the queue come first: a part may leave it and return to the same place in one group. */
  #queue(rows: Rows): void {
    for (const row of rows.dequeued) {
      this.#statements.run(
        'delete from queue where route = ? and eligible = ? and priority = ? and account = ? and due = ? and message = ? and part = ?',
        row.route,
        row.eligible,
        row.priority,
        row.account,
        row.due,
        row.message,
        row.part,
      );
    }
    for (const row of rows.enqueued) {
      const message = rows.messages.get(row.message);
      const part = message?.parts[row.part - 1];
      if (part?.due !== row.due || part.eligible !== row.eligible || message?.route !== row.route) continue;
      this.#statements.run(
        'insert or ignore into queue values (?, ?, ?, ?, ?, ?, ?)',
        row.route,
        row.eligible,
        row.priority,
        row.account,
        row.due,
        row.message,
        row.part,
      );
    }
  }

  #receiptsAndDoubts(rows: Rows): void {
    for (const list of rows.unmatchedReceipts.values()) for (const row of list) this.#unmatchedReceipt(row);
    writeLearning(rows, this.#statements);
    for (const attempt of rows.doubts) {
      const { sender, receiver } = numbersOf(rows, attempt);
      const { carrier, message, part, number } = attempt;
      const insert = 'insert or ignore into doubt values (?, ?, ?, ?, ?, ?)';
      this.#statements.run(insert, carrier, receiver, sender, message, part, number);
    }
    for (const part of rows.doubtsEnded) {
      this.#statements.run('delete from doubt where message = ? and part = ?', part.message, part.number);
    }
  }

  #unmatchedReceipt(row: UnmatchedReceiptRow): void {
    if (row.change === 'gone') this.#statements.run('delete from unmatched_receipt where id = ?', row.id);
    if (row.change === 'changed') {
      this.#statements.run('update unmatched_receipt set why = ? where id = ?', row.why, row.id);
    }
    if (row.change !== 'new') return;
    this.#statements.run(
      'insert into unmatched_receipt values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.id,
      row.carrier,
      row.carrierIdKey,
      row.carrierId,
      row.carrierState,
      row.errorCode,
      row.sender,
      row.receiver,
      row.receivedAt,
      row.why,
      row.octets,
      inboundText(row.orInbound),
    );
  }

  #sweep(before: number, max: number): void {
    sweepInbound(this.#statements, before, max);
    sweepRepeats(this.#statements, before, max);
    this.#statements.run(
      'delete from unmatched_receipt where id in (select id from unmatched_receipt order by id limit ?) and received_at < ?',
      max,
      before,
    );
    this.#statements.run(
      `delete from reference where (receiver, sender) in
        (select receiver, sender from reference where used_at < ? order by used_at limit ?)`,
      before,
      max,
    );
  }

  #rare(rows: Rows): void {
    for (const row of rows.scheduled) this.#statements.run('insert into scheduled values (?, ?)', row.dueAt, row.id);
    for (const row of rows.unscheduled) {
      this.#statements.run('delete from scheduled where due_at = ? and message = ?', row.dueAt, row.id);
    }
    for (const message of rows.rerouted) {
      this.#statements.run('update message set route = ? where id = ?', message.route, message.id);
    }
    writeRedated(rows.redated, this.#statements);
    if (rows.sweep) this.#sweep(rows.sweep.before, rows.sweep.max);
    writeIdempotencyKeys(rows, this.#statements);
    for (const note of rows.notes) {
      this.#statements.run(
        'insert into note (message, at, part, kind, detail) values (?, ?, ?, ?, ?)',
        note.message,
        note.at,
        note.part,
        note.kind,
        note.detail,
      );
    }
    for (const row of rows.references.values()) {
      this.#statements.run(
        'insert or replace into reference values (?, ?, ?, ?)',
        row.receiver,
        row.sender,
        row.last,
        row.usedAt,
      );
    }
  }
}

/** As JSON, because no query uses its members. */
function inboundText(command: RecordInbound | undefined): string | null {
  return command ? JSON.stringify({ ...command, octets: Buffer.from(command.octets).toString('base64') }) : null;
}

/** The columns from `threshold` to `detail`. */
function aboutOf(row: AlertRow): (bigint | number | string | null)[] {
  switch (row.kind) {
    case 'low-balance':
      return [row.threshold, row.balance, null, null, null, null, null, null];
    case 'below-margin':
      return [null, null, row.carrier, row.prefix, row.unitPrice, row.unitCost, null, null];
    case 'webhook-paused':
    case 'webhook-off':
      return [null, null, null, null, null, null, row.webhook, null];
    case 'disk-full':
      return [null, null, null, null, null, null, null, row.detail];
  }
}
