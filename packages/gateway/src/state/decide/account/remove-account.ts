/* Decides whether an account can be removed: only if it has no ledger entries and nothing uses it. */

import type { Instant } from '@morsel/api/values/time.ts';
import { accountTable, loginTable, type AccountRow } from '../../tables/account.ts';
import { integer } from '../../tables/column.ts';
import { keywordTable, numberTable } from '../../tables/inbound.ts';
import { entryTable } from '../../tables/ledger.ts';
import { query } from '../../tables/lookup.ts';
import { routeTable } from '../../tables/route.ts';
import { rewrite, type Rows } from '../../rows/rows.ts';
import { shape, type Change } from '../../tables/table.ts';
import { webhookTable } from '../../tables/webhook.ts';
import type { Reads } from '../../rows/reads.ts';

const foundShape = shape({ found: integer });

/**
 * Records that prove payments and consent. They are never deleted, so their accounts cannot be removed. Every message
 * has a ledger entry.
 */
const keptForGood = [
  { lookup: query<[account: number]>()('entry.any-of-account', foundShape), what: 'entries in the ledger' },
  { lookup: query<[account: number]>()('inbound.any-of-account', foundShape), what: 'inbound messages' },
  { lookup: query<[account: number]>()('opt_out_event.any-of-account', foundShape), what: 'history of opt-outs' },
] as const;

const validTokens = query<[at: Instant, account: number]>()('token.count-valid', foundShape);

/** Things that must be removed before the account, each with the command for it. */
const endedBy = [
  {
    table: loginTable,
    lookup: query<[account: number]>()('login.count-of-account', foundShape),
    what: 'SMPP login',
    command: 'smpp-login remove',
  },
  {
    table: numberTable,
    lookup: query<[account: number]>()('number.count-of-account', foundShape),
    what: 'number',
    command: 'number remove',
  },
  {
    table: keywordTable,
    lookup: query<[account: number]>()('keyword.count-of-account', foundShape),
    what: 'keyword',
    command: 'keyword remove',
  },
  {
    table: webhookTable,
    lookup: query<[account: number]>()('webhook.count-of-account', foundShape),
    what: 'webhook',
    command: 'webhook remove',
  },
  {
    table: routeTable,
    lookup: query<[account: number]>()('route.count-of-account', foundShape),
    what: 'route',
    command: 'route remove',
  },
] as const;

/** What the removal of an account depends on. */
export function readUsesOf(read: Reads, account: number, at: Instant): void {
  read.values(validTokens, at, account);
  for (const { lookup } of [...keptForGood, ...endedBy]) read.values(lookup, account);
}

/** The reason why an account cannot be removed. */
export function reasonToKeep(rows: Rows, { id, name }: AccountRow, at: Instant): string | undefined {
  const isPosted = rows.of(entryTable).some(({ account }) => account === id);
  const words = keptForGood
    .filter(({ lookup }, place) => rows.values(lookup, id).length > 0 || (place === 0 && isPosted))
    .map(({ what }) => what);
  if (words.length > 0) {
    return `account ${name} cannot be removed, because its ${words.join(' and ')} must be kept: use account suspend ${name} instead`;
  }
  const tokens = { count: rows.values(validTokens, at, id)[0]?.found ?? 0, what: 'token', command: 'token revoke' };
  const others = endedBy.map(({ lookup, table, ...each }) => {
    const count = (rows.values(lookup, id)[0]?.found ?? 0) - removedHere(rows.of<Owned>(table), id);
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

/** How many of the account's rows the steps before this one have removed: the database still counts them. */
function removedHere(rows: readonly Owned[], account: number): number {
  const isRemoved = ({ change, removedAt = null }: Owned) =>
    change === 'gone' || (change === 'changed' && removedAt !== null);
  return rows.filter((row) => row.account === account && isRemoved(row)).length;
}

/**
 * Removes an account that nothing uses. Its row stays, because revoked tokens and alerts refer to it. The row gets a
 * new, unique name, so that another account can have the former name.
 */
export function removeAccount(rows: Rows, row: AccountRow): void {
  rewrite(row, { status: 'removed', name: `${row.name} (removed ${row.id})` });
  rows.moved(accountTable, row);
}
