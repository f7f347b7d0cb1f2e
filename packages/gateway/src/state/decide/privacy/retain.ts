/*
 * Removes what an account keeps no longer: first the texts of its messages, then their numbers, and at last the messages
 * themselves. Each command looks at a few messages in the order of their ids, so that other commits hardly wait.
 */

import { newAccountSettings, type Retained } from '@morsel/api/values/account.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { isErased } from '../../../core/privacy/erased.ts';
import type { Reads } from '../../rows/reads.ts';
import { accountById, type AccountRow } from '../../tables/account.ts';
import {
  leftBehind,
  leftBehindTable,
  numberKeyById,
  numberKeyId,
  numberKeyTable,
  oldInbound,
  oldInboundById,
  oldMessageById,
  oldMessages,
  cdrsOfMessages,
  correctedBy,
  refundsOfMessages,
  retentionOf,
  retentionTable,
} from '../../tables/privacy/removal.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import {
  codesWith,
  eraseInboundNumber,
  eraseInboundTexts,
  eraseMessageNumbers,
  eraseMessageTexts,
  keepCharges,
  removeCdr,
  removeInboundRows,
  removeMessageRows,
  runsOf,
} from './erasing.ts';

interface Retain {
  readonly at: Instant;
  readonly what: Retained;
  /** Of the accounts that keep it for this number of days. */
  readonly days: number;
  /** Messages with an id from here on are not old enough. */
  readonly before: number;
  readonly max: number;
  /** The key of erased numbers, if the store has none yet. */
  readonly newKey: Uint8Array;
}

interface Retaining {
  readonly removed: number;
  readonly isMore: boolean;
}

interface RetainedThrough extends Retaining {
  /** The last id that was looked at. */
  readonly through: number;
}

/** The account's days. Inbound messages of no account are kept like those of a new account. */
function daysOf(
  what: Retained,
  account: Pick<AccountRow, 'textDays' | 'numberDays' | 'recordDays'> | undefined,
): number {
  const { textDays, numberDays, recordDays } = account ?? newAccountSettings;
  if (what.endsWith('texts')) return textDays;
  return what.endsWith('numbers') ? numberDays : recordDays;
}

function isInbound(what: Retained): boolean {
  return what.startsWith('inbound');
}

type Found = ReturnType<typeof foundBehind>[number];

function foundBehind(asked: Pick<Rows, 'values'>, { what, before, max }: Retain, after: number) {
  if (!isInbound(what)) return asked.values(oldMessages, after, before, max);
  return asked.values(oldInbound, after, before, max).map((row) => ({ ...row, ...noCharge }));
}

const noCharge = { entry: 0, numParts: 0, totalCost: zeroMicros, tags: null };

export const retainCommand = {
  // The key of erased numbers is made once.
  subject: () => 'retention',
  reads(read: Reads, command: Retain): void {
    const { what, days } = command;
    read.one(numberKeyById, numberKeyId);
    const through = read.one(retentionOf, what, days)?.through ?? 0;
    const found = foundBehind(read, command, through);
    readAccounts(read, found);
    readCharged(read, what, found);
  },
  decide(rows: Rows, command: Retain): Decided<RetainedThrough> {
    const { at, what, days, max, before } = command;
    const row =
      rows.one(retentionOf, what, days) ?? rows.add(retentionTable, { what, days, through: 0, removed: 0, at });
    const found = foundBehind(rows, command, row.through);
    const isOld = (each: Found) => {
      const account = each.account === null ? undefined : rows.one(accountById, each.account);
      return daysOf(what, account) === days && !isDone(what, each);
    };
    const old = found.filter(isOld);
    // They follow when they have ended.
    for (const each of old) if (each.isOpen === 1) rows.add(leftBehindTable, { change: 'add', what, message: each.id });
    const ended = new Set(old.filter(({ isOpen }) => isOpen === 0));
    remove(rows, command, { found, ended });
    const last = found.at(-1)?.id;
    row.through = found.length < max || last === undefined ? Math.max(row.through, before - 1) : last;
    row.removed += ended.size;
    if (ended.size > 0) row.at = at;
    touch(row);
    return ok({ removed: ended.size, isMore: found.length === max, through: row.through });
  },
};

/** Removes what was left behind because it had not ended. */
export const retainLeftCommand = {
  subject: () => 'retention',
  reads(read: Reads, { what, after, max }: RetainLeft): void {
    read.one(numberKeyById, numberKeyId);
    for (const { message } of read.all(leftBehind, what, after, max))
      readCharged(read, what, leftOf(read, what, message));
  },
  decide(rows: Rows, command: RetainLeft): Decided<Retaining & { readonly last: number }> {
    const { what, after, max } = command;
    const left = rows.all(leftBehind, what, after, max);
    let removed = 0;
    for (const row of left) {
      const found = leftOf(rows, what, row.message);
      if (found.some(({ isOpen }) => isOpen === 1)) continue;
      remove(rows, command, { found, ended: new Set(found) });
      removed += found.length;
      row.change = 'gone';
    }
    return ok({ removed, isMore: left.length === max, last: left.at(-1)?.message ?? after });
  },
};

interface RetainRest {
  readonly at: Instant;
  readonly max: number;
}

const eraseRuleHits = effect<[at: Instant]>()('rule_hit.erase-old');
/** The event of an entry stays with it, and the newest stays, so that its id is not given out again. */
const deleteOptOutEvents = effect<[at: Instant, max: number]>()('opt_out_event.delete-old');

/** Deletes the numbers of the last broken rules, and old opt-outs that were withdrawn. */
export const retainRestCommand = {
  decide(rows: Rows, { at, max }: RetainRest): Decided<null> {
    rows.run(eraseRuleHits, at);
    rows.run(deleteOptOutEvents, at, max);
    return ok(null);
  },
};

interface RetainLeft extends Pick<Retain, 'at' | 'what' | 'max' | 'newKey'> {
  readonly after: number;
}

function leftOf(asked: Pick<Rows, 'values'>, what: Retained, id: number): readonly Found[] {
  if (!isInbound(what)) return asked.values(oldMessageById, id);
  return asked.values(oldInboundById, id).map((row) => ({ ...row, ...noCharge }));
}

function readAccounts(read: Reads, found: readonly Found[]): void {
  for (const account of new Set(found.map((each) => each.account))) {
    if (account !== null) read.one(accountById, account);
  }
}

interface Charged {
  readonly refunds: readonly { readonly message: number; readonly entry: number; readonly amount: Micros }[];
  readonly cdrs: readonly { readonly message: number; readonly id: number }[];
}

/** The refunds and the CDRs of messages. */
function readCharged(read: Pick<Rows, 'values'>, what: Retained, found: readonly Found[]): Charged {
  const [first, last] = [found[0], found.at(-1)];
  if (what !== 'records' || !first || !last) return { refunds: [], cdrs: [] };
  const newest = read.values(cdrsOfMessages, first.id, last.id);
  const cdrs = newest.flatMap(({ message, cdr }) => {
    const chain: Charged['cdrs'][number][] = [];
    for (let id: number | null = cdr; id !== null;) {
      chain.push({ message, id });
      id = read.values(correctedBy, id)[0]?.corrects ?? null;
    }
    return chain;
  });
  return { refunds: read.values(refundsOfMessages, first.id, last.id), cdrs };
}

/** Whether there is nothing to remove. */
function isDone(what: Retained, message: Found): boolean {
  if (what.endsWith('texts')) return message.hasText === 0;
  if (!what.endsWith('numbers')) return false;
  return isErased(isInbound(what) ? message.sender : message.receiver);
}

function codesOf(rows: Rows, newKey: Uint8Array): (number: string) => string {
  const { key } = rows.one(numberKeyById, numberKeyId) ?? rows.add(numberKeyTable, { id: numberKeyId, key: newKey });
  return codesWith(key);
}

interface Removal {
  /** All messages of the range, in the order of their ids. */
  readonly found: readonly Found[];
  readonly ended: ReadonlySet<Found>;
}

function remove(rows: Rows, { what, newKey }: Pick<Retain, 'what' | 'newKey'>, { found, ended }: Removal): void {
  const runs = runsOf(found, (each) => ended.has(each));
  switch (what) {
    case 'texts':
      for (const run of runs) eraseMessageTexts(rows, run);
      return;
    case 'inbound-texts':
      for (const run of runs) eraseInboundTexts(rows, run);
      return;
    case 'numbers':
    case 'inbound-numbers': {
      const codes = codesOf(rows, newKey);
      const erase = what === 'numbers' ? eraseMessageNumbers : eraseInboundNumber;
      for (const each of ended) erase(rows, each, codes);
      return;
    }
    case 'records': {
      const ids = new Set<number>([...ended].map(({ id }) => id));
      const { refunds, cdrs } = readCharged(rows, what, found);
      for (const { message, id } of cdrs) if (ids.has(message)) removeCdr(rows, id);
      keepCharges(
        rows,
        [...ended],
        refunds.filter(({ message }) => ids.has(message)),
      );
      for (const run of runs) removeMessageRows(rows, run);
      return;
    }
    case 'inbound-records':
      for (const run of runs) removeInboundRows(rows, run);
  }
}
