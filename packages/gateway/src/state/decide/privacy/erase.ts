/*
 * Erases one phone number. The reading thread finds the messages with the number, and these commands erase them, a few at
 * a time. An erasure goes on after a restart where it stopped.
 */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import { erasedAtRandom, erasedNumber, formsOf } from '../../../core/privacy/erased.ts';
import type { Reads } from '../../rows/reads.ts';
import { accountById } from '../../tables/account.ts';
import { optOutsOfPhone, optOutTable } from '../../tables/opt-out.ts';
import { erasureById, erasureTable, type ErasureRow } from '../../tables/privacy/erasure.ts';
import {
  leftBehind,
  leftBehindTable,
  numberKeyById,
  numberKeyId,
  numberKeyTable,
  oldInboundById,
  oldMessageById,
} from '../../tables/privacy/removal.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import type { Unsettled } from '../decision.ts';
import { eraseInboundNumber, eraseInboundTexts, eraseMessageNumbers, eraseMessageTexts } from './erasing.ts';

interface MadeForErasure {
  /** For the code in the place of the number, and for the key of the store if it has none. */
  readonly random: Uint8Array;
  readonly newKey: Uint8Array;
}

/** Orders an erasure. The receiver is in the form in which it is stored. */
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

/** What the reading thread found. */
interface EraseFound {
  readonly at: Instant;
  readonly id: number;
  readonly found: readonly MessageId[];
  /** The last id that it looked at. */
  readonly through: number;
  /** There was no message behind it. */
  readonly isEnd: boolean;
}

export const eraseFoundCommand = {
  reads(read: Reads, { id, found }: EraseFound): void {
    const row = read.one(erasureById, id);
    read.one(numberKeyById, numberKeyId);
    for (const each of found) {
      if (row?.phase === 'messages') read.values(oldMessageById, each);
      if (row?.phase === 'inbound') read.values(oldInboundById, each);
    }
  },
  decide(rows: Rows, { id, found, through, isEnd }: EraseFound): Decided<null> {
    const row = rows.one(erasureById, id);
    if (row?.phase !== 'messages' && row?.phase !== 'inbound') return ok(null);
    for (const each of found) {
      if (row.phase === 'messages') eraseMessage(rows, row, each);
      else eraseInbound(rows, row, each);
    }
    row.through = isEnd ? 0 : through;
    if (isEnd) row.phase = row.phase === 'messages' ? 'inbound' : 'unfinished';
    touch(row);
    return ok(null);
  },
};

/** Returns false if the message has not ended. */
function eraseMessage(rows: Rows, row: ErasureRow, id: MessageId): boolean {
  const [message] = rows.values(oldMessageById, id);
  if (message?.isOpen === 1) {
    rows.add(leftBehindTable, { change: 'add', what: `erasure-${row.id}`, message: id });
    return false;
  }
  if (!message) return true;
  eraseMessageTexts(rows, { first: id, last: id });
  eraseMessageNumbers(rows, message, codeFor(rows, row));
  eraseIdempotencyKey(rows, id);
  row.messages += 1;
  touch(row);
  return true;
}

const deleteIdempotencyKey = effect<[message: MessageId]>()('idempotency_key.delete-of-message');

/** A client may make the key of a phone number. The time finds the row: there is no index of the messages. */
function eraseIdempotencyKey(rows: Rows, id: MessageId): void {
  rows.run(deleteIdempotencyKey, id);
}

function eraseInbound(rows: Rows, row: ErasureRow, id: MessageId): void {
  const [message] = rows.values(oldInboundById, id);
  if (!message) return;
  eraseInboundTexts(rows, { first: id, last: id });
  eraseInboundNumber(rows, message, codeFor(rows, row));
  row.inbound += 1;
}

/** The code of the erasure for the number in every form, and for the code that retention gave it. Other numbers stay. */
function codeFor(rows: Rows, { receiver, code }: ErasureRow): (number: string) => string {
  const all = namesOf(rows, receiver ?? '');
  return (number) => (all.includes(number) ? code : number);
}

function namesOf(rows: Rows, receiver: string): readonly string[] {
  const key = rows.one(numberKeyById, numberKeyId);
  const forms = formsOf(receiver);
  return key ? [...forms, ...forms.map((form) => erasedNumber(key.key, form))] : forms;
}

/** Erases messages that have ended since, and then the rows of all other tables. */
interface EraseRest {
  readonly at: Instant;
  readonly id: number;
  readonly max: number;
}

export const eraseRestCommand = {
  reads(read: Reads, { id, max }: EraseRest): void {
    const row = read.one(erasureById, id);
    read.one(numberKeyById, numberKeyId);
    if (!row?.receiver) return;
    for (const { message } of read.all(leftBehind, `erasure-${id}`, row.through, max))
      read.values(oldMessageById, message);
    for (const form of formsOf(row.receiver)) {
      for (const { account } of read.all(optOutsOfPhone, form)) read.one(accountById, account);
    }
  },
  decide(rows: Rows, { id, max }: EraseRest): Decided<{ readonly isDone: boolean; readonly isMore: boolean }> {
    const row = rows.one(erasureById, id);
    if (row?.phase !== 'unfinished' || row.receiver === null) return ok({ isDone: true, isMore: false });
    const left = rows.all(leftBehind, `erasure-${id}`, row.through, max);
    let open = 0;
    for (const each of left) {
      if (eraseMessage(rows, row, each.message)) each.change = 'gone';
      else open += 1;
    }
    touch(row);
    const isMore = left.length === max;
    row.through = isMore ? (left.at(-1)?.message ?? 0) : 0;
    if (open > 0 || isMore) return ok({ isDone: false, isMore });
    eraseOthers(rows, row.receiver);
    row.phase = 'files';
    row.receiver = null;
    return ok({ isDone: true, isMore: false });
  },
};

type Forms = readonly [form: string, other: string, third: string];
/** In the tables that keep a number for some days at most. */
const eraseBriefRows = effect<Forms>()('privacy.erase-brief-rows');
const countReceiptsOf = effect<[node: number, ...Forms, like: string]>()('unmatched_receipt.count-of-number');
const deleteReceiptsOf = effect<[...Forms, like: string]>()('unmatched_receipt.delete-of-number');
const eraseOptOutEvents = effect<[code: string, form: string]>()('opt_out_event.erase-number');

/** Tables that keep a number for some days at most, and opt-outs, which must stay. */
function eraseOthers(rows: Rows, receiver: string): void {
  const forms = formsOf(receiver);
  const like = `%${receiver.replace(/^\+/, '')}%`;
  rows.run(eraseBriefRows, ...forms);
  rows.run(countReceiptsOf, rows.node.id, ...forms, like);
  rows.run(deleteReceiptsOf, ...forms, like);
  eraseOptOuts(rows, forms);
}

/**
 * An opt-out stays, as the code that the key of the store makes of the number: a person who said STOP must get no message again
 * (GDPR, Article 17(3)). So does its history, which is the evidence.
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
      // Other nodes drop what they know of the list.
      if (payer) touch(payer);
    }
    rows.run(eraseOptOutEvents, code, form);
  }
}

/** What a look for the number found. */
export interface ErasureLook {
  /** In so many places of the files; null if nobody can look. */
  readonly stale: number | null;
  readonly leftIn: string | null;
}

/** The files and the tables were looked through, for the first time or again after a rebuild. */
interface EndErasure extends ErasureLook {
  readonly at: Instant;
  readonly id: number;
}

export const endErasureCommand = {
  reads(read: Reads, { id }: EndErasure): void {
    read.one(erasureById, id);
  },
  decide(rows: Rows, { at, id, stale, leftIn }: EndErasure): Decided<null> {
    const row = rows.one(erasureById, id);
    if (row?.phase !== 'files' && row?.phase !== 'done') return ok(null);
    row.phase = 'done';
    row.stale = stale;
    row.leftIn = leftIn;
    row.endedAt ??= at;
    touch(row);
    return ok(null);
  },
};
