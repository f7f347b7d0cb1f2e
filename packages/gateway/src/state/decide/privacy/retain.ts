/*
 * Removes data that an account keeps no longer: first the texts of its messages, then their numbers, and at last the
 * messages themselves. Each command checks a few messages in the order of their ids, so that other commits hardly wait.
 */

import { daysFor, newAccountSettings, type Retained, type RetainedDays } from '@morsel/api/values/account.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { erasedNumber, isErased } from '../../../core/privacy/erased.ts';
import { accountById, type AccountRow } from '../../tables/account.ts';
import {
  numberKeyById,
  numberKeyId,
  numberKeyTable,
  oldMessages,
  retentionOf,
  retentionTable,
  type OldMessage,
} from '../../tables/privacy/removal.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import type { Decided } from '../decided.ts';
import { rehearsed } from '../rehearsal.ts';
import { kindOf, leaveBehind, remove, takeLeft, type CodeOf } from './removing.ts';

interface Retain {
  readonly at: Instant;
  readonly what: Retained;
  /** Only accounts that keep the data for this number of days are handled. */
  readonly days: number;
  /** The first message id that is not old enough. */
  readonly before: number;
  readonly max: number;
  /** The key for the codes of erased numbers, if the store has none yet. */
  readonly newKey: Uint8Array;
}

/** The number of days of an account. Inbound messages without an account are kept as long as those of a new account. */
function daysOf(what: Retained, account: Pick<AccountRow, RetainedDays> | undefined): number {
  return (account ?? newAccountSettings)[daysFor(what)];
}

export const retainCommand = {
  ...rehearsed((rows: Rows, { at, what, days, max, before, newKey }: Retain) => {
    const row =
      rows.one(retentionOf, what, days) ?? rows.add(retentionTable, { what, days, through: 0, removed: 0, at });
    const found = rows.values(oldMessages[kindOf(what)], row.through, before, max);
    const isOld = (each: OldMessage) => {
      const account = each.account === null ? undefined : rows.one(accountById, each.account);
      return daysOf(what, account) === days && !isDone(what, each);
    };
    const old = found.filter(isOld);
    // Messages that have not ended are removed later, by `retain-left`.
    for (const { isOpen, id } of old) if (isOpen) leaveBehind(rows, what, id);
    const ended = new Set(old.filter(({ isOpen }) => !isOpen));
    remove(rows, what, { found, ended, codeOf: codesOf(rows, newKey) });
    const last = found.at(-1)?.id;
    row.through = found.length < max || last === undefined ? Math.max(row.through, before - 1) : last;
    row.removed += ended.size;
    if (ended.size > 0) row.at = at;
    touch(row);
    return ok({ removed: ended.size, isMore: found.length === max, through: row.through });
  }),
  // All nodes use one subject, so that only one makes the key for the codes of erased numbers.
  subject: () => 'retention',
};

/** Removes the data of messages that had not ended before. */
export const retainLeftCommand = {
  ...rehearsed((rows: Rows, { what, after, max, newKey }: RetainLeft) => {
    const { ended, isMore, last } = takeLeft(rows, { left: what, kind: kindOf(what), after, max });
    for (const each of ended)
      remove(rows, what, { found: [each], ended: new Set([each]), codeOf: codesOf(rows, newKey) });
    return ok({ removed: ended.length, isMore, last: last ?? after });
  }),
  subject: () => 'retention',
};

const eraseRuleHits = effect<[at: Instant]>()('rule_hit.erase-old');
/** Deletes old events of opt-out lists, but not the newest, so that its id is not given out again. */
const deleteOptOutEvents = effect<[at: Instant, max: number]>()('opt_out_event.delete-old');

/** Deletes old numbers from the counts of broken rules, and old events of opt-out lists. */
export const retainRestCommand = {
  decide(rows: Rows, { at, max }: Pick<Retain, 'at' | 'max'>): Decided<null> {
    rows.run(eraseRuleHits, at);
    rows.run(deleteOptOutEvents, at, max);
    return ok(null);
  },
};

interface RetainLeft extends Pick<Retain, 'at' | 'what' | 'max' | 'newKey'> {
  readonly after: number;
}

/** Whether the message has no such data any more. */
function isDone(what: Retained, { hasText, sender, receiver }: OldMessage): boolean {
  if (what.endsWith('texts')) return !hasText;
  if (!what.endsWith('numbers')) return false;
  return isErased(kindOf(what) === 'inbound' ? sender : receiver);
}

/** Makes codes for numbers. A number that is already a code stays unchanged. */
function codesOf(rows: Rows, newKey: Uint8Array): CodeOf {
  let key = rows.one(numberKeyById, numberKeyId)?.key;
  return (number) => {
    if (isErased(number)) return number;
    key ??= rows.add(numberKeyTable, { id: numberKeyId, key: newKey }).key;
    return erasedNumber(key, number);
  };
}
