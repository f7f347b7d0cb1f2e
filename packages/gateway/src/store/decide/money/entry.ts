/*
 * The only place that appends to the ledger. Each entry comes after all others in id and time, and has the balance
 * after it.
 */

import { toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { EntryKind } from '@morsel/api/values/money.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { touch } from '../../tables/rows.ts';
import type { EntryRow } from '../../tables/ledger.ts';
import type { AccountRow } from '../../tables/account.ts';
import type { Rows } from '../../tables/rows.ts';

/** The fields of an entry, besides its place in the ledger. */
export interface Posting {
  readonly kind: Exclude<EntryKind, 'charge'>;
  readonly amount: Micros;
  readonly reason: string;
  readonly actor: string;
  readonly at: Instant;
  /** The part that a refund is for. */
  readonly refunds?: { readonly message: MessageId; readonly part: number };
  readonly key?: string | undefined;
}

/** Changes the balance with an entry of its own: the only way besides a charge (M1). */
export function post(rows: Rows, account: AccountRow, posting: Posting): EntryRow {
  account.balance = toMicros(account.balance + posting.amount);
  touch(account);
  // The shared charge ends here. If it went on growing, this entry would be in its middle and have no balance of its
  // own.
  account.charge = undefined;
  const refunded = posting.refunds?.message ?? null;
  return append(rows, {
    account: account.id,
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

/** Starts the entry that an account's charges share until something else is posted. It starts empty. */
export function beginCharge(rows: Rows, account: AccountRow, at: Instant): EntryRow {
  account.charge = append(rows, {
    account: account.id,
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

/**
 * After all others in id and in time. The clock may step back, or a command may have waited; the ledger still goes
 * forward.
 */
function append(rows: Rows, entry: Omit<EntryRow, 'id'>): EntryRow {
  rows.lastEntryAt = Math.max(rows.lastEntryAt, entry.createdAt);
  const appended = { ...entry, id: rows.counters.entry++, createdAt: rows.lastEntryAt };
  rows.entries.push(appended);
  return appended;
}
