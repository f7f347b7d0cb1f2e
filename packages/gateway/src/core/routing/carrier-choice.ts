import { compareCosts } from './carrier-cost.ts';
import type { Eligible } from './eligible.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { RouteCarrier } from './route.ts';
import { secondMs } from '@morsel/api/values/time.ts';

/*
 * Which carrier of a route takes a part. The store calls `leaveOf` when a link claims waiting parts. Routing calls
 * `chooseCarrier`, which uses `leaveOf`, for a message with nothing before it, and so does `route explain`. So the
 * three cannot disagree.
 */

/** Whether a carrier may take parts with these eligible carriers. */
export type Leave =
  /** As soon as they are due. */
  | { readonly kind: 'now' }
  /** Only parts that waited so long for better ranks. */
  | { readonly kind: 'after'; readonly waitMs: number }
  /** Not now. */
  | { readonly kind: 'never'; readonly because: 'not-in-route' | 'held' | 'tried' | 'refused' | 'margin' | 'rank' };

const now: Leave = { kind: 'now' };

/** The question about a route. */
interface Ranked {
  readonly by: RankOrder;
  readonly carriers: readonly RouteCarrier[];
}

interface Asks {
  readonly carrier: number;
  readonly isUp: (carrier: number) => boolean;
}

/**
 * By cost, waiting parts are left to cheaper bound carriers for this long. Those were notified when the parts came, and
 * a claim needs only a commit or two. A dearer carrier takes the rest half a second later.
 */
export const cheaperWaitMs = secondMs / 2;

/** The asking carrier counts as up, whatever `isUp` says: it has room. */
export function leaveOf(route: Ranked, eligible: Eligible, asks: Asks): Leave {
  const leave = leaveByRank(route.carriers, eligible, asks);
  if (route.by !== 'cost' || leave.kind === 'never' || eligible.holder !== null) return leave;
  const isLeft = cheaperOnes(route, eligible, asks.carrier).some(
    (carrier) => asks.isUp(carrier) && !isClosedTo(eligible, carrier),
  );
  if (!isLeft) return leave;
  return { kind: 'after', waitMs: cheaperWaitMs + (leave.kind === 'after' ? leave.waitMs : 0) };
}

/** The same without regard to costs within a rank. */
function leaveByRank(carriers: readonly RouteCarrier[], eligible: Eligible, { carrier, isUp }: Asks): Leave {
  if (eligible.barred.includes(carrier)) return { kind: 'never', because: 'margin' };
  if (eligible.refusedBy.includes(carrier)) return { kind: 'never', because: 'refused' };
  if (eligible.tried.includes(carrier)) return { kind: 'never', because: 'tried' };
  // A carrier that has a part of the message finishes it, even if it left the route or has a lower rank.
  if (eligible.holder !== null) return eligible.holder === carrier ? now : { kind: 'never', because: 'held' };
  const own = carriers.find((each) => each.carrier === carrier);
  if (!own) return { kind: 'never', because: 'not-in-route' };
  const better = carriers.filter(
    (each) => each.rank < own.rank && isUp(each.carrier) && !isClosedTo(eligible, each.carrier),
  );
  if (better.length === 0) return now;
  const waitMs = waitForAll(better);
  return waitMs === null ? { kind: 'never', because: 'rank' } : { kind: 'after', waitMs };
}

/** Carriers of the route that may still be tried in this round. */
export function untried(carriers: readonly RouteCarrier[], eligible: Eligible): readonly RouteCarrier[] {
  return carriers.filter(({ carrier }) => !isClosedTo(eligible, carrier));
}

function isClosedTo(eligible: Eligible, carrier: number): boolean {
  return eligible.tried.includes(carrier) || eligible.refusedBy.includes(carrier) || eligible.barred.includes(carrier);
}

/** Cheaper carriers of the same rank. */
function cheaperOnes({ carriers }: Ranked, eligible: Eligible, carrier: number): readonly number[] {
  const own = carriers.find((each) => each.carrier === carrier);
  if (!own) return [];
  return carriers
    .filter((each) => each.rank === own.rank && compareIn(eligible, each, own) < 0)
    .map((each) => each.carrier);
}

/**
 * By the order that was fixed for the message, or by the route's figures. A carrier that joined the route later is
 * last.
 */
function compareIn({ order }: Eligible, a: RouteCarrier, b: RouteCarrier): number {
  return order.length === 0 ? compareCosts(a.cost, b.cost) : placeIn(order, a) - placeIn(order, b);
}

function placeIn(order: Eligible['order'], { carrier }: RouteCarrier): number {
  const place = order.findIndex((ids) => ids.includes(carrier));
  return place === -1 ? order.length : place;
}

/** The sum of the waits of the ranks; the wait of a rank is the shortest of its carriers. */
function waitForAll(better: readonly RouteCarrier[]): number | null {
  const waits = new Map<number, number>();
  for (const { rank, waitMs } of better) {
    waits.set(rank, Math.min(waits.get(rank) ?? Number.POSITIVE_INFINITY, waitMs ?? Number.POSITIVE_INFINITY));
  }
  let sum = 0;
  for (const waitMs of waits.values()) sum += waitMs;
  return Number.isFinite(sum) ? sum : null;
}

/** The state of a carrier, as far as routing needs it. */
export interface CarrierStanding {
  /** Neither paused nor draining. */
  readonly isOpen: boolean;
  /** Open, and bound now or until a moment ago. While it is, lower ranks wait. */
  readonly isUp: boolean;
  readonly isBound: boolean;
  /** Older parts may wait for it. */
  readonly isBehind: boolean;
  /** One of its links has room for the message. */
  readonly hasRoom: boolean;
}

/** Why a carrier takes a new message, or does not. */
export type CarrierVerdict =
  | { readonly kind: 'chosen' }
  /** It could, but weight or cost puts another carrier of its rank first this time. */
  | { readonly kind: 'next' }
  /** The margin would be too small. */
  | { readonly kind: 'margin' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'not-bound' }
  /** A better rank is up. It may take parts that wait longer than this, if there is such a wait. */
  | { readonly kind: 'rank'; readonly waitMs: number | null }
  | { readonly kind: 'behind' }
  | { readonly kind: 'no-room' };

export interface Choice {
  /** The carrier of a new message; undefined if the message waits for the first carrier with room. */
  readonly chosen: RouteCarrier | undefined;
  /** The candidates: the carriers of the best rank with room, and of the least cost if cost counts. */
  readonly equals: readonly RouteCarrier[];
  /** For each carrier of the route, in its order. */
  readonly verdicts: readonly CarrierVerdict[];
}

/** Chooses the carrier of a new message. `credits` are the shares of weights so far. */
export function chooseCarrier(
  route: Ranked,
  seen: {
    readonly eligible: Eligible;
    readonly standingOf: (carrier: number) => CarrierStanding;
    readonly credits: ReadonlyMap<number, number> | undefined;
  },
): Choice {
  const { carriers } = route;
  const standings = new Map(carriers.map(({ carrier }) => [carrier, seen.standingOf(carrier)]));
  const isUp = (carrier: number) => standings.get(carrier)?.isUp ?? false;
  const verdicts = carriers.map(({ carrier }): CarrierVerdict | undefined => {
    const standing = standings.get(carrier);
    if (seen.eligible.barred.includes(carrier)) return { kind: 'margin' };
    if (!standing?.isOpen) return { kind: 'paused' };
    if (!standing.isBound) return { kind: 'not-bound' };
    const leave = leaveByRank(carriers, seen.eligible, { carrier, isUp });
    if (leave.kind !== 'now') return { kind: 'rank', waitMs: leave.kind === 'after' ? leave.waitMs : null };
    const goesBefore = route.by === 'cost' ? cheaperOnes(route, seen.eligible, carrier) : [];
    // Parts that wait for a cheaper carrier may soon be for this one, and go before a new message.
    if (standing.isBehind || goesBefore.some((each) => isUp(each) && (standings.get(each)?.isBehind ?? false)))
      return { kind: 'behind' };
    return standing.hasRoom ? undefined : { kind: 'no-room' };
  });
  const able = carriers.filter((_carrier, at) => verdicts[at] === undefined);
  const equals = equalsAmong(able, route.by, seen.eligible);
  const chosen = firstInTurn(equals, seen.credits);
  return {
    chosen,
    equals,
    verdicts: carriers.map((each, at) => verdicts[at] ?? { kind: each === chosen ? 'chosen' : 'next' }),
  };
}

/** The carriers of the best rank, or the cheapest of them: weights share between them. */
function equalsAmong(able: readonly RouteCarrier[], by: RankOrder, eligible: Eligible): readonly RouteCarrier[] {
  const rank = Math.min(...able.map((each) => each.rank));
  const ofRank = able.filter((each) => each.rank === rank);
  if (by === 'weight') return ofRank;
  return ofRank.filter((each) => ofRank.every((other) => compareIn(eligible, each, other) <= 0));
}

function firstInTurn(
  equals: readonly RouteCarrier[],
  credits: ReadonlyMap<number, number> | undefined,
): RouteCarrier | undefined {
  let first: RouteCarrier | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const each of equals) {
    const credit = (credits?.get(each.carrier) ?? 0) + each.weight;
    if (credit <= most) continue;
    first = each;
    most = credit;
  }
  return first;
}

/**
 * The credits after a choice: smooth weighted round robin. Each candidate earns its weight, and the chosen one pays the
 * sum, so shares hold over any stretch. A carrier without room earns nothing, and so does not get a burst later.
 */
export function creditsAfter(
  { chosen, equals }: Choice,
  credits: ReadonlyMap<number, number> | undefined,
): ReadonlyMap<number, number> {
  const after = new Map(credits);
  if (!chosen) return after;
  let earned = 0;
  for (const { carrier, weight } of equals) {
    earned += weight;
    after.set(carrier, (after.get(carrier) ?? 0) + weight);
  }
  after.set(chosen.carrier, (after.get(chosen.carrier) ?? 0) - earned);
  return after;
}
