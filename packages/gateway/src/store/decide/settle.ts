import { isFinal } from '../../core/message.ts';
import { eventOfReceipt } from '../../core/receipt.ts';
import type { CarrierState } from '../../core/receipt.ts';
import type { Instant } from '../../core/time.ts';
import { touch } from '../rows.ts';
import type { NoteRow, PartRow, Rows } from '../rows.ts';
import { messageOf, movePart, receiptDeadline } from './part.ts';

/** What a receipt says, parked or just come. */
interface ReceiptWord {
  readonly state: CarrierState;
  readonly errorCode: string | null;
  readonly at: Instant;
}

/** Whether the receipt says something new of any of the parts that it is about. */
export function settleAll(rows: Rows, parts: readonly PartRow[], word: ReceiptWord): boolean {
  return parts.map((part) => settle(rows, part, word)).includes(true);
}

/** False when the receipt says nothing new (D4): duplicates and late intermediate ones change nothing but the time line. */
function settle(rows: Rows, part: PartRow, word: ReceiptWord): boolean {
  const message = messageOf(rows, part);
  const state = eventOfReceipt[word.state];
  const before = part.state;
  const deadline = receiptDeadline(rows, message);
  const moved = movePart(rows, part, state, { at: word.at, byReceipt: true, deadline });
  if (!moved) {
    addNote(rows, part, { at: word.at, kind: isFinal(before) ? 'duplicate-receipt' : 'receipt', detail: word.state });
    return false;
  }
  part.carrierState = word.state;
  part.errorCode = word.errorCode;
  message.errorCode = word.errorCode ?? message.errorCode;
  touch(message);
  if (isFinal(before)) addNote(rows, part, { at: word.at, kind: 'corrected', detail: `${before} to ${state}` });
  else if (!isFinal(state)) addNote(rows, part, { at: word.at, kind: 'receipt', detail: word.state });
  return true;
}

export function addNote(rows: Rows, part: PartRow, note: Pick<NoteRow, 'at' | 'kind' | 'detail'>): void {
  rows.notes.push({ message: part.message, part: part.number, ...note });
}
