import { compareCosts } from './carrier-cost.ts';
import type { Eligible } from './eligible.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { RouteCarrier } from './route.ts';
import { secondMs } from '@morsel/api/values/time.ts';

/*
 * Decides which carrier of a route sends a part. The store calls `leaveOf` when a link claims waiting parts. Routing
 * and the command `route explain` call `chooseCarrier` for a new message. Both functions use the same rules for ranks
 * and costs.
 */

/** When a carrier may take waiting parts with given eligible carriers. */
export type Leave =
  /** The carrier may take the parts as soon as they are due. */
  | { readonly kind: 'now' }
  /** The carrier may take only parts that waited this long for carriers of better rank or lower cost. */
  | { readonly kind: 'after'; readonly waitMs: number }
  | { readonly kind: 'never'; readonly because: 'not-in-route' | 'held' | 'tried' | 'refused' | 'margin' | 'rank' };

const now: Leave = { kind: 'now' };

interface Ranked {
  readonly by: RankOrder;
  readonly carriers: readonly RouteCarrier[];
}

interface Asks {
  readonly carrier: number;
  readonly isUp: (carrier: number) => boolean;
}

/** Cheaper bound carriers have this long to claim parts first: they were notified, and claim within a commit or two. */
export const cheaperWaitMs = secondMs / 2;

/**
 * When `asks.carrier` may take the waiting parts. This carrier has room, so it counts as up, whatever `isUp` returns.
 */
export function leaveOf(route: Ranked, eligible: Eligible, asks: Asks): Leave {
  const leave = leaveByRank(route.carriers, eligible, asks);
  if (route.by !== 'cost' || leave.kind === 'never' || eligible.holder !== null) return leave;
  const isLeft = cheaperOnes(route, eligible, asks.carrier).some(
    (carrier) => asks.isUp(carrier) && !isClosedTo(eligible, carrier),
  );
  if (!isLeft) return leave;
  return { kind: 'after', waitMs: cheaperWaitMs + (leave.kind === 'after' ? leave.waitMs : 0) };
}

/** When a carrier may take waiting parts, if only ranks and not costs count. */
function leaveByRank(carriers: readonly RouteCarrier[], eligible: Eligible, { carrier, isUp }: Asks): Leave {
  if (eligible.barred.includes(carrier)) return { kind: 'never', because: 'margin' };
  if (eligible.refusedBy.includes(carrier)) return { kind: 'never', because: 'refused' };
  if (eligible.tried.includes(carrier)) return { kind: 'never', because: 'tried' };
  // A carrier that has one part of a message gets all its parts, even if the carrier left the route or has a lower
  // rank.
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

/** The carriers of the route that may still be tried in this round of tries. */
export function untried(carriers: readonly RouteCarrier[], eligible: Eligible): readonly RouteCarrier[] {
  return carriers.filter(({ carrier }) => !isClosedTo(eligible, carrier));
}

function isClosedTo(eligible: Eligible, carrier: number): boolean {
  return eligible.tried.includes(carrier) || eligible.refusedBy.includes(carrier) || eligible.barred.includes(carrier);
}

/** The carriers of the same rank that are cheaper than `carrier`. */
function cheaperOnes({ carriers }: Ranked, eligible: Eligible, carrier: number): readonly number[] {
  const own = carriers.find((each) => each.carrier === carrier);
  if (!own) return [];
  return carriers
    .filter((each) => each.rank === own.rank && compareIn(eligible, each, own) < 0)
    .map((each) => each.carrier);
}

/** Compares by the order stored with the message, else by the costs in the route. A carrier added later comes last. */
function compareIn({ order }: Eligible, a: RouteCarrier, b: RouteCarrier): number {
  return order.length === 0 ? compareCosts(a.cost, b.cost) : placeIn(order, a) - placeIn(order, b);
}

function placeIn(order: Eligible['order'], { carrier }: RouteCarrier): number {
  const place = order.findIndex((ids) => ids.includes(carrier));
  return place === -1 ? order.length : place;
}

/**
 * Adds up the waits of all better ranks; null for no limit. The wait of a rank is the shortest wait of its carriers.
 */
function waitForAll(better: readonly RouteCarrier[]): number | null {
  const waits = new Map<number, number>();
  for (const { rank, waitMs } of better) {
    waits.set(rank, Math.min(waits.get(rank) ?? Number.POSITIVE_INFINITY, waitMs ?? Number.POSITIVE_INFINITY));
  }
  let sum = 0;
  for (const waitMs of waits.values()) sum += waitMs;
  return Number.isFinite(sum) ? sum : null;
}

export interface CarrierStanding {
  /** Whether the carrier is neither paused nor draining. */
  readonly isOpen: boolean;
  /** Open, and bound now or a moment ago. Carriers of lower rank wait while this is true. */
  readonly isUp: boolean;
  readonly isBound: boolean;
  /** Whether older parts may wait for this carrier. */
  readonly isBehind: boolean;
  /** Whether a link of the carrier has room for the message. */
  readonly hasRoom: boolean;
}

/** Whether a carrier gets a new message, and why. */
export type CarrierVerdict =
  | { readonly kind: 'chosen' }
  /** The carrier could take the message, but another carrier of its rank comes first by weight or cost. */
  | { readonly kind: 'next' }
  /** The cost of this carrier leaves too small a margin. */
  | { readonly kind: 'margin' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'not-bound' }
  /** A carrier of better rank is up. This carrier may take parts that waited longer than `waitMs`; null for never. */
  | { readonly kind: 'rank'; readonly waitMs: number | null }
  | { readonly kind: 'behind' }
  | { readonly kind: 'no-room' };

export interface Choice {
  /** Undefined if the message must wait for a carrier with room. */
  readonly chosen: RouteCarrier | undefined;
  /** The candidates: carriers of the best rank that have room, and on a route by cost only the cheapest of these. */
  readonly equals: readonly RouteCarrier[];
  /** Verdicts in the order of the route. */
  readonly verdicts: readonly CarrierVerdict[];
}

/** Chooses the carrier of a new message. `credits` has the credit of each carrier, which shares messages by weight. */
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
    // Parts that wait for a cheaper carrier may soon be offered to this carrier. They are older and go before a new
    // message.
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

/** The carriers of the best rank; on a route by cost only the cheapest of them. They share messages by weight. */
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
 * The credits after a choice, by smooth weighted round robin. Each candidate gains its weight, and the chosen carrier
 * loses the sum of these weights. So each carrier gets its share even in a short series of messages. A carrier without
 * room gains nothing, so it gets no burst of messages later.
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
