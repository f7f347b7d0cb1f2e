/*
 * Removes what an account keeps no longer: first the texts of its messages, then their numbers, and at last the messages
 * themselves. Each command looks at a few messages in the order of their ids, so that other commits hardly wait.
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
  /** Of the accounts that keep it for this number of days. */
  readonly days: number;
  /** Messages with an id from here on are not old enough. */
  readonly before: number;
  readonly max: number;
  /** The key of erased numbers, if the store has none yet. */
  readonly newKey: Uint8Array;
}

/** The account's days. Inbound messages of no account are kept like those of a new account. */
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
    // They follow when they have ended.
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
  // The key of erased numbers is made once.
  subject: () => 'retention',
};

/** Removes what was left behind because it had not ended. */
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
/** The event of an entry stays with it, and the newest stays, so that its id is not given out again. */
const deleteOptOutEvents = effect<[at: Instant, max: number]>()('opt_out_event.delete-old');

/** Deletes the numbers of the last broken rules, and old opt-outs that were withdrawn. */
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

/** Whether there is nothing to remove. */
function isDone(what: Retained, { hasText, sender, receiver }: OldMessage): boolean {
  if (what.endsWith('texts')) return !hasText;
  if (!what.endsWith('numbers')) return false;
  return isErased(kindOf(what) === 'inbound' ? sender : receiver);
}

/** A code stays as it is. */
function codesOf(rows: Rows, newKey: Uint8Array): CodeOf {
  let key = rows.one(numberKeyById, numberKeyId)?.key;
  return (number) => {
    if (isErased(number)) return number;
    key ??= rows.add(numberKeyTable, { id: numberKeyId, key: newKey }).key;
    return erasedNumber(key, number);
  };
}
