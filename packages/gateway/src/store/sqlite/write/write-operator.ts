/* Writes the changed rows of the operator's commands. */

import { formatMarginMin } from '@morsel/api/values/margin.ts';
import type { AccountRow, CarrierRow, Rows, TokenRow } from '../../tables/rows.ts';
import { writeLogins } from '../tables/login-rows.ts';
import { writeRoute } from '../tables/route-rows.ts';
import { allowedText, rulesText, writeRuleHits, writeTokenUses } from '../tables/rule-rows.ts';
import type { Statements } from '../statements.ts';
import { writeWebhooks } from '../tables/webhook-tables.ts';
import { writePrices } from './write-prices.ts';

/** The stronger of two changes counts, because the messages may not have followed the earlier one yet. */
const followed = `insert into route_to_follow values (?, ?, ?) on conflict do update set changed_at = excluded.changed_at,
  forgets = case forgets when 'rounds' then forgets else excluded.forgets end`;

export function writeOperatorRows(rows: Rows, statements: Statements): void {
  writePrices(rows.pricing, statements);
  for (const account of rows.accountsByName.values()) writeNewAccount(account, statements);
  for (const { account, afterEntry, creditLimit } of rows.limits) {
    statements.run('insert or replace into account_limit values (?, ?, ?)', account, afterEntry, creditLimit);
  }
  for (const token of rows.tokens.values()) writeToken(token, statements);
  writeLogins(rows, statements);
  for (const carrier of rows.carriers.values()) writeCarrier(carrier, statements);
  writeRuleHits(rows.ruleHits, statements);
  writeTokenUses(rows.tokenUses.values(), statements);
  writeWebhooks(rows, statements);
  for (const route of rows.removedRoutes) writeRoute(route, statements);
  for (const route of rows.routesByKey.values()) writeRoute(route, statements);
  for (const each of rows.following.changed) {
    statements.run(followed, each.route, each.changedAt, each.forgets);
  }
  for (const { route, changedAt } of rows.following.done) {
    statements.run('delete from route_to_follow where route = ? and changed_at = ?', route, changedAt);
  }
}

function writeNewAccount(row: AccountRow, statements: Statements): void {
  if (row.change !== 'new') return;
  const { account } = row;
  statements.run(
    `insert into account (id, name, currency, status, balance, credit_limit, price_list, parts_max, receipt_wait_ms,
      refund_policy, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    account.id,
    account.name,
    account.currency,
    row.status,
    row.balance,
    account.creditLimit,
    account.priceList,
    account.partsMax,
    account.receiptWaitMs,
    account.refundPolicy,
    row.createdAt,
  );
  writeAccountSettings(row, statements);
}

/** The account's settings, without its balance. */
export function writeAccountSettings({ account }: AccountRow, statements: Statements): void {
  statements.run(
    `update account set name = ?, credit_limit = ?, price_list = ?, parts_max = ?, receipt_wait_ms = ?, refund_policy = ?,
      time_zone = ?, low_balance = ?, day_cap = ?, month_cap = ?, rules = ?, allowed_from = ?, margin_min = ?,
      below_margin = ?, smpp_binds = ?, smpp_window = ?, smpp_data_coding_0 = ?, smpp_long = ? where id = ?`,
    account.name,
    account.creditLimit,
    account.priceList,
    account.partsMax,
    account.receiptWaitMs,
    account.refundPolicy,
    account.timeZone,
    JSON.stringify(account.lowBalance.map(String)),
    account.dayCap,
    account.monthCap,
    rulesText(account.rules),
    allowedText(account.from),
    account.marginMin === null ? null : formatMarginMin(account.marginMin),
    account.belowMargin,
    account.smppBinds,
    account.smppWindow,
    account.smppDataCoding0,
    account.smppLong,
    account.id,
  );
}

function writeToken(row: TokenRow, statements: Statements): void {
  if (row.change === 'new') {
    statements.run(
      `insert into token (id, account, hash, created_at, expires_at, revoked_at, scopes, allowed_from)
        values (?, ?, ?, ?, ?, ?, ?, ?)`,
      row.id,
      row.account,
      row.hash,
      row.createdAt,
      row.expiresAt,
      row.revokedAt,
      JSON.stringify(row.scopes),
      allowedText(row.from),
    );
  } else if (row.change === 'changed') {
    statements.run(
      'update token set expires_at = ?, revoked_at = ? where id = ?',
      row.expiresAt,
      row.revokedAt,
      row.id,
    );
  }
}

function writeCarrier(row: CarrierRow, statements: Statements): void {
  if (row.change === 'none') return;
  const { carrier } = row;
  const settings = [
    carrier.host,
    carrier.port,
    carrier.systemId,
    carrier.password,
    carrier.receiverPassword,
    carrier.tlsKey,
    carrier.systemType,
    carrier.window,
    carrier.throughput,
    carrier.links,
    carrier.inDoubt,
    carrier.idRule,
    JSON.stringify(carrier.profile),
    row.status,
    carrier.costList,
  ];
  if (row.change === 'changed') {
    statements.run(
      `update carrier set host = ?, port = ?, system_id = ?, password = ?, receiver_password = ?, tls_key = ?,
        system_type = ?, window_max = ?, throughput = ?, links = ?, in_doubt = ?, id_rule = ?, profile = ?, status = ?,
        cost_list = ?
        where id = ?`,
      ...settings,
      carrier.id,
    );
    return;
  }
  statements.run(
    `insert into carrier (host, port, system_id, password, receiver_password, tls_key, system_type, window_max,
      throughput, links, in_doubt, id_rule, profile, status, cost_list, id, name, created_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...settings,
    carrier.id,
    carrier.name,
    row.createdAt,
  );
}
