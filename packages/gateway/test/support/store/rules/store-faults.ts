import { combineParts, isFinal, partStates, type PartState } from '../../../../src/core/base/message.ts';
import type { StoreFile } from '../store-file.ts';
import { storeRules } from './store-rules.ts';

/*
 * What must hold in a store at every commit, whatever happened to the process. This file reads the database
 * file directly, and describes each fault in a sentence.
 */

/** Rules that only SQLite can check, and one that tests of single commands break with made receipts. */
const ofGateways: typeof storeRules = [
  [
    'a receipt does not stay unmatched once its answer is known',
    `select unmatched_receipt.id from unmatched_receipt join attempt on attempt.carrier = unmatched_receipt.carrier
      and attempt.carrier_id_key = unmatched_receipt.carrier_id_key
      where unmatched_receipt.carrier_state is not null and attempt.outcome = 'accepted'`,
  ],
  [
    'O3: an inbound message is complete if and only if it has its parts, and it says something',
    // An inbound message of an erased number has no text any more, so its text is not checked.
    `select id from inbound where complete <> (parts_received = num_parts) or sender not like '~%'
      and (text_in('inbound', account, id, content) is null) <> (dcs = 'BIN')`,
  ],
  ["SQLite's own check", `select integrity_check from pragma_integrity_check where integrity_check <> 'ok'`],
];

const shownMax = 5;

/** Returns a sentence for each broken promise. */
export function storeFaults(store: StoreFile): string[] {
  const faults: string[] = [];
  for (const [promise, sql] of [...storeRules, ...ofGateways]) {
    const broken = store.texts(sql);
    if (broken.length > 0)
      faults.push(`${promise}: ${broken.length} times not so, such as ${broken.slice(0, shownMax).join(', ')}`);
  }
  return [...faults, ...eventFaults(store)];
}

/** A message's event follows from its parts' states, or was reached earlier: events only move forward (A4). */
function eventFaults(store: StoreFile): string[] {
  const states = new Map<string, PartState[]>();
  for (const row of store.rows('select message, state from part order by message, number')) {
    const message = row.micros('message').toString();
    const known = states.get(message) ?? [];
    known.push(partState(row.text('state')));
    states.set(message, known);
  }
  const faults: string[] = [];
  for (const row of store.rows('select message as id, report_event as event from part where number = 1')) {
    const id = row.micros('id').toString();
    const parts = states.get(id) ?? [];
    const expected = combineParts(parts);
    if (parts.every(isFinal) && expected !== row.text('event')) {
      faults.push(`message ${id} is ${row.text('event')} and its parts make ${expected}`);
    }
  }
  return faults.slice(0, shownMax);
}

function partState(word: string): PartState {
  const state = partStates.find((each) => each === word);
  if (!state) throw new TypeError(`${word} is no state of a part`);
  return state;
}
