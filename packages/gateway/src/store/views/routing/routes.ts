import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { RouteCarrier, RouteMatch } from '../../../core/routing/route.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, text, textOrNull } from '../../sqlite/columns.ts';
import { rankOrderFrom, routeCarrierFrom, routeMatchFrom } from '../../sqlite/tables/route-rows.ts';
import type { RouteToFollow } from '../../commands/waiting.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

/** One carrier of a route, with names instead of ids. */
export interface RouteView extends Omit<RouteMatch, 'account'>, Omit<RouteCarrier, 'carrier'> {
  readonly account: string | null;
  readonly carrier: string;
  readonly by: RankOrder;
  readonly createdAt: Instant;
}

/** The order of the list. It is unique for each row. */
const place = `route.prefix, coalesce(route.sender, ''), coalesce(route.account, 0), coalesce(route.encoding, ''),
  route_carrier.rank, route_carrier.created_at, route_carrier.carrier`;

/** Reads the carriers of all routes, ordered by route and rank. `after` has the ids of a route and of a carrier. */
export function readRoutes(queries: Queries, { after, limit }: ListInput): Page<RouteView> {
  const [route = null, carrier = null] = after?.split('/') ?? [];
  const rows = queries.all(
    `select route.*, route_carrier.*, carrier.name as carrier_name, account.name as account_name
      from route join route_carrier on route_carrier.route = route.id and route_carrier.removed_at is null
      join carrier on carrier.id = route_carrier.carrier left join account on account.id = route.account
      where route.removed_at is null and (?1 is null or (${place}) > (select ${place} from route
        join route_carrier on route_carrier.route = route.id where route.id = ?1 and route_carrier.carrier = ?2))
      order by ${place} limit ?3`,
    route,
    carrier,
    limit + 1,
  );
  const { items, next } = pageOf(rows, limit, (row) => `${integer(row, 'route')}/${integer(row, 'carrier')}`);
  return {
    items: items.map((row) => ({
      ...routeMatchFrom(row),
      ...routeCarrierFrom(row),
      account: textOrNull(row, 'account_name'),
      carrier: text(row, 'carrier_name'),
      by: rankOrderFrom(row),
      createdAt: integer(row, 'created_at'),
    })),
    next,
  };
}

/** Reads changed routes whose waiting messages were not all updated, because the process ended before that. */
export function readRoutesToFollow(queries: Queries): RouteToFollow[] {
  return queries.all('select * from route_to_follow order by route').map((row) => ({
    route: integer(row, 'route'),
    changedAt: integer(row, 'changed_at'),
    forgets: row['forgets'] === 'rounds' ? 'rounds' : 'nothing',
  }));
}
