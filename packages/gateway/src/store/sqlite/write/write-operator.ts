/* Writes the changed rows of the operator's commands. */

import { dayMs } from '@morsel/api/values/time.ts';
import type { TokenUse } from '../../commands/counts.ts';
import {
  accountLimitTable,
  accountTable,
  loginTable,
  ruleHitTable,
  tokenDayTable,
  tokenTable,
} from '../../tables/account.ts';
import type { CarrierRow, Rows } from '../../tables/rows.ts';
import { webhookSecretTable, webhookTable } from '../../tables/webhook.ts';
import { writeRoute } from '../tables/route-rows.ts';
import type { Statements } from '../statements.ts';
import { writePrices } from './write-prices.ts';

/** The stronger of two changes counts, because the messages may not have followed the earlier one yet. */
const followed = `insert into route_to_follow values (?, ?, ?) on conflict do update set changed_at = excluded.changed_at,
  forgets = case forgets when 'rounds' then forgets else excluded.forgets end`;

export function writeOperatorRows(rows: Rows, statements: Statements): void {
  writePrices(rows.pricing, statements);
  for (const account of rows.accounts.values()) statements.save(accountTable, account);
  for (const limit of rows.limits) statements.put(accountLimitTable, limit);
  for (const token of rows.tokens.values()) statements.save(tokenTable, token);
  // Removed logins come first: a new one may take the system_id in the same group.
  for (const login of [...rows.removedLogins, ...rows.logins.values()]) statements.save(loginTable, login);
  for (const carrier of rows.carriers.values()) writeCarrier(carrier, statements);
  for (const hits of rows.ruleHits) statements.put(ruleHitTable, hits);
  writeTokenUses(rows.tokenUses.values(), statements);
  for (const webhook of rows.webhooks.byId.values()) statements.save(webhookTable, webhook);
  for (const secrets of rows.webhooks.secrets.values()) {
    for (const secret of secrets) statements.save(webhookSecretTable, secret);
  }
  for (const route of rows.removedRoutes) writeRoute(route, statements);
  for (const route of rows.routesByKey.values()) writeRoute(route, statements);
  for (const each of rows.following.changed) {
    statements.run(followed, each.route, each.changedAt, each.forgets);
  }
  for (const { route, changedAt } of rows.following.done) {
    statements.run('delete from route_to_follow where route = ? and changed_at = ?', route, changedAt);
  }
}

const tokenDaysKept = 400;

/** What is older than `tokenDaysKept` is forgotten when a token is used: the day of its last use always stays. */
function writeTokenUses(uses: Iterable<TokenUse>, statements: Statements): void {
  for (const use of uses) {
    const day = Math.floor(use.lastAt / dayMs);
    statements.put(tokenDayTable, { ...use, day });
    if (use.requests > 0) {
      statements.run('delete from token_day where token = ? and day < ?', use.token, day - tokenDaysKept);
    }
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
