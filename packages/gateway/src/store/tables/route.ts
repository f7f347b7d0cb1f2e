import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { RouteCarrier, RouteMatch } from '../../core/routing/route.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Change } from './change.ts';
import type { FollowedRoute, RouteToFollow } from '../commands/waiting.ts';

export interface RouteRow extends RouteMatch {
  change: Change;
  readonly id: number;
  by: RankOrder;
  /** Also those that have left it. */
  readonly carriers: RouteCarrierRow[];
  readonly createdAt: Instant;
  removedAt: Instant | null;
}

export interface RouteCarrierRow extends RouteCarrier {
  change: Change;
  readonly createdAt: Instant;
  removedAt: Instant | null;
}

/** Routes that a group changed, and those that all waiting messages have followed. */
export class FollowingRows {
  readonly changed: RouteToFollow[] = [];
  readonly done: FollowedRoute[] = [];
}
