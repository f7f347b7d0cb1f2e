import { compareCosts } from './carrier-cost.ts';
import type { Eligible } from './eligible.ts';
import type { RankOrder, RouteCarrier } from './route.ts';
import { secondMs } from '@morsel/api/values/time.ts';

/*
 * Which carrier of a route takes a part. The store asks `leaveOf` when a link claims what waits, dispatch asks
 * `chooseCarrier` (and through it `leaveOf`) when a message comes and nothing waits before it, and so does
 * `route explain`: the three cannot disagree.
 */

/** Whether a carrier may take parts, by those that are eligible. */
export type Leave =
  /** As soon as they are due. */
  | { readonly kind: 'now' }
  /** Only what has waited so long for better ranks. */
  | { readonly kind: 'after'; readonly waitMs: number }
  /** Not as things stand. */
  | { readonly kind: 'never'; readonly because: 'not-in-route' | 'held' | 'tried' | 'refused' | 'margin' | 'rank' };

const now: Leave = { kind: 'now' };

/** What is asked of a route. */
interface Ranked {
  readonly by: RankOrder;
  readonly carriers: readonly RouteCarrier[];
}

interface Asks {
  readonly carrier: number;
  readonly isUp: (carrier: number) => boolean;
}

/**
 * By cost, what waits is left so long to cheaper carriers that are there: they have been told of it when it came, and a
 * claim for which they have room is a commit or two. Who is dearer takes what they have no room for, half a second late.
 */
export const cheaperWaitMs = secondMs / 2;

/** The carrier that asks is there, whatever `isUp` says: it has room. */
export function leaveOf(route: Ranked, eligible: Eligible, asks: Asks): Leave {
  const leave = leaveByRank(route.carriers, eligible, asks);
  if (route.by !== 'cost' || leave.kind === 'never' || eligible.holder !== null) return leave;
  const isLeft = cheaperOnes(route, eligible, asks.carrier).some(
    (carrier) => asks.isUp(carrier) && !isClosedTo(eligible, carrier),
  );
  if (!isLeft) return leave;
  return { kind: 'after', waitMs: cheaperWaitMs + (leave.kind === 'after' ? leave.waitMs : 0) };
}

/** The same, whatever carriers of one rank cost. */
function leaveByRank(carriers: readonly RouteCarrier[], eligible: Eligible, { carrier, isUp }: Asks): Leave {
  if (eligible.barred.includes(carrier)) return { kind: 'never', because: 'margin' };
  if (eligible.refusedBy.includes(carrier)) return { kind: 'never', because: 'refused' };
  if (eligible.tried.includes(carrier)) return { kind: 'never', because: 'tried' };
  // What its message began, it ends: even when it is in the route no more, or has a lower rank.
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

/** The carriers of the route that may still be tried in this round. */
export function untried(carriers: readonly RouteCarrier[], eligible: Eligible): readonly RouteCarrier[] {
  return carriers.filter(({ carrier }) => !isClosedTo(eligible, carrier));
}

function isClosedTo(eligible: Eligible, carrier: number): boolean {
  return eligible.tried.includes(carrier) || eligible.refusedBy.includes(carrier) || eligible.barred.includes(carrier);
}

/** The carriers of the same rank that take less for what waits. */
function cheaperOnes({ carriers }: Ranked, eligible: Eligible, carrier: number): readonly number[] {
  const own = carriers.find((each) => each.carrier === carrier);
  if (!own) return [];
  return carriers
    .filter((each) => each.rank === own.rank && compareIn(eligible, each, own) < 0)
    .map((each) => each.carrier);
}

/** By the order that was fixed for the message, or by the figures of the route. Who came to the route later is the last. */
function compareIn({ order }: Eligible, a: RouteCarrier, b: RouteCarrier): number {
  return order.length === 0 ? compareCosts(a.cost, b.cost) : placeIn(order, a) - placeIn(order, b);
}

function placeIn(order: Eligible['order'], { carrier }: RouteCarrier): number {
  const place = order.findIndex((ids) => ids.includes(carrier));
  return place === -1 ? order.length : place;
}

/** The waits of the ranks, one behind the other; that of a rank is the shortest of its carriers'. */
function waitForAll(better: readonly RouteCarrier[]): number | null {
  const waits = new Map<number, number>();
  for (const { rank, waitMs } of better) {
    waits.set(rank, Math.min(waits.get(rank) ?? Number.POSITIVE_INFINITY, waitMs ?? Number.POSITIVE_INFINITY));
  }
  let sum = 0;
  for (const waitMs of waits.values()) sum += waitMs;
  return Number.isFinite(sum) ? sum : null;
}

/** How a carrier stands at this moment, as far as routing goes by it. */
export interface CarrierStanding {
  /** Neither paused nor ending. */
  readonly isOpen: boolean;
  /** Open, and bound now or until a moment ago: while it is, lower ranks wait. */
  readonly isUp: boolean;
  readonly isBound: boolean;
  /** Something may wait for it that goes before a new message. */
  readonly isBehind: boolean;
  /** One of its links has room for the message. */
  readonly hasRoom: boolean;
}

/** Why a carrier takes a new message, or does not. */
export type CarrierVerdict =
  | { readonly kind: 'chosen' }
  /** It could, but its rank's order (weight or cost) puts another first this time. */
  | { readonly kind: 'next' }
  /** Too little would be left of the price. */
  | { readonly kind: 'margin' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'not-bound' }
  /** A better rank is there; it may have what waits longer than that, if there is such a wait. */
  | { readonly kind: 'rank'; readonly waitMs: number | null }
  | { readonly kind: 'behind' }
  | { readonly kind: 'no-room' };

export interface Choice {
  /** Who takes a message that comes now; undefined when it waits for the first who can. */
  readonly chosen: RouteCarrier | undefined;
  /** Those whose turn it could have been: of the best rank that has room, and of its least cost where that counts. */
  readonly equals: readonly RouteCarrier[];
  /** Of each carrier of the route, in its order. */
  readonly verdicts: readonly CarrierVerdict[];
}

/** Who takes a new message. `credits` are what the shares of weights have come to so far. */
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
    // What waits for a cheaper one may be this one's in a moment, and goes before what comes now.
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

/** Those of the best rank, or the cheapest of them: weights share out between them. */
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
 * The credits after a choice: smooth weighted round robin. Each that could have taken it earns its weight, and who took it pays what
 * all of them earned, so shares hold over any stretch; who had no room earns nothing, and does not burst when it has.
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
