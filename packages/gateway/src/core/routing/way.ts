import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Account } from '../account/account.ts';
import type { Rejection } from '../base/rejection.ts';
import { rate, type Rated } from '../money/rating.ts';
import type { Snapshot } from '../snapshot.ts';
import { eligibleByCost } from './carrier-cost.ts';
import { allEligible, type Eligible } from './eligible.ts';
import { chooseRoute, type Route, type RouteQuestion } from './route.ts';

/** The route, price and carriers of a message. The commit also needs the parsed draft and the balance. */
export interface Way {
  readonly route: Route;
  readonly rated: Rated;
  readonly eligible: Eligible;
}

/** Finds the route, price and carriers of a message, for admission, for replays and for the command `route explain`. */
export function findWay(
  message: RouteQuestion,
  numParts: number,
  { account, snapshot, at }: { readonly account: Account; readonly snapshot: Snapshot; readonly at: Instant },
): Result<Way, Rejection> {
  const route = chooseRoute(snapshot, message);
  if (!route) return refused({ code: 'no_route', receiver: message.receiver });
  const rated = rate(snapshot.priceLists.get(account.priceList), message.receiver, { numParts, at });
  if (!rated) return refused({ code: 'no_price', receiver: message.receiver });
  const { receiver } = message;
  const eligible = snapshot.hasCosts
    ? eligibleByCost(route, snapshot, { account, receiver, unitPrice: rated.unitPrice, at })
    : allEligible;
  return ok({ route, rated, eligible });
}
