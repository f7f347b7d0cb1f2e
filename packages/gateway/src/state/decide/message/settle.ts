/* Applies a receipt to its parts: changes their states, and may correct a final state once. */

import { isFinal } from '../../../core/base/message.ts';
import { eventOfReceipt, type CarrierState } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rows } from '../../rows/rows.ts';
import type { PartRow } from '../../tables/message.ts';
import { addNote, messageOf, movePart, receiptDeadline } from './part.ts';

/** The result that a receipt reports. */
interface ReceiptWord {
  readonly state: CarrierState;
  readonly errorCode: string | null;
  readonly at: Instant;
  readonly isText: boolean;
}

/** Applies a receipt to parts. Returns whether the state of any part changed. */
export function settleAll(rows: Rows, parts: readonly PartRow[], word: ReceiptWord): boolean {
  return parts.map((part) => settle(rows, part, word)).includes(true);
}

/**
 * Applies a receipt to one part. Returns false for a duplicate or a late intermediate receipt (D4), which only adds a
 * note to the message's history.
 */
function settle(rows: Rows, part: PartRow, word: ReceiptWord): boolean {
  const message = messageOf(rows, part);
  const state = eventOfReceipt[word.state];
  const { state: before } = part;
  const deadline = receiptDeadline(rows, message);
  const moved = movePart(rows, part, state, {
    at: word.at,
    byReceipt: true,
    deadline,
    isText: word.isText,
    reported: word,
  });
  if (!moved) {
    addNote(rows, part, { at: word.at, kind: isFinal(before) ? 'duplicate-receipt' : 'receipt', detail: word.state });
    return false;
  }
  // An unmarked receipt reported the same state before, so only a note is added.
  if (before === state) addNote(rows, part, { at: word.at, kind: 'receipt', detail: word.state });
  else if (isFinal(before)) addNote(rows, part, { at: word.at, kind: 'corrected', detail: `${before} to ${state}` });
  else if (!isFinal(state)) addNote(rows, part, { at: word.at, kind: 'receipt', detail: word.state });
  return true;
}
