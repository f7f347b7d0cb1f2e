/* Views of accounts, their balances and alerts. */

import { ruleSettingsOf } from '../../../core/account/rules.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import { accountTable, type AccountRow } from '../../../state/tables/account.ts';
import { alertTable } from '../../../state/tables/alarm/alert.ts';
import { integer, micros, nullable, text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { noAccount } from './ids-of-names.ts';

const accountShape = shape({ ...accountTable.members, priceListName: text });

const accountQuery = `select account.*, price_list.name as price_list_name from account
  join price_list on price_list.id = account.price_list`;

/** In the order of their names. */
const list: View<'account.list'> = async (queries, { now, after = '', limit }) => {
  const sql = `${accountQuery} where account.status <> 'removed' and account.name > ? order by account.name limit ?`;
  const { items, next } = pageOf(await queries.rows(accountShape, sql, after, limit + 1), limit, ({ name }) => name);
  return ok({ items: items.map((row) => shown(row, now)), next });
};

const show: View<'account.show'> = async (queries, { account: name, now }) => {
  const row = await queries.row(accountShape, `${accountQuery} where account.name = ?`, name);
  return row ? ok(shown(row, now)) : noAccount(name);
};

export const accountViews = { 'account.list': list, 'account.show': show };

function shown({ priceListName, receiptWaitMs, rules, ...row }: ShapeOf<typeof accountShape>, now: Instant) {
  const { day: spentDay, month: spentMonth } = spentAt(row.spent, row, now);
  const receiptWaitSeconds = receiptWaitMs / secondMs;
  return { ...row, priceList: priceListName, receiptWaitSeconds, spentDay, spentMonth, ...ruleSettingsOf(rules) };
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
