/* Writes the changed rows of the operator's commands. */

import { routeCarrierTable, routeTable, routeToFollowTable } from '../../tables/route.ts';
import type { RouteRow } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import { webhookSecretTable, webhookTable } from '../../tables/webhook.ts';
import type { Statements } from '../statements.ts';

export function writeOperatorRows(rows: Rows, statements: Statements): void {
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

/** A carrier of a route refers to it, so the route comes first. */
function writeRoute(row: RouteRow, statements: Statements): void {
  statements.save(routeTable, row);
  for (const carrier of row.carriers) statements.save(routeCarrierTable, carrier);
  if (row.toFollow) statements.save(routeToFollowTable, row.toFollow);
}
