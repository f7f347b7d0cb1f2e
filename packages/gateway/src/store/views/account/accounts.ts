/* Views of accounts and their balances. */

import { ruleSettingsOf } from '../../../core/account/rules.ts';
import { noAccount } from '../../../core/named.ts';
import { spentAt } from '../../../core/money/ledger.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { ok } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { accountTable, type AccountRow } from '../../../state/tables/account.ts';
import { micros, text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { pageOf } from '../page.ts';
import type { View } from '../view.ts';

const accountShape = shape({ ...accountTable.members, priceListName: text });

const accountQuery = `select account.*, price_list.name as price_list_name from account
  join price_list on price_list.id = account.price_list`;

/** Accounts in the order of their names. */
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

function shown(
  { priceListName, receiptWaitMs, rules, callbackSecret, ...row }: ShapeOf<typeof accountShape>,
  now: Instant,
) {
  const { day: spentDay, month: spentMonth } = spentAt(row.spent, row, now);
  const receiptWaitSeconds = receiptWaitMs / secondMs;
  return {
    ...row,
    priceList: priceListName,
    receiptWaitSeconds,
    spentDay,
    spentMonth,
    ...ruleSettingsOf(rules),
    hasCallbackSecret: callbackSecret !== null,
  };
}

export async function readBalance(queries: Queries, account: number): Promise<Micros | undefined> {
  return queries.value(micros, 'select balance from account where id = ?', account);
}

/** The account's row, as it is used to charge messages. */
export async function readPayer(queries: Queries, account: number): Promise<AccountRow | undefined> {
  return queries.first(accountTable, 'where id = ?', account);
}
