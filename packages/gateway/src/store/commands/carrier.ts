import type { Carrier, CarrierSettings, CarrierStatus } from '../../core/routing/carrier.ts';
import type { CarrierProfile } from '../../core/routing/carrier-profile.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { RouteCarrier, RouteMatch } from '../../core/routing/route.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Commands of the operator about carriers and routes. */

export interface AddCarrier extends Omit<Carrier, 'id' | 'status' | 'costList'> {
  readonly kind: 'add-carrier';
  readonly at: Instant;
  /** The name of a price list; null for none. */
  readonly costList?: string | null;
}

/** Changes some settings of a carrier. A preset replaces its whole profile. */
export interface SetCarrier {
  readonly kind: 'set-carrier';
  readonly at: Instant;
  readonly carrier: string;
  readonly preset: string | undefined;
  readonly settings: Partial<Omit<CarrierSettings, 'profile'>>;
  readonly profile: Partial<CarrierProfile>;
  /** The name of a price list; null for none; undefined keeps the present one. */
  readonly costList?: string | null | undefined;
}

export interface SetCarrierStatus {
  readonly kind: 'set-carrier-status';
  readonly at: Instant;
  readonly carrier: string;
  readonly status: CarrierStatus;
}

/** The match of a route, with the account by name. */
export interface NamedMatch extends Omit<RouteMatch, 'account'> {
  readonly account: string | null;
}

/** Makes a route, or adds a carrier to the route with this match. */
export interface AddRoute extends NamedMatch, Omit<RouteCarrier, 'carrier'> {
  readonly kind: 'add-route';
  readonly at: Instant;
  readonly carrier: string;
  /** Null keeps the present order; a new route goes by weight. */
  readonly by: RankOrder | null;
}

/** Changes a route in place. Undefined members stay as they are. */
export interface SetRoute extends NamedMatch {
  readonly kind: 'set-route';
  readonly at: Instant;
  /** The carrier whose settings change; null for the only carrier of the route. */
  readonly carrier: string | null;
  /** Replaces that carrier, with its rank, weight and wait. */
  readonly newCarrier: string | undefined;
  readonly settings: Partial<Omit<RouteCarrier, 'carrier'>>;
  readonly by: RankOrder | undefined;
  readonly newMatch: Partial<NamedMatch>;
}

/** Removes a route, or one carrier of it. The route ends with its last carrier. */
export interface RemoveRoute extends NamedMatch {
  readonly kind: 'remove-route';
  readonly at: Instant;
  readonly carrier: string | null;
}
