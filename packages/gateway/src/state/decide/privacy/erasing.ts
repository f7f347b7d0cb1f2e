/* Deletes texts, numbers and records of messages that have ended. */

import { countRemoved } from '../../rows/totals.ts';
import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import { erasedNumber, isErased, isPhoneNumber } from '../../../core/privacy/erased.ts';
import { removedChargeTable, type OldMessage } from '../../tables/privacy/removal.ts';
import type { Rows } from '../../rows/rows.ts';

/** Messages with neighbouring ids, as a statement finds them. */
interface Run {
  readonly first: number;
  readonly last: number;
}

/** The runs of wanted messages among all messages of a range, which are in the order of their ids. */
export function runsOf<Message extends { readonly id: number }>(
  all: readonly Message[],
  isWanted: (message: Message) => boolean,
): readonly Run[] {
  const runs: { first: number; last: number }[] = [];
  let isInRun = false;
  for (const message of all) {
    const run = runs.at(-1);
    const wanted = isWanted(message);
    if (wanted && isInRun && run) run.last = message.id;
    else if (wanted) runs.push({ first: message.id, last: message.id });
    isInRun = wanted;
  }
  return runs;
}

export function eraseMessageTexts(rows: Rows, { first, last }: Run): void {
  const between = 'between ? and ?';
  rows.run(`update message set content = null, tlvs = null where id ${between}`, first, last);
  rows.run(`update part set text_end = null where message ${between} and text_end is not null`, first, last);
}

/** Puts a code in the place of the receiver, and deletes what the client wrote freely. */
export function eraseMessageNumbers(
  rows: Rows,
  message: Pick<OldMessage, 'id' | 'sender' | 'receiver'> & { readonly tags: string | null },
  codeOf: (number: string) => string,
): void {
  rows.run(
    'update message set receiver = ?, sender = ?, client_ref = null, tags = null, address = null where id = ?',
    codeOf(message.receiver),
    isPhoneNumber(message.sender) || isErased(message.sender) ? codeOf(message.sender) : message.sender,
    message.id,
  );
  rows.run("update note set detail = 'erased' where message = ? and kind = 'sender-replaced'", message.id);
  deleteTags(rows, message);
}

function deleteTags(rows: Rows, { id, tags }: { readonly id: number; readonly tags: string | null }): void {
  if (tags === null) return;
  const list: readonly string[] = JSON.parse(tags);
  for (const tag of list) rows.run('delete from tagged where tag = ? and message = ?', tag, id);
}

export function removeCdr(rows: Rows, id: number): void {
  rows.run('delete from cdr where id = ?', id);
}

/** Before messages are deleted: keeps what their entries charged and refunded as sums. */
export function keepCharges(
  rows: Rows,
  messages: readonly {
    readonly id: number;
    readonly entry: number;
    readonly numParts: number;
    readonly totalCost: Micros;
    readonly tags: string | null;
  }[],
  refunds: readonly { readonly entry: number; readonly amount: Micros }[],
): void {
  for (const { entry, numParts: parts, totalCost } of messages) {
    rows.put(removedChargeTable, { entry, messages: 1, parts, amount: toMicros(-totalCost) });
  }
  for (const { entry, amount } of refunds) rows.put(removedChargeTable, { entry, messages: 1, parts: 1, amount });
  for (const message of messages) deleteTags(rows, message);
}

function ofMessages(table: string): string {
  return `${table} where message between ? and ?`;
}

export function removeMessageRows(rows: Rows, { first, last }: Run): void {
  removeNotifications(rows, 'receipt', { first, last });
  countRemoved(rows, 'notes', { from: ofMessages('note'), word: 'kind' }, first, last);
  countRemoved(rows, 'parts', { from: ofMessages('part'), word: 'state' }, first, last);
  countRemoved(rows, 'messages', { from: `${ofMessages('part')} and number = 1`, word: 'report_event' }, first, last);
  countRemoved(rows, 'charged', { from: 'message where id between ? and ?', amount: 'sum(total_cost)' }, first, last);
  for (const table of ['note', 'attempt', 'part']) {
    rows.run(`delete from ${ofMessages(table)}`, first, last);
  }
  rows.run('delete from message where id between ? and ?', first, last);
}

export function removeInboundRows(rows: Rows, run: Run): void {
  removeNotifications(rows, 'inbound', run);
  rows.run('delete from inbound where id between ? and ?', run.first, run.last);
}

/** The newest notification stays, so that its id is not given out again. */
function removeNotifications(rows: Rows, kind: 'receipt' | 'inbound', { first, last }: Run): void {
  const ofRun = 'subject between ? and ? and kind = ? and id < (select max(id) from notification)';
  rows.run(
    `delete from notification_try where notification in (select id from notification where ${ofRun})`,
    first,
    last,
    kind,
  );
  rows.run(`delete from notification where ${ofRun}`, first, last, kind);
}

export function eraseInboundTexts(rows: Rows, { first, last }: Run): void {
  rows.run('update inbound set content = null where id between ? and ?', first, last);
}

export function eraseInboundNumber(
  rows: Rows,
  { id, sender }: Pick<OldMessage, 'id' | 'sender'>,
  codeOf: (number: string) => string,
): void {
  rows.run('update inbound set sender = ? where id = ?', codeOf(sender), id);
}

/** A code stays as it is. */
export function codesWith(key: Uint8Array): (number: string) => string {
  return (number) => (isErased(number) ? number : erasedNumber(key, number));
}
