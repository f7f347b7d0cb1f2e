/* What the operations on carriers do. */

import {
  kindOf,
  type GivenSettings,
  type KindSettings,
  type OpenSettings,
  type SharedSettings,
} from '@morsel/api/admin/routing/carrier-kinds.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { noCarrier } from '../../../core/named.ts';
import type { CarrierStatus } from '../../../core/routing/carrier.ts';
import { seal } from '../../rows/keys.ts';
import { query, search } from '../../tables/lookup.ts';
import { integer } from '../../tables/column.ts';
import { priceListByName } from '../../tables/price.ts';
import {
  carrierByName,
  carrierTable,
  routeById,
  routeTable,
  routeCarrierTable,
  secretPlaces,
  type CarrierRow,
} from '../../tables/route.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { exists, inUse, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { followRule } from './learning.ts';

/** The settings in a request, as the handler has read and checked them. */
export interface CarrierGiven {
  readonly shared: SharedSettings;
  readonly given: GivenSettings;
}

/** Without `given`, the settings of the carrier's kind stay. */
export interface CarrierChange {
  readonly shared: Partial<SharedSettings>;
  readonly given?: GivenSettings;
}

const add: Decision<'carrier.add', CarrierGiven> = (rows, { name, costList }, { at, made }) => {
  if (rows.one(carrierByName, name)) return exists(`a carrier named ${name} exists already`);
  const list = costListNamed(rows, costList ?? null);
  if (!list.ok) return list;
  const id = rows.nextId(carrierTable);
  const settings = settingsAfter(rows, id, made.given);
  if (!settings.ok) return settings;
  const row = { ...made.shared, ...settings.value, name, id, costList: list.value };
  rows.add(carrierTable, { ...row, createdAt: at, status: 'active' });
  return ok(null);
};

const set: Decision<'carrier.set', CarrierChange> = (rows, { carrier, costList }, { made }) => {
  const row = rows.one(carrierByName, carrier);
  if (!row) return noCarrier(carrier);
  const settings = made.given ? settingsAfter(rows, row.id, made.given, row) : ok(null);
  if (!settings.ok) return settings;
  const list = costList === undefined ? ok(row.costList) : costListNamed(rows, costList);
  if (!list.ok) return list;
  rewrite(row, { ...made.shared, ...settings.value, costList: list.value });
  if (made.shared.idRule !== undefined) followRule(rows, row.id, made.shared.idRule);
  return ok(null);
};

/** The settings of a new or changed carrier, checked, and its sealed secrets. */
function settingsAfter(
  rows: Rows,
  id: number,
  given: GivenSettings,
  before?: CarrierRow,
): Result<Pick<CarrierRow, 'settings' | 'secrets'>, Rejection> {
  const kind = kindOf(given);
  // Whether a secret is set counts here, so its sealed form may stand for it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const present = before && ({ ...before.settings, ...before.secrets } as KindSettings);
  const after = kind.change(given, present);
  const checked = kind.check(after);
  if (!checked.ok) return refused({ code: 'invalid_parameter', ...checked.error });
  const isSecret = new Set<string>(kind.secrets);
  const open = Object.entries(after).filter(([name]) => !isSecret.has(name));
  const secrets = secretPlaces(after, id).map(([name, place]) => {
    const value = given[name];
    if (value === undefined) return [name, before?.secrets[name] ?? null];
    return [name, value === null ? null : seal(rows, place, value)];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all settings but the secrets
  return ok({ settings: Object.fromEntries(open) as OpenSettings, secrets: Object.fromEntries(secrets) });
}

function toStatus(status: CarrierStatus) {
  return (rows: Rows, { carrier }: { readonly carrier: string }): Decided<null> => {
    const row = rows.one(carrierByName, carrier);
    if (!row) return noCarrier(carrier);
    row.status = status;
    touch(row);
    return ok(null);
  };
}

const remove: Decision<'carrier.remove'> = (rows, { carrier }) => {
  const row = rows.one(carrierByName, carrier);
  if (!row) return noCarrier(carrier);
  const reason = reasonToKeep(rows, row);
  if (reason !== undefined) return inUse(reason);
  row.status = 'removed';
  touch(row);
  return ok({ carrier });
};

/** The answer is the carrier with the state of its links, which the handler adds. */
export const carrierDecisions = {
  'carrier.add': add,
  'carrier.set': set,
  'carrier.pause': toStatus('paused'),
  'carrier.resume': toStatus('active'),
  'carrier.drain': toStatus('drained'),
  'carrier.remove': remove,
};

/** Finds the price list that contains the costs of a carrier. */
function costListNamed(rows: Rows, list: string | null): Result<number | null, Rejection> {
  if (list === null) return ok(null);
  const found = rows.one(priceListByName, list);
  return found ? ok(found.id) : missing(`there is no price list named ${list}: import its costs first`);
}

/** The places of a carrier in routes that exist. */
const currentRoutesOf = search<[carrier: number]>()(
  'route_carrier.current',
  routeCarrierTable,
  ({ carrier, removedAt }) => (removedAt === null ? [carrier] : undefined),
);

/**
 * One row if a carrier has parts: in flight, in doubt, or waiting on one of its routes. On a route that it has left, only
 * parts that it holds count.
 */
const workOf = query<[carrier: number]>()('carrier.work', shape({ found: integer }));

/** What a removal would leave without a carrier: its routes, and parts that still need it. */
function reasonToKeep(rows: Rows, { id, name }: CarrierRow): string | undefined {
  for (const { route: routeId } of rows.all(currentRoutesOf, id)) {
    // One of this group is not stored yet.
    const route = rows.of(routeTable).find((each) => each.id === routeId) ?? rows.one(routeById, routeId);
    if (route?.removedAt === null)
      return `carrier ${name} has a route for prefix ${shownPrefix(route.prefix)}: remove the route first`;
  }
  if (rows.values(workOf, id).length > 0)
    return `messages still wait for carrier ${name} or for its answers: wait until they have ended`;
  return undefined;
}

/** The prefix as text, with `(any)` for the empty prefix. */
export function shownPrefix(prefix: string): string {
  return prefix === '' ? '(any)' : prefix;
}
