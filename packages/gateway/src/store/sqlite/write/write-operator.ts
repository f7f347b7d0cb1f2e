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
import { carrierTable, routeCarrierTable, routeTable, routeToFollowTable } from '../../tables/route.ts';
import type { RouteRow } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import { webhookSecretTable, webhookTable } from '../../tables/webhook.ts';
import type { Statements } from '../statements.ts';
import { writePrices } from './write-prices.ts';

export function writeOperatorRows(rows: Rows, statements: Statements): void {
  writePrices(rows.pricing, statements);
  for (const account of rows.accounts.values()) statements.save(accountTable, account);
  for (const limit of rows.limits) statements.put(accountLimitTable, limit);
  for (const token of rows.tokens.values()) statements.save(tokenTable, token);
  // Removed logins come first: a new one may take the system_id in the same group.
  for (const login of [...rows.removedLogins, ...rows.logins.values()]) statements.save(loginTable, login);
  for (const carrier of rows.carriers.values()) statements.save(carrierTable, carrier);
  for (const hits of rows.ruleHits) statements.put(ruleHitTable, hits);
  writeTokenUses(rows.tokenUses.values(), statements);
  for (const webhook of rows.webhooks.byId.values()) statements.save(webhookTable, webhook);
  for (const secrets of rows.webhooks.secrets.values()) {
    for (const secret of secrets) statements.save(webhookSecretTable, secret);
  }
  // Removed routes come first: a new one may have the same match.
  for (const route of [...rows.removedRoutes, ...rows.routesByKey.values()]) writeRoute(route, statements);
  for (const { route, changedAt } of rows.followed) {
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

/** A carrier of a route refers to it, so the route comes first. */
function writeRoute(row: RouteRow, statements: Statements): void {
  statements.save(routeTable, row);
  for (const carrier of row.carriers) statements.save(routeCarrierTable, carrier);
  if (row.toFollow) statements.save(routeToFollowTable, row.toFollow);
}
