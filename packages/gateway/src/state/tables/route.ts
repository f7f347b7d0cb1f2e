/* Carriers, and the routes to them. */

import { minuteMs } from '@morsel/api/values/time.ts';
import type { RankOrder, RouteEncoding } from '@morsel/api/values/routing.ts';
import type { CarrierStatus, IdRule, InDoubtPolicy } from '../../core/routing/carrier.ts';
import { kindOf, type OpenSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { RouteMatch } from '../../core/routing/route.ts';
import type { Sealed } from '../sealing/data-key.ts';
import {
  idOf,
  integer,
  json,
  keyed,
  membersOf,
  micros,
  named,
  nullable,
  text,
  within,
  word,
  written,
} from './column.ts';
import { by, query, search } from './lookup.ts';
import { pick, shape, table, type RowOf } from './table.ts';

interface Secrets {
  readonly [name: string]: Sealed | null;
}

function fromBase64(stored: { readonly [name: string]: string | null }): Secrets {
  const secrets = Object.entries(stored).map(([name, value]) => [name, value && Buffer.from(value, 'base64')]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the gateway writes it
  return Object.fromEntries(secrets) as Secrets;
}

function toBase64(secrets: Secrets): object {
  const stored = Object.entries(secrets).map(([name, value]) => [name, value && Buffer.from(value).toString('base64')]);
  return Object.fromEntries(stored);
}

/** The places to which the secrets of a carrier are bound, by the names of its kind. */
export function secretPlaces(settings: OpenSettings, id: number) {
  const placeOf = (at: number) => ({ account: null, column: 'carrier.secrets', id, number: at + 1 }) as const;
  return kindOf(settings).secrets.map((name, at) => [name, placeOf(at)] as const);
}

export const carrierTable = table('carrier', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: { carrier_name: { on: ['name'], isUnique: true, where: [{ status: { not: 'removed' } }] } },
  fixed: {
    id: integer,
    name: text,
    /** The kind of the carrier and the settings of this kind, so that a kind needs no column. */
    settings: membersOf(json<OpenSettings>({ read: (row: OpenSettings) => kindOf(row).stored(row) })),
    /** Each secret of the settings, sealed; null for one that is not set. */
    secrets: keyed(membersOf(json<Secrets>({ read: fromBase64, write: toBase64 }))),
    window: named('window_max', within({ min: 1 }, integer)),
    /** The throughput may have decimals. */
    throughput: written<number>({ read: Number, write: String }),
    links: within({ min: 1 }, integer),
    inDoubt: word<InDoubtPolicy>(),
    idRule: word<IdRule>(),
    costList: nullable(idOf('price_list')),
    createdAt: integer,
  },
  moving: { status: word<CarrierStatus>() },
});
export type CarrierRow = RowOf<typeof carrierTable>;
export const carrierById = by(carrierTable, ['id']);
/** Only carriers that are not removed, because the name of a removed carrier is free. */
export const carrierByName = by(carrierTable, ['name'], { member: 'status', isNot: 'removed' });

export const routeTable = table('route', {
  isAudited: true,
  key: ['id'],
  ids: 'operator',
  indexes: {
    route_match: {
      on: ['prefix', 'sender', 'account', 'encoding'],
      isUnique: true,
      hasNulls: true,
      where: [{ removed_at: null }],
    },
  },
  fixed: {
    id: integer,
    prefix: text,
    sender: nullable(text),
    account: nullable(idOf('account')),
    encoding: nullable(word<RouteEncoding>()),
    by: named('rank_order', word<RankOrder>()),
    createdAt: integer,
  },
  moving: { removedAt: nullable(integer) },
});
export type RouteRow = RowOf<typeof routeTable>;
export const routeById = by(routeTable, ['id']);
/** Only routes that are not removed, because the match of a removed route is free. */
export const routeByMatch = search<ReturnType<typeof matchValues>>()('route.by-match', routeTable, (route) =>
  route.removedAt === null ? matchValues(route) : undefined,
);

/** The values by which a route is found. No two current routes have the same match. */
export function matchValues({ prefix, sender, account, encoding }: RouteMatch) {
  return [prefix, sender ?? '', account ?? 0, encoding ?? ''] as const;
}

export const routeCarrierTable = table('route_carrier', {
  isAudited: true,
  key: ['route', 'carrier'],
  indexes: { route_carrier_carrier: { on: ['carrier'] } },
  fixed: {
    route: idOf('route'),
    carrier: idOf('carrier'),
    rank: within({ min: 1 }, integer),
    weight: within({ min: 1 }, integer),
    cost: nullable(within({ min: 0 }, micros)),
    /** How long a message waits for carriers of its rank before those of the next rank may take it. */
    waitMs: nullable(within({ min: 0 }, integer)),
    createdAt: integer,
  },
  /** Set when the carrier leaves the route. The row stays: the carrier finishes messages that it started. */
  moving: { removedAt: nullable(integer) },
});
export type RouteCarrierRow = RowOf<typeof routeCarrierTable>;
/** The carriers of a route, also those that have left it. */
export const carriersOfRoute = by(routeCarrierTable, ['route']);

/** What claims and fail-over need of a route. It is kept in memory, as it was stored before the group of commands. */
export const placesOfRoute = query<[route: number]>()(
  'route_carrier.places',
  shape({
    ...pick(routeTable, 'by'),
    ...pick(routeCarrierTable, 'carrier', 'rank', 'weight', 'cost', 'waitMs', 'removedAt'),
  }),
);

/** Changed routes whose waiting messages must still follow the change. */
export const routeToFollowTable = table('route_to_follow', {
  key: ['route'],
  fixed: { route: idOf('route') },
  moving: {
    /** When the route was last changed. A step for an earlier change does not delete the row. */
    changedAt: integer,
    /**
     * The failed attempts that are forgotten. `rounds`: failures that were to be retried, and the pause before the next
     * round of attempts.
     */
    forgets: word<'nothing' | 'rounds'>(),
  },
});
/** A changed route whose waiting messages follow, step by step. */
export type RouteToFollow = Omit<RowOf<typeof routeToFollowTable>, 'change'>;
export const routeToFollow = by(routeToFollowTable, ['route']);

/** Parts of a carrier in a slot of some minutes, from which its usual shares of outcomes are computed. */
export const carrierSlotTable = table('carrier_slot', {
  key: ['carrier', 'slot'],
  fixed: { carrier: integer, slot: integer, accepted: integer, refused: integer, delivered: integer, failed: integer },
  sums: ['accepted', 'refused', 'delivered', 'failed'],
});
/** The length of a slot, in milliseconds. */
export const slotMs = 10 * minuteMs;
