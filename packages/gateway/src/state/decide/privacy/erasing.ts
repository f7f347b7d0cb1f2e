/* Deletes texts, numbers and records of messages that have ended. */

import { toMicros, type Micros } from '@morsel/api/values/money.ts';
import { erasedNumber, isErased, isPhoneNumber } from '../../../core/privacy/erased.ts';
import { removedChargeTable, type OldMessage } from '../../tables/privacy/removal.ts';
import { effect } from '../../tables/lookup.ts';
import type { Rows } from '../../rows/rows.ts';

/** Messages with neighbouring ids, as a statement finds them. */
interface Run {
  readonly first: number;
  readonly last: number;
}

type OfRun = [first: number, last: number];
const eraseTexts = effect<OfRun>()('message.erase-texts');
const eraseNumbers = effect<[receiver: string, sender: string, message: number]>()('message.erase-numbers');
const eraseReplacedSender = effect<[message: number]>()('note.erase-sender');
const deleteTag = effect<[tag: string, message: number]>()('tagged.delete');
const deleteCdr = effect<[cdr: number]>()('cdr.delete');
const countMessages = effect<[node: number, ...OfRun]>()('message.count-run');
/** With its parts, attempts and notes. */
const deleteMessages = effect<OfRun>()('message.delete-run');
const deleteInbound = effect<OfRun>()('inbound.delete-run');
/** With its tries. The newest notification stays, so that its id is not given out again. */
const deleteNotifications = effect<[...OfRun, kind: 'receipt' | 'inbound']>()('notification.delete-run');
const eraseTextsOfInbound = effect<OfRun>()('inbound.erase-texts');
const eraseSender = effect<[sender: string, inbound: number]>()('inbound.erase-number');

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
  rows.run(eraseTexts, first, last);
}

/** Puts a code in the place of the receiver, and deletes what the client wrote freely. */
export function eraseMessageNumbers(
  rows: Rows,
  message: Pick<OldMessage, 'id' | 'sender' | 'receiver'> & { readonly tags: string | null },
  codeOf: (number: string) => string,
): void {
  rows.run(
    eraseNumbers,
    codeOf(message.receiver),
    isPhoneNumber(message.sender) || isErased(message.sender) ? codeOf(message.sender) : message.sender,
    message.id,
  );
  rows.run(eraseReplacedSender, message.id);
  deleteTags(rows, message);
}

function deleteTags(rows: Rows, { id, tags }: { readonly id: number; readonly tags: string | null }): void {
  if (tags === null) return;
  const list: readonly string[] = JSON.parse(tags);
  for (const tag of list) rows.run(deleteTag, tag, id);
}

export function removeCdr(rows: Rows, id: number): void {
  rows.run(deleteCdr, id);
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

export function removeMessageRows(rows: Rows, { first, last }: Run): void {
  rows.run(deleteNotifications, first, last, 'receipt');
  rows.run(countMessages, rows.node.id, first, last);
  rows.run(deleteMessages, first, last);
}

export function removeInboundRows(rows: Rows, { first, last }: Run): void {
  rows.run(deleteNotifications, first, last, 'inbound');
  rows.run(deleteInbound, first, last);
}

export function eraseInboundTexts(rows: Rows, { first, last }: Run): void {
  rows.run(eraseTextsOfInbound, first, last);
}

export function eraseInboundNumber(
  rows: Rows,
  { id, sender }: Pick<OldMessage, 'id' | 'sender'>,
  codeOf: (number: string) => string,
): void {
  rows.run(eraseSender, codeOf(sender), id);
}

/** A code stays as it is. */
export function codesWith(key: Uint8Array): (number: string) => string {
  return (number) => (isErased(number) ? number : erasedNumber(key, number));
}
