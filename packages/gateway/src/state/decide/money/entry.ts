/*
 * Appends entries to the ledger; no other code does. Each entry has a higher id than the account's earlier entries and
 * no earlier time. It also has the balance after it.
 */

import { toMicros, zeroMicros, type Micros, type EntryKind } from '@morsel/api/values/money.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { entryTable, type EntryRow } from '../../tables/ledger.ts';
import type { AccountRow } from '../../tables/account.ts';

/** The contents of a new ledger entry. */
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

/** Changes the balance of an account with a new entry. All changes of a balance except charges are made here (M1). */
export function post(rows: Rows, account: AccountRow, posting: Posting): EntryRow {
  account.balance = toMicros(account.balance + posting.amount);
  // Later messages of this commit start a new charge entry, so that the balance after this entry is definite.
  rows.charges.delete(account.id);
  const refunded = posting.refunds?.message ?? null;
  return append(rows, account, {
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

/**
 * Starts an empty charge entry. The account's messages of one commit share it, until another entry of the account is
 * posted.
 */
export function beginCharge(rows: Rows, account: AccountRow, at: Instant): EntryRow {
  const charge = append(rows, account, {
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
  rows.charges.set(account.id, charge);
  return charge;
}

/**
 * Appends an entry of an account. Its time is never before that of the previous entry. Otherwise a clock that was set
 * back, a waiting command or another node's clock could make it earlier.
 */
function append(rows: Rows, account: AccountRow, entry: Omit<EntryRow, 'id' | 'account' | 'change'>): EntryRow {
  account.lastEntry = rows.nextId(entryTable, account.lastEntry);
  account.lastEntryAt = Math.max(account.lastEntryAt, entry.createdAt);
  touch(account);
  const { id, lastEntry, lastEntryAt } = account;
  return rows.add(entryTable, { ...entry, account: id, id: lastEntry, createdAt: lastEntryAt });
}
