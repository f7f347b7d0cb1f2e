/* Views of routes: the list for the operator, and changed routes. */

import { integer, named, nullable, text } from '../../tables/column.ts';
import { routeCarrierTable, routeTable, routeToFollowTable } from '../../tables/route.ts';
import type { RouteToFollow } from '../../tables/route.ts';
import { pick, shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

/** One carrier of a route, with names instead of ids. */
const routeShape = shape({
  ...pick(routeTable, 'prefix', 'sender', 'encoding', 'by'),
  ...pick(routeCarrierTable, 'route', 'rank', 'weight', 'cost', 'waitMs', 'createdAt'),
  account: named('account_name', nullable(text)),
  carrier: named('carrier_name', text),
  carrierId: named('carrier', integer),
});
type RouteView = ShapeOf<typeof routeShape>;

/** The order of the list. It is unique for each row. */
const place = `route.prefix, coalesce(route.sender, ''), coalesce(route.account, 0), coalesce(route.encoding, ''),
  route_carrier.rank, route_carrier.created_at, route_carrier.carrier`;

/** Reads the carriers of all routes, ordered by route and rank. `after` has the ids of a route and of a carrier. */
export function readRoutes(queries: Queries, { after, limit }: ListInput): Page<RouteView> {
  const [route = null, carrier = null] = after?.split('/') ?? [];
  const rows = queries.rows(
    routeShape,
    `select route.prefix, route.sender, route.encoding, route.rank_order, route_carrier.*,
        carrier.name as carrier_name, account.name as account_name
      from route join route_carrier on route_carrier.route = route.id and route_carrier.removed_at is null
      join carrier on carrier.id = route_carrier.carrier left join account on account.id = route.account
      where route.removed_at is null and (?1 is null or (${place}) > (select ${place} from route
        join route_carrier on route_carrier.route = route.id where route.id = ?1 and route_carrier.carrier = ?2))
      order by ${place} limit ?3`,
    route,
    carrier,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => `${row.route}/${row.carrierId}`);
}

/** Reads changed routes whose waiting messages were not all updated, because the process ended before that. */
export function readRoutesToFollow(queries: Queries): RouteToFollow[] {
  return queries.find(routeToFollowTable, 'order by route');
}
