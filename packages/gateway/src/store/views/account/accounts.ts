/* Views of accounts, their balances and alerts. */

import type { Values } from '@morsel/api/admin/field.ts';
import type { alertFields } from '@morsel/api/admin/money/alert.ts';
import type { Account } from '../../../core/account/account.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import type { Spent } from '../../../core/money/ledger.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AccountRow } from '../../tables/rows.ts';
import { accountFrom, accountRowFrom, spentFrom } from '../../sqlite/row-readers.ts';
import { micros, amountOrNull, integer, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';
import type { ListInput, Page } from '../page.ts';
import { pageOf } from '../page.ts';

export interface AccountView extends Account {
  readonly balance: Micros;
  /** In the present day and month of its time zone. */
  readonly spent: Spent;
  readonly priceListName: string;
  readonly createdAt: Instant;
}

const accountQuery = `select account.*, price_list.name as price_list_name from account
  join price_list on price_list.id = account.price_list`;

/** Accounts in the order of their names, after the one named `after`. */
export function readAccounts(
  queries: Queries,
  { now, after, limit }: ListInput & { readonly now: Instant },
): Page<AccountView> {
  const rows = queries
    .all(
      `${accountQuery} where account.status <> 'removed' and account.name > coalesce(?, '') order by account.name limit ?`,
      after ?? null,
      limit + 1,
    )
    .map((row) => accountViewFrom(row, now));
  return pageOf(rows, limit, ({ name }) => name);
}

export function readAccount(queries: Queries, { name, now }: { name: string; now: Instant }): AccountView | undefined {
  const row = queries.get(`${accountQuery} where account.name = ?`, name);
  return row && accountViewFrom(row, now);
}

export type AlertView = Values<typeof alertFields> & { readonly id: number };

interface AlertInput {
  /** Null for all. */
  readonly account: string | null;
  readonly since: Instant;
  /** Only alerts with lower ids. */
  readonly before: number;
  readonly limit: number;
}

/** Alerts since an instant, of one account or all, the newest first. */
export function readAlerts(queries: Queries, { account, since, before, limit }: AlertInput): AlertView[] {
  return queries
    .all(
      `select alert.*, account.name as account_name, account.currency, carrier.name as carrier_name from alert
        left join account on account.id = alert.account left join carrier on carrier.id = alert.carrier
        where (?1 is null or alert.account = (select id from account where name = ?1))
          and alert.created_at >= ?2 and alert.id < ?3
        order by alert.id desc limit ?4`,
      account,
      since,
      before,
      limit,
    )
    .map((row) => ({
      id: integer(row, 'id'),
      at: integer(row, 'created_at'),
      account: textOrNull(row, 'account_name'),
      kind: text(row, 'kind'),
      threshold: amountOrNull(row, 'threshold'),
      balance: amountOrNull(row, 'balance'),
      prefix: textOrNull(row, 'prefix'),
      carrier: textOrNull(row, 'carrier_name'),
      unitPrice: amountOrNull(row, 'unit_price'),
      unitCost: amountOrNull(row, 'unit_cost'),
      webhook: row['webhook'] === null ? null : String(integer(row, 'webhook')),
      currency: textOrNull(row, 'currency'),
      detail: textOrNull(row, 'detail'),
    }));
}

/** Number of alerts since an instant. */
export function countAlerts(queries: Queries, since: Instant): number {
  return integer(queries.get('select count(*) as n from alert where created_at >= ?', since) ?? {}, 'n');
}

export function readBalance(queries: Queries, account: number): Micros | undefined {
  const row = queries.get('select balance from account where id = ?', account);
  return row && micros(row, 'balance');
}

/** An account as a commit that charges it would find it. */
export function readPayer(queries: Queries, account: number): AccountRow | undefined {
  const row = queries.get('select * from account where id = ?', account);
  return row && accountRowFrom(row);
}

function accountViewFrom(row: Record, now: Instant): AccountView {
  const account = accountFrom(row);
  return {
    ...account,
    spent: spentAt(spentFrom(row), account, now),
    balance: micros(row, 'balance'),
    priceListName: text(row, 'price_list_name'),
    createdAt: integer(row, 'created_at'),
  };
}
