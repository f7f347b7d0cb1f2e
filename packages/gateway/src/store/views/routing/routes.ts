import type { RankOrder, RouteCarrier, RouteMatch } from '../../../core/routing/route.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, text, textOrNull } from '../../sqlite/columns.ts';
import { rankOrderFrom, routeCarrierFrom, routeMatchFrom } from '../../sqlite/tables/route-rows.ts';
import type { RouteToFollow } from '../../commands/waiting.ts';
import type { Queries } from '../queries.ts';

/** One carrier of a route, with names for ids. */
export interface RouteView extends Omit<RouteMatch, 'account'>, Omit<RouteCarrier, 'carrier'> {
  readonly account: string | null;
  readonly carrier: string;
  readonly by: RankOrder;
  readonly createdAt: Instant;
}

/** The carriers of all routes, grouped by route and in order. */
export function readRoutes(queries: Queries): RouteView[] {
  return queries
    .all(
      `select route.*, route_carrier.*, carrier.name as carrier_name, account.name as account_name
        from route join route_carrier on route_carrier.route = route.id and route_carrier.removed_at is null
        join carrier on carrier.id = route_carrier.carrier left join account on account.id = route.account
        where route.removed_at is null
        order by route.prefix, route.sender, route.account, route.encoding, route_carrier.rank, route_carrier.created_at`,
    )
    .map((row) => ({
      ...routeMatchFrom(row),
      ...routeCarrierFrom(row),
      account: textOrNull(row, 'account_name'),
      carrier: text(row, 'carrier_name'),
      by: rankOrderFrom(row),
      createdAt: integer(row, 'created_at'),
    }));
}

/** Changed routes whose waiting messages have not all followed, because the process ended before. */
export function readRoutesToFollow(queries: Queries): RouteToFollow[] {
  return queries.all('select * from route_to_follow order by route').map((row) => ({
    route: integer(row, 'route'),
    changedAt: integer(row, 'changed_at'),
    forgets: row['forgets'] === 'rounds' ? 'rounds' : 'nothing',
  }));
}
