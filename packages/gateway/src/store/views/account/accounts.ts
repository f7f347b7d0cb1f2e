/* Views of accounts, their balances and alerts. */

import type { Account } from '../../../core/account/account.ts';
import { spentAt, type Spent } from '../../../core/money/ledger.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { minuteMs, type Instant } from '@morsel/api/values/time.ts';
import { accountTable, type AccountRow } from '../../../state/tables/account.ts';
import { alertTable } from '../../../state/tables/alarm/alert.ts';
import { integer, micros, nullable, text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { type ListInput, type Page, pageOf } from '../page.ts';
import { Where } from '../where.ts';

export interface AccountView extends Account {
  readonly balance: Micros;
  /** The amounts charged in the present day and month of the account's time zone. */
  readonly spent: Spent;
  readonly priceListName: string;
  readonly createdAt: Instant;
}

const accountShape = shape({ ...accountTable.members, priceListName: text });

const accountQuery = `select account.*, price_list.name as price_list_name from account
  join price_list on price_list.id = account.price_list`;

/** Accounts in the order of their names, after the one named `after`. */
export async function readAccounts(
  queries: Queries,
  { now, after = '', limit }: ListInput & { readonly now: Instant },
): Promise<Page<AccountView>> {
  const rows = await queries.rows(
    accountShape,
    `${accountQuery} where account.status <> 'removed' and account.name > ? order by account.name limit ?`,
    after,
    limit + 1,
  );
  const items = rows.map((row) => ({ ...row, spent: spentAt(row.spent, row, now) }));
  return pageOf(items, limit, ({ name }) => name);
}

export async function readAccount(
  queries: Queries,
  { name, now }: { name: string; now: Instant },
): Promise<AccountView | undefined> {
  const row = await queries.row(accountShape, `${accountQuery} where account.name = ?`, name);
  return row && { ...row, spent: spentAt(row.spent, row, now) };
}

interface AlertInput {
  /** Only alerts of this account; null for alerts of all accounts. */
  readonly account: string | null;
  readonly since: Instant;
  /** Only alerts with ids below this. */
  readonly before: number;
  readonly limit: number;
}

const alertShape = shape({
  ...alertTable.members,
  account: nullable(text),
  carrier: nullable(text),
  webhook: nullable(text),
  currency: nullable(text),
});
export type AlertView = ShapeOf<typeof alertShape>;

/** Reads alerts since an instant, of one account or of all accounts, the newest first. */
export async function readAlerts(
  queries: Queries,
  { account, since, before, limit }: AlertInput,
): Promise<AlertView[]> {
  // Ids and times have the same order, but for moments: older ids need no look.
  const oldest = 'select id from alert where at >= ? order by at, id limit 1';
  const from = (await queries.value(integer, oldest, since - minuteMs)) ?? before;
  const where = new Where('alert.id >= ? and alert.id < ? and at >= ?', from, before, since);
  where.given('alert.account = (select id from account where name = ?)', account);
  return queries.rows(
    alertShape,
    `select alert.id, account.name as account, kind, at, threshold, alert.balance, carrier.name as carrier, prefix,
        unit_price, unit_cost, webhook, detail, account.currency
      from alert left join account on account.id = alert.account left join carrier on carrier.id = alert.carrier
      ${where.sql} order by alert.id desc limit ?`,
    ...where.values,
    limit,
  );
}

/** Counts the alerts since an instant. */
export async function countAlerts(queries: Queries, since: Instant): Promise<number> {
  return (await queries.value(integer, 'select count(*) from alert where at >= ?', since)) ?? 0;
}

export async function readBalance(queries: Queries, account: number): Promise<Micros | undefined> {
  return queries.value(micros, 'select balance from account where id = ?', account);
}

/** Reads an account with its present balance, as a commit would charge it. */
export async function readPayer(queries: Queries, account: number): Promise<AccountRow | undefined> {
  return queries.first(accountTable, 'where id = ?', account);
}
