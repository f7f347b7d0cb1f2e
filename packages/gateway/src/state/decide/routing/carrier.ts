/* What the operations on carriers do. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { noCarrier } from '../../../core/named.ts';
import { checkCarrier, type CarrierSettings, type CarrierStatus } from '../../../core/routing/carrier.ts';
import { profileOf, type CarrierProfile } from '../../../core/routing/carrier-profile.ts';
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
  type CarrierRow,
} from '../../tables/route.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { exists, inUse, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { forgetLearned } from './learning.ts';

/** `made`: the settings, as the handler has read and checked them. */
const add: Decision<'carrier.add', CarrierSettings> = (rows, { name, costList }, { at, made }) => {
  if (rows.one(carrierByName, name)) return exists(`a carrier named ${name} exists already`);
  const list = costListNamed(rows, costList ?? null);
  if (!list.ok) return list;
  const id = rows.nextId(carrierTable);
  const secrets = sealSecrets(rows, id, made);
  rows.add(carrierTable, { ...made, ...secrets, name, id, costList: list.value, createdAt: at, status: 'active' });
  return ok(null);
};

/** The changed settings of a carrier, as the handler has read them. */
export interface CarrierChange {
  readonly settings: Partial<Omit<CarrierSettings, 'profile'>>;
  readonly profile: Partial<CarrierProfile>;
}

/** A preset replaces the whole profile. */
const set: Decision<'carrier.set', CarrierChange> = (rows, { carrier, preset, costList }, { made }) => {
  const row = rows.one(carrierByName, carrier);
  if (!row) return noCarrier(carrier);
  const before = preset === undefined ? row.profile : profileOf(preset);
  const { password, receiverPassword, tlsKey, ...settings } = made.settings;
  const secrets = sealSecrets(rows, row.id, { password, receiverPassword, tlsKey });
  const present = { ...row, ...secrets };
  const changed = checkCarrier({ ...present, ...settings, profile: { ...before, ...made.profile } });
  if (!changed.ok) return changed;
  const list = costList === undefined ? ok(row.costList) : costListNamed(rows, costList);
  if (!list.ok) return list;
  rewrite(row, { ...settings, ...secrets, profile: changed.value.profile, costList: list.value });
  if (settings.idRule !== undefined) forgetLearned(rows, row.id);
  return ok(null);
};

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

type Secrets = Pick<CarrierSettings, 'password' | 'receiverPassword' | 'tlsKey'>;
type SealedSecrets<Given> = { -readonly [Name in keyof Secrets & keyof Given]: CarrierRow[Name] };

/** Seals the secrets of a carrier that are given. */
function sealSecrets<Given extends { readonly [Name in keyof Secrets]: Secrets[Name] | undefined }>(
  rows: Rows,
  id: number,
  { password, receiverPassword, tlsKey }: Given,
): SealedSecrets<Given> {
  const given = [
    ['password', 'carrier.password', password],
    ['receiverPassword', 'carrier.receiver_password', receiverPassword],
    ['tlsKey', 'carrier.tls_key', tlsKey],
  ] as const;
  const sealed = given.flatMap(([name, column, value]) => {
    if (value === undefined) return [];
    return [[name, value === null ? null : seal(rows, { account: null, column, id }, value)] as const];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name that is given has its sealed value
  return Object.fromEntries(sealed) as SealedSecrets<Given>;
}

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
