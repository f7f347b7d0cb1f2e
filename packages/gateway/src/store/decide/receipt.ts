import { isFinal } from '../../core/message.ts';
import { eventOfReceipt, namesReceiver } from '../../core/receipt.ts';
import type { CarrierState } from '../../core/receipt.ts';
import { ok } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import type { Instant } from '../../core/time.ts';
import type { ReceiptRecorded, RecordReceipt } from '../commands.ts';
import { carrierKey, touch } from '../rows.ts';
import type { AttemptRow, NoteRow, PartRow, Rows } from '../rows.ts';
import { messageOf, movePart, receiptDeadline } from './part.ts';
import { partsOf } from './whole.ts';

/** What a receipt says, parked or just come. */
type ReceiptWord = Pick<RecordReceipt, 'errorCode' | 'at'> & { readonly state: CarrierState };

/**
 * Matches a receipt to a part and moves it. One that names nothing we know settles the only part in doubt between its
 * two numbers, or is parked until the answer to submit_sm comes (D1). None is dropped.
 */
export function decideReceipt(rows: Rows, command: RecordReceipt): Result<ReceiptRecorded, never> {
  const { state } = command;
  const named = state === null ? undefined : (attemptNamed(rows, command) ?? soleDoubt(rows, command));
  if (state === null || !named) {
    park(rows, command);
    return ok({ became: 'parked' });
  }
  const part = partOf(rows, named);
  const hasMoved = settleAll(rows, partsOf(rows, part, named), { state, errorCode: command.errorCode, at: command.at });
  return ok({ became: hasMoved ? 'matched' : 'duplicate' });
}

/** Applies the receipts that came before this answer, in the order in which they came. */
export function settleParked(rows: Rows, part: PartRow, attempt: AttemptRow, at: Instant): void {
  if (attempt.carrierIdKey === null) return;
  const parts = partsOf(rows, part, attempt);
  // The last of those that were answered together: the others have moved by now.
  if (part !== parts.at(-1)) return;
  for (const parked of rows.parkedReceipts.get(carrierKey(attempt.carrier, attempt.carrierIdKey)) ?? []) {
    if (parked.change === 'gone' || parked.change === 'never' || parked.carrierState === null) continue;
    // A receipt of this attempt came after it was claimed and names its receiver: carriers begin their ids anew.
    if (parked.receivedAt < attempt.claimedAt || !namesReceiver(messageOf(rows, part), parked)) continue;
    parked.change = parked.change === 'new' ? 'never' : 'gone';
    settleAll(rows, parts, { state: parked.carrierState, errorCode: parked.errorCode, at });
  }
}

/**
 * Carriers repeat their ids (smpp-in-the-wild, 17): among the attempts of an id those to the receipt's receiver come first,
 * then the newest whose part is not final, then the newest.
 */
function attemptNamed(rows: Rows, command: RecordReceipt): AttemptRow | undefined {
  if (command.carrierIdKey === '') return undefined;
  const named = rows.attemptsByCarrierId.get(carrierKey(command.carrier, command.carrierIdKey)) ?? [];
  const toReceiver = named.filter((attempt) => namesReceiver(messageOf(rows, partOf(rows, attempt)), command));
  const candidates = toReceiver.length > 0 ? toReceiver : named;
  return candidates.findLast((attempt) => !isFinal(partOf(rows, attempt).state)) ?? candidates.at(-1);
}

/**
 * The one part in doubt of this carrier that has the receipt's numbers; none if there are several, or if one between these
 * numbers is in flight, whose receipt it may be, come before its answer.
 */
function soleDoubt(rows: Rows, command: RecordReceipt): AttemptRow | undefined {
  if (rows.inFlightByNumbers.has(numbersKey(command.carrier, command))) return undefined;
  const candidates = (rows.inDoubtByNumbers.get(numbersKey(command.carrier, command)) ?? []).filter(
    (attempt) => !isFinal(partOf(rows, attempt).state) && attempt.claimedAt <= command.at,
  );
  const owners = new Set(candidates.map((each) => (each.isWhole ? each.message : partOf(rows, each))));
  const attempt = candidates.at(-1);
  if (owners.size !== 1 || !attempt) return undefined;
  attempt.carrierId = command.carrierId;
  attempt.carrierIdKey = command.carrierIdKey;
  touch(attempt);
  // From now on it is known: the same receipt once more is a duplicate.
  if (command.carrierIdKey !== '') {
    rows.attemptsByCarrierId.set(carrierKey(command.carrier, command.carrierIdKey), [attempt]);
  }
  const part = partOf(rows, attempt);
  for (const each of partsOf(rows, part, attempt)) {
    each.carrier = attempt.carrier;
    touch(each);
    rows.doubtsEnded.push(each);
  }
  addNote(rows, part, {
    at: command.at,
    kind: 'matched-in-doubt',
    detail: `attempt ${attempt.number}, by its numbers`,
  });
  return attempt;
}

export function numbersKey(carrier: number, numbers: { sender: string; receiver: string }): string {
  return `${carrier} ${numbers.sender} ${numbers.receiver}`;
}

function settleAll(rows: Rows, parts: readonly PartRow[], word: ReceiptWord): boolean {
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

function park(rows: Rows, command: RecordReceipt): void {
  const row = {
    change: 'new' as const,
    id: rows.counters.parkedReceipt++,
    carrier: command.carrier,
    carrierIdKey: command.carrierIdKey,
    carrierId: command.carrierId,
    carrierState: command.state,
    errorCode: command.errorCode,
    sender: command.sender,
    receiver: command.receiver,
    receivedAt: command.at,
  };
  const key = carrierKey(command.carrier, command.carrierIdKey);
  const parked = rows.parkedReceipts.get(key);
  if (parked) parked.push(row);
  else rows.parkedReceipts.set(key, [row]);
}

function addNote(rows: Rows, part: PartRow, note: Pick<NoteRow, 'at' | 'kind' | 'detail'>): void {
  rows.notes.push({ message: part.message, part: part.number, ...note });
}

function partOf(rows: Rows, attempt: AttemptRow): PartRow {
  const part = rows.messages.get(attempt.message)?.parts[attempt.part - 1];
  if (!part) throw new Error('an attempt was loaded without its part');
  return part;
}
