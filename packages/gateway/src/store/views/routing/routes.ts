/* Views of routes: the list for the operator, and changed routes. */

import { ok } from '@morsel/api/values/result.ts';
import { placeOf } from '../../../state/decide/routing/route.ts';
import { integer, named, nullable, text } from '../../../state/tables/column.ts';
import { routeCarrierTable, routeTable, routeToFollowTable, type RouteToFollow } from '../../../state/tables/route.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

const routeShape = shape({
  ...pick(routeTable, 'prefix', 'sender', 'encoding', 'by'),
  ...pick(routeCarrierTable, 'route', 'rank', 'weight', 'cost', 'waitMs', 'createdAt'),
  account: named('account_name', nullable(text)),
  carrier: named('carrier_name', text),
  carrierId: named('carrier', integer),
});

/** The order of the list: first by the index of routes, then by the carriers of each route. */
const routePlace = "route.prefix, coalesce(route.sender, ''), coalesce(route.account, 0), coalesce(route.encoding, '')";
const carrierPlace = 'route_carrier.rank, route_carrier.created_at, route_carrier.carrier';

const placeShape = shape({
  ...pick(routeTable, 'prefix', 'sender', 'account', 'encoding'),
  ...pick(routeCarrierTable, 'rank', 'createdAt', 'carrier'),
});

/** Lists routes by match and rank. `after` has the ids of a route and of a carrier. */
const list: View<'route.list'> = async (queries, { after, limit }) => {
  const where = await placesAfter(queries, after);
  const rows = await queries.rows(
    routeShape,
    `select route.prefix, route.sender, route.encoding, route.rank_order, route_carrier.*,
        carrier.name as carrier_name, account.name as account_name
      from route join route_carrier on route_carrier.route = route.id and route_carrier.removed_at is null
      join carrier on carrier.id = route_carrier.carrier left join account on account.id = route.account
      ${where.sql} order by ${routePlace}, ${carrierPlace} limit ?`,
    ...where.values,
    limit + 1,
  );
  const { items, next } = pageOf(rows, limit, (row) => `${row.route}/${row.carrierId}`);
  return ok({ items: items.map((row) => ({ ...row, ...placeOf(row) })), next });
};

export const routeViews = { 'route.list': list };

async function placesAfter(queries: Queries, after: string | undefined): Promise<Where> {
  const where = new Where('route.removed_at is null');
  const [route, carrier] = after?.split('/') ?? [];
  const place = await queries.row(
    placeShape,
    `select prefix, sender, account, encoding, rank, route_carrier.created_at, carrier from route
      join route_carrier on route_carrier.route = route.id where route.id = ? and carrier = ?`,
    Number(route ?? 0),
    Number(carrier ?? 0),
  );
  const ofRoute = place
    ? [place.prefix, place.sender ?? '', place.account ?? 0, place.encoding ?? '']
    : ['', '', 0, ''];
  where.and(`(${routePlace}) >= (?, ?, ?, ?)`, ...ofRoute);
  if (!place) return where;
  const ofCarrier = [place.rank, place.createdAt, place.carrier];
  const isBehind = `((${routePlace}) > (?, ?, ?, ?) or (${carrierPlace}) > (?, ?, ?))`;
  return where.and(isBehind, ...ofRoute, ...ofCarrier);
}

/** Changed routes whose waiting messages did not all follow the change, because the process ended before. */
export async function readRoutesToFollow(queries: Queries): Promise<RouteToFollow[]> {
  return queries.find(routeToFollowTable, 'order by route');
}
