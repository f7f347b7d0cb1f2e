/* The view of everything that the operator set: a snapshot is made of it. */

import type { RouteCarrier } from '../../../core/routing/route.ts';
import type { PriceListSettings, Settings } from '../../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { accountTable, loginTable, tokenTable } from '../../tables/account.ts';
import { shape } from '../../tables/table.ts';
import { carrierFrom } from '../../sqlite/row-readers.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import { rankOrderFrom, routeCarrierFrom, routeMatchFrom } from '../../sqlite/tables/route-rows.ts';
import type { Queries } from '../queries.ts';
import { readWebhookSettings } from '../notification/webhooks.ts';

const {
  createdAt: _createdAt,
  balance: _balance,
  spent: _spent,
  alertedBelow: _alerted,
  ...accountMembers
} = accountTable.members;
const accountSettings = shape(accountMembers);

/** Reads the operator's settings for a `Snapshot`, without the prices. */
export function readSettings(queries: Queries, now: Instant): Settings {
  return {
    accounts: queries.rows(accountSettings, "select * from account where status <> 'removed'"),
    tokens: queries
      .find(tokenTable, 'where revoked_at is null')
      .map((row) => ({ ...row, expiresAt: row.expiresAt ?? undefined, revokedAt: undefined })),
    logins: queries.find(loginTable, 'where removed_at is null'),
    carriers: queries.all("select * from carrier where status <> 'removed'").map(carrierFrom),
    ...readRouteSettings(queries),
    priceLists: queries
      .all('select * from price_list where removed_at is null')
      .map((row) => readPriceList(queries, row, now)),
    webhooks: readWebhookSettings(queries),
  };
}

/** Reads the routes, and each distinct list of carriers once. */
function readRouteSettings(queries: Queries): Pick<Settings, 'routes' | 'carrierLists'> {
  const ofRoutes = new Map<number, RouteCarrier[]>();
  const sql = 'select * from route_carrier where removed_at is null order by route, rank, created_at, carrier';
  for (const row of queries.all(sql)) {
    const route = integer(row, 'route');
    const carriers = ofRoutes.get(route);
    if (carriers) carriers.push(routeCarrierFrom(row));
    else ofRoutes.set(route, [routeCarrierFrom(row)]);
  }
  const carrierLists: RouteCarrier[][] = [];
  const places = new Map<string, number>();
  const placeOf = (carriers: RouteCarrier[]): number => {
    const key = carriers.map((each) => Object.values(each).join(' ')).join();
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, carrierLists.length);
    return carrierLists.push(carriers) - 1;
  };
  const routes = queries.all('select * from route').map((row) => {
    const id = integer(row, 'id');
    return {
      id,
      ...routeMatchFrom(row),
      by: rankOrderFrom(row),
      isRemoved: row['removed_at'] !== null,
      carrierList: placeOf(ofRoutes.get(id) ?? []),
    };
  });
  return { routes, carrierLists };
}

/**
 * Reads the present version and the future versions of a price list. The present version also applies to a message with
 * a slightly older time, for example a message that waited for another request with its idempotency key.
 */
function readPriceList(queries: Queries, row: Parameters<typeof integer>[0], now: Instant): PriceListSettings {
  const id = integer(row, 'id');
  const versions = queries.all(
    `select version, effective_at, (select max(version) from price_list_version as earlier
        where earlier.price_list = ?1 and earlier.place <= each.place) as edition
      from price_list_version as each where price_list = ?1 and place >= coalesce(
        (select max(place) from price_list_version where price_list = ?1 and effective_at <= ?2), 0) order by place`,
    id,
    now,
  );
  return {
    id,
    name: text(row, 'name'),
    currency: text(row, 'currency'),
    base: integerOrNull(row, 'base'),
    versions: versions.map((each) => {
      const effectiveAt = integer(each, 'effective_at');
      const [version, edition] = [integer(each, 'version'), integer(each, 'edition')];
      return { version, edition, effectiveAt: effectiveAt <= now ? 0 : effectiveAt };
    }),
  };
}
