/*
 * Erases one phone number. The reading thread finds the messages with the number, and these commands erase it in them,
 * a few messages at a time. After a restart, an erasure goes on where it stopped.
 */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { erasedAtRandom, erasedNumber, formsOf, namesOf } from '../../../core/privacy/erased.ts';
import { accountById } from '../../tables/account.ts';
import { optOutsOfPhone, optOutTable } from '../../tables/opt-out.ts';
import { erasureById, erasureTable, type ErasureRow } from '../../tables/privacy/erasure.ts';
import {
  numberKeyById,
  numberKeyId,
  numberKeyTable,
  oldMessageById,
  type OldMessage,
} from '../../tables/privacy/removal.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Unsettled } from '../decision.ts';
import { countOptOutChange } from '../number/opt-out.ts';
import { rehearsed } from '../rehearsal.ts';
import { leaveBehind, remove, takeLeft, type CodeOf } from './removing.ts';

interface MadeForErasure {
  /** Random octets for the code that replaces the number. */
  readonly random: Uint8Array;
  readonly newKey: Uint8Array;
}

/** Starts an erasure. The receiver is in the form in which it is stored. */
const erase: Unsettled<'privacy.erase', MadeForErasure> = {
  isSetting: false,
  subject: () => 'retention',
  decide(rows, { receiver, reason }, { at, by: actor, made: { random, newKey: key } }) {
    if (!rows.one(numberKeyById, numberKeyId)) rows.add(numberKeyTable, { id: numberKeyId, key });
    const id = rows.nextId(erasureTable);
    const counts = { messages: 0, inbound: 0 };
    const begun = { phase: 'messages', through: 0, stale: null, leftIn: null, endedAt: null } as const;
    rows.add(erasureTable, { id, at, receiver, actor, reason, code: erasedAtRandom(random), ...begun, ...counts });
    return ok({ id });
  },
};

export const privacyDecisions = { 'privacy.erase': erase };

/** Messages with the number that the reading thread found. */
interface EraseFound {
  readonly at: Instant;
  readonly id: number;
  readonly found: readonly MessageId[];
  /** The last message id that the reading thread checked. */
  readonly through: number;
  /** Whether no message follows this id. */
  readonly isEnd: boolean;
}

export const eraseFoundCommand = rehearsed((rows: Rows, { id, found, through, isEnd }: EraseFound) => {
  const row = rows.one(erasureById, id);
  const kind = row && kindOfPhase(row);
  if (!kind) return ok(null);
  for (const each of found) {
    const [message] = rows.values(oldMessageById[kind], each);
    // An inbound message is complete when it is stored, so it is erased at once. Only an open message must end first.
    if (kind === 'message' && message?.isOpen) leaveBehind(rows, `erasure-${id}`, each);
    else if (message) eraseOne(rows, row, kind, message);
  }
  row.through = isEnd ? 0 : through;
  if (isEnd) row.phase = kind === 'message' ? 'inbound' : 'unfinished';
  touch(row);
  return ok(null);
});

/** The kind of messages in which the erasure is searching; undefined in its other phases. */
function kindOfPhase({ phase }: ErasureRow): 'message' | 'inbound' | undefined {
  if (phase === 'messages') return 'message';
  return phase === 'inbound' ? 'inbound' : undefined;
}

const deleteIdempotencyKey = effect<[message: MessageId]>()('idempotency_key.delete-of-message');

function eraseOne(rows: Rows, row: ErasureRow, kind: 'message' | 'inbound', message: OldMessage): void {
  const given = { found: [message], ended: new Set([message]), codeOf: codeFor(rows, row) };
  if (kind === 'inbound') {
    remove(rows, 'inbound-texts', given);
    remove(rows, 'inbound-numbers', given);
    row.inbound += 1;
    return;
  }
  remove(rows, 'texts', given);
  remove(rows, 'numbers', given);
  // An idempotency key may contain a phone number. The message's time finds the row: no index has the messages.
  rows.run(deleteIdempotencyKey, message.id);
  row.messages += 1;
}

/** Replaces the number in every form, and its retention code, by the code of the erasure. Other numbers stay. */
function codeFor(rows: Rows, { receiver, code }: ErasureRow): CodeOf {
  const all = namesOf(receiver ?? '', rows.one(numberKeyById, numberKeyId)?.key);
  return (number) => (all.includes(number) ? code : number);
}

/** Erases the number in messages that have ended since, and then in all other tables. */
interface EraseRest {
  readonly at: Instant;
  readonly id: number;
  readonly max: number;
}

export const eraseRestCommand = rehearsed((rows: Rows, { id, max }: EraseRest) => {
  const row = rows.one(erasureById, id);
  if (row?.phase !== 'unfinished' || row.receiver === null) return ok({ isDone: true, isMore: false });
  const left = { left: `erasure-${id}`, kind: 'message', after: row.through, max } as const;
  const { ended, open, isMore, last } = takeLeft(rows, left);
  for (const each of ended) eraseOne(rows, row, 'message', each);
  touch(row);
  row.through = isMore ? (last ?? 0) : 0;
  if (open > 0 || isMore) return ok({ isDone: false, isMore });
  const forms = formsOf(row.receiver);
  rows.run(countReceiptsOf, rows.node.id, ...forms);
  rows.run(eraseNumber, ...forms);
  eraseOptOuts(rows, forms);
  row.phase = 'files';
  row.receiver = null;
  return ok({ isDone: true, isMore: false });
});

type Forms = readonly [form: string, other: string, third: string];
const countReceiptsOf = effect<[node: number, ...Forms]>()('unmatched_receipt.count-of-number');
/** Erases a number in the tables that keep it for some days at most. */
const eraseNumber = effect<Forms>()('privacy.erase-number');
const eraseOptOutEvents = effect<[code: string, form: string]>()('opt_out_event.erase-number');

/**
 * Keeps an opt-out, but replaces its number by a code made with the store's key: a person who said STOP must get no
 * message again (GDPR, Article 17(3)). The history stays, too, as evidence.
 */
function eraseOptOuts(rows: Rows, forms: readonly string[]): void {
  const key = rows.one(numberKeyById, numberKeyId)?.key;
  if (!key) return;
  for (const form of forms) {
    const code = erasedNumber(key, form);
    for (const row of rows.all(optOutsOfPhone, form)) {
      row.change = 'gone';
      const { account, sender, since, event } = row;
      rows.put(optOutTable, { account, receiver: code, sender, since, event });
      const payer = rows.one(accountById, account);
      if (payer) countOptOutChange(payer);
    }
    rows.run(eraseOptOutEvents, code, form);
  }
}

/** The result of a search for the number after its erasure. */
export interface ErasureLook {
  /** In how many places of the files the number still is; null if the files cannot be read. */
  readonly stale: number | null;
  readonly leftIn: string | null;
}

/** Ends an erasure. The files and the tables were searched, for the first time or again after a rebuild. */
interface EndErasure extends ErasureLook {
  readonly at: Instant;
  readonly id: number;
}

export const endErasureCommand = rehearsed((rows: Rows, { at, id, stale, leftIn }: EndErasure) => {
  const row = rows.one(erasureById, id);
  if (row?.phase !== 'files' && row?.phase !== 'done') return ok(null);
  row.phase = 'done';
  row.stale = stale;
  row.leftIn = leftIn;
  row.endedAt ??= at;
  touch(row);
  return ok(null);
});
