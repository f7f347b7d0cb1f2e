/* Decides whether an account can be removed: only if it has no ledger entries and nothing uses it. */

import type { Instant } from '@morsel/api/values/time.ts';
import { accountTable, loginTable, type AccountRow } from '../../tables/account.ts';
import { flag, integer } from '../../tables/column.ts';
import { keywordTable, numberTable } from '../../tables/inbound.ts';
import { entryTable } from '../../tables/ledger.ts';
import { query } from '../../tables/lookup.ts';
import { routeTable } from '../../tables/route.ts';
import { rewrite, type Rows } from '../../rows/rows.ts';
import { shape, type Change } from '../../tables/table.ts';
import { webhookTable } from '../../tables/webhook.ts';

/** Counts what an account has. Only tokens that have not expired at this time are counted. */
const usesOf = query<[account: number, at: Instant]>()(
  'account.uses',
  shape({
    entry: flag,
    inbound: flag,
    optOutEvent: flag,
    token: integer,
    login: integer,
    number: integer,
    keyword: integer,
    webhook: integer,
    route: integer,
  }),
);

/**
 * Records that prove payments and consent. These records are never deleted, so their accounts cannot be removed. Every
 * message has a ledger entry.
 */
const keptForGood = [
  { use: 'entry', what: 'entries in the ledger' },
  { use: 'inbound', what: 'inbound messages' },
  { use: 'optOutEvent', what: 'history of opt-outs' },
] as const;

/** Things that must be removed before the account, each with the command for it. */
const endedBy = [
  { use: 'login', table: loginTable, what: 'SMPP login', command: 'smpp-login remove' },
  { use: 'number', table: numberTable, what: 'number', command: 'number remove' },
  { use: 'keyword', table: keywordTable, what: 'keyword', command: 'keyword remove' },
  { use: 'webhook', table: webhookTable, what: 'webhook', command: 'webhook remove' },
  { use: 'route', table: routeTable, what: 'route', command: 'route remove' },
] as const;

/** The reason why an account cannot be removed. */
export function reasonToKeep(rows: Rows, { id, name }: AccountRow, at: Instant): string | undefined {
  const [stored] = rows.values(usesOf, id, at);
  const isPosted = rows.of(entryTable).some(({ account }) => account === id);
  const words = keptForGood
    .filter(({ use }) => stored?.[use] === true || (use === 'entry' && isPosted))
    .map(({ what }) => what);
  if (words.length > 0) {
    return `account ${name} cannot be removed, because its ${words.join(' and ')} must be kept: use account suspend ${name} instead`;
  }
  const tokens = { count: stored?.token ?? 0, what: 'token', command: 'token revoke' };
  const others = endedBy.map(({ use, table, ...each }) => {
    const count = (stored?.[use] ?? 0) - removedHere(rows.of<Owned>(table), id);
    return { count, ...each };
  });
  const uses = [tokens, ...others].flatMap(({ count, what, command }) =>
    count === 0 ? [] : [`${count} ${count === 1 ? what : `${what}s`} (${command})`],
  );
  return uses.length === 0 ? undefined : `account ${name} still has ${uses.join(', ')}: remove these first`;
}

interface Owned {
  readonly change: Change;
  readonly account: number | null;
  readonly removedAt?: Instant | null;
}

/** Counts the account's rows that earlier steps of the same command removed, because the database still counts them. */
function removedHere(rows: readonly Owned[], account: number): number {
  const isRemoved = ({ change, removedAt = null }: Owned) =>
    change === 'gone' || (change === 'changed' && removedAt !== null);
  return rows.filter((row) => row.account === account && isRemoved(row)).length;
}

/**
 * Removes an account that nothing uses. Its row stays, because revoked tokens refer to it. The row gets a
 * new, unique name, so that another account can have the former name.
 */
export function removeAccount(rows: Rows, row: AccountRow): void {
  rewrite(row, { status: 'removed', name: `${row.name} (removed ${row.id})` });
  rows.moved(accountTable, row);
}
