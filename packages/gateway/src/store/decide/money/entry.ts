/*
 * The only place that appends to the ledger: each entry comes after all others in id and time, and has the balance
 * after it.
 */

import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { EntryKind } from '@morsel/api/values/money.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { touch } from '../../tables/rows.ts';
import type { EntryRow } from '../../tables/ledger.ts';
import type { AccountRow, Rows } from '../../tables/rows.ts';

/** What an entry says beside its place in the ledger. */
export interface Posting {
  readonly kind: Exclude<EntryKind, 'charge'>;
  readonly amount: Micros;
  readonly reason: string;
  readonly actor: string;
  readonly at: Instant;
  /** What a refund gives back. */
  readonly refunds?: { readonly message: MessageId; readonly part: number };
  readonly key?: string | undefined;
}

/** Moves the balance by an entry of its own: the only way, beside a charge, in which it moves (M1). */
export function post(rows: Rows, account: AccountRow, posting: Posting): EntryRow {
  account.balance = toMicros(account.balance + posting.amount);
  touch(account);
  // A charge that went on growing would have this entry in its middle, and no balance after it.
  account.charge = undefined;
  const refunded = posting.refunds?.message ?? null;
  return append(rows, {
    account: account.account.id,
    kind: posting.kind,
    amount: posting.amount,
    balanceAfter: account.balance,
    messages: refunded === null ? 0 : 1,
    parts: refunded === null ? 0 : 1,
    firstMessage: refunded,
    lastMessage: refunded,
    part: posting.refunds?.part ?? null,
    reason: posting.reason,
    actor: posting.actor,
    key: posting.key ?? null,
    createdAt: posting.at,
  });
}

/** The entry that the charges of an account share until something else is posted: it begins empty. */
export function beginCharge(rows: Rows, account: AccountRow, at: Instant): EntryRow {
  account.charge = append(rows, {
    account: account.account.id,
    kind: 'charge',
    amount: zeroMicros,
    balanceAfter: account.balance,
    messages: 0,
    parts: 0,
    firstMessage: null,
    lastMessage: null,
    part: null,
    reason: 'messages',
    actor: 'morsel',
    key: null,
    createdAt: at,
  });
  return account.charge;
}

/** After all others in id and in time: the clock may step back, and a command may have waited; the ledger goes on. */
function append(rows: Rows, entry: Omit<EntryRow, 'id'>): EntryRow {
  rows.lastEntryAt = Math.max(rows.lastEntryAt, entry.createdAt);
  const appended = { ...entry, id: rows.counters.entry++, createdAt: rows.lastEntryAt };
  rows.entries.push(appended);
  return appended;
}
