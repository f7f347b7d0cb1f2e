import type { Carrier, CarrierSettings, CarrierStatus } from '../../core/routing/carrier.ts';
import type { CarrierProfile } from '../../core/routing/carrier-profile.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { RankOrder, RouteCarrier, RouteMatch } from '../../core/routing/route.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* What the operator has written of carriers and the routes that lead to them. */

export interface AddCarrier extends Omit<Carrier, 'id' | 'status' | 'costList'> {
  readonly kind: 'add-carrier';
  readonly at: Instant;
  /** The name of a price list; null for none. */
  readonly costList?: string | null;
}

/** Change some of a carrier's settings; from a preset, all of its profile anew. */
export interface SetCarrier {
  readonly kind: 'set-carrier';
  readonly at: Instant;
  readonly carrier: string;
  readonly preset: string | undefined;
  readonly settings: Partial<Omit<CarrierSettings, 'profile'>>;
  readonly profile: Partial<CarrierProfile>;
  /** The name of a price list; null for none, and undefined leaves it as it is. */
  readonly costList?: string | null | undefined;
}

export interface SetCarrierStatus {
  readonly kind: 'set-carrier-status';
  readonly at: Instant;
  readonly carrier: string;
  readonly status: CarrierStatus;
}

/** The match of a route as the operator names it: its account by name. */
export interface NamedMatch extends Omit<RouteMatch, 'account'> {
  readonly account: string | null;
}

/** Makes a route, or puts another carrier into the one that has this match. */
export interface AddRoute extends NamedMatch, Omit<RouteCarrier, 'carrier'> {
  readonly kind: 'add-route';
  readonly at: Instant;
  readonly carrier: string;
  /** Null leaves it as it is; a new route goes by weight. */
  readonly by: RankOrder | null;
}

/** Changes a route in place; what is undefined stays as it is. */
export interface SetRoute extends NamedMatch {
  readonly kind: 'set-route';
  readonly at: Instant;
  /** Whose settings change; null for the only carrier of the route. */
  readonly carrier: string | null;
  /** Takes the place of that carrier, with its rank, weight and wait. */
  readonly newCarrier: string | undefined;
  readonly settings: Partial<Omit<RouteCarrier, 'carrier'>>;
  readonly by: RankOrder | undefined;
  readonly newMatch: Partial<NamedMatch>;
}

/** Removes a route, or one carrier of it; with its last carrier the route goes too. */
export interface RemoveRoute extends NamedMatch {
  readonly kind: 'remove-route';
  readonly at: Instant;
  readonly carrier: string | null;
}

/** A part went out of whose price less is left than its account is to bring. */
export interface MarginAlert {
  readonly kind: 'margin-alert';
  readonly at: Instant;
  readonly account: number;
  readonly carrier: number;
  /** Of the route that it went by. */
  readonly prefix: string;
  readonly unitPrice: Micros;
  readonly unitCost: Micros;
}
