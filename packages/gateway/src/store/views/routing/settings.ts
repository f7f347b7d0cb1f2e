/* The view of all settings of the operator, from which a snapshot is made. */

import { eachOf } from '../page.ts';
import type { RouteCarrier } from '../../../core/routing/route.ts';
import type { Carrier } from '../../../core/routing/carrier.ts';
import type { PriceListSettings, Settings } from '../../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { accountFigures, accountTable, loginTable, tokenTable } from '../../../state/tables/account.ts';
import { operatorKeyTable, operatorTable } from '../../../state/tables/access.ts';
import { integer } from '../../../state/tables/column.ts';
import { priceListTable, priceVersionTable } from '../../../state/tables/price.ts';
import { carrierTable, routeCarrierTable, routeTable, secretPlaces } from '../../../state/tables/route.ts';
import { omit, pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { openerOf } from '../sealed.ts';
import { readCallbackSettings, readWebhookSettings } from '../notification/webhooks.ts';

const accountShape = shape(
  omit(accountTable, { ...accountFigures, ...pick(accountTable, 'createdAt', 'callbackSecret') }),
);
const routeShape = shape(omit(routeTable, pick(routeTable, 'createdAt')));
const routeCarrierShape = shape(pick(routeCarrierTable, 'route', 'carrier', 'rank', 'weight', 'cost', 'waitMs'));

const priceListShape = shape(pick(priceListTable, 'id', 'name', 'currency', 'base'));
const versionShape = shape({ ...pick(priceVersionTable, 'version', 'effectiveAt'), edition: integer });

/** Reads all settings, without the prices. */
export async function readSettings(queries: Queries, now: Instant): Promise<Settings> {
  return {
    accounts: await queries.rows(accountShape, "select * from account where status <> 'removed'"),
    tokens: (await queries.find(tokenTable, 'where revoked_at is null')).map((row) => ({
      ...row,
      expiresAt: row.expiresAt ?? undefined,
      revokedAt: undefined,
    })),
    logins: await queries.find(loginTable, 'where removed_at is null'),
    carriers: await readCarrierSettings(queries),
    ...(await readRouteSettings(queries)),
    priceLists: await eachOf(
      await queries.rows(priceListShape, 'select * from price_list where removed_at is null'),
      (list) => readPriceList(queries, list, now),
    ),
    webhooks: await readWebhookSettings(queries),
    callbacks: await readCallbackSettings(queries),
    operators: await queries.find(operatorTable, ''),
    operatorKeys: await queries.find(operatorKeyTable, 'where revoked_at is null'),
  };
}

async function readCarrierSettings(queries: Queries): Promise<Carrier[]> {
  const open = await openerOf(queries, null);
  const found = await queries.find(carrierTable, "where status <> 'removed'");
  return found.map(({ settings, secrets, ...row }) => {
    const given = secretPlaces(settings, row.id).map(([name, place]) => {
      const value = secrets[name] ?? null;
      const octets = value && open(place, value);
      if (octets === undefined) throw new Error('the key of a password was erased');
      return [name, octets && octets.toString()];
    });
    return { ...row, settings: { ...settings, ...Object.fromEntries(given) } };
  });
}

/** Reads routes. Each distinct list of carriers is read only once. */
async function readRouteSettings(queries: Queries): Promise<Pick<Settings, 'routes' | 'carrierLists'>> {
  const ofRoutes = new Map<number, RouteCarrier[]>();
  const sql = 'select * from route_carrier where removed_at is null order by route, rank, created_at, carrier';
  for (const { route, ...carrier } of await queries.rows(routeCarrierShape, sql)) {
    const carriers = ofRoutes.get(route);
    if (carriers) carriers.push(carrier);
    else ofRoutes.set(route, [carrier]);
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
  const routes = (await queries.rows(routeShape, 'select * from route')).map(({ removedAt, ...route }) => ({
    ...route,
    isRemoved: removedAt !== null,
    carrierList: placeOf(ofRoutes.get(route.id) ?? []),
  }));
  return { routes, carrierLists };
}

/**
 * Reads the present version and the future ones. The present version also applies to a slightly older message, such as
 * one that waited for a request with its idempotency key.
 */
async function readPriceList(
  queries: Queries,
  list: ShapeOf<typeof priceListShape>,
  now: Instant,
): Promise<PriceListSettings> {
  const versions = await queries.rows(
    versionShape,
    `select version, effective_at, (select max(version) from price_list_version as earlier
        where earlier.price_list = ?1 and earlier.place <= each.place) as edition
      from price_list_version as each where price_list = ?1 and place >= coalesce(
        (select max(place) from price_list_version where price_list = ?1 and effective_at <= ?2), 0) order by place`,
    list.id,
    now,
  );
  const present = versions.map((each) => (each.effectiveAt <= now ? { ...each, effectiveAt: 0 } : each));
  return { ...list, versions: present };
}
