/*
 * Routes: which messages a route matches, its carriers with ranks and weights, and how the route of a message is found.
 */

import type { Micros } from '@morsel/api/values/money.ts';
import type { RankOrder, RouteEncoding } from '@morsel/api/values/routing.ts';
import { PrefixTable } from '../base/prefix-table.ts';

/** The conditions that a message must meet to match a route. */
export interface RouteMatch {
  readonly prefix: string;
  /** A sender, or the beginning of senders with a trailing `*`; null for every sender. */
  readonly sender: string | null;
  readonly account: number | null;
  /** Null for every encoding. */
  readonly encoding: RouteEncoding | null;
}

export interface RouteCarrier {
  readonly carrier: number;
  /** Rank 1 is used first. The next rank is used only if no carrier of this rank is up, or they refuse a part. */
  readonly rank: number;
  /** Share of the messages that this carrier gets within its rank. */
  readonly weight: number;
  readonly cost: Micros | null;
  /** After a message waited this long for this rank, carriers of the next rank may take it; null for never. */
  readonly waitMs: number | null;
}

export interface Route extends RouteMatch {
  readonly id: number;
  readonly by: RankOrder;
  /** Sorted by rank, then in the order in which the carriers were added. */
  readonly carriers: readonly RouteCarrier[];
}

/** `sender` is null only if the operator asks about a route without a sender. */
export interface RouteQuestion {
  readonly receiver: string;
  readonly sender: string | null;
  readonly account: number;
  readonly encoding: string;
}

/** Routes with only a prefix are separate from narrow routes, which require a sender, account or encoding. */
export interface RouteTable {
  readonly routesByPrefix: PrefixTable<Route>;
  /** For each prefix, its narrow routes, the narrowest first. */
  readonly narrowRoutes: PrefixTable<readonly Route[]>;
}

export function arrangeRoutes(routes: Iterable<Route>): RouteTable {
  const routesByPrefix = new PrefixTable<Route>();
  const narrow = new Map<string, Route[]>();
  for (const route of routes) {
    if (isNarrow(route)) narrow.set(route.prefix, [...(narrow.get(route.prefix) ?? []), route]);
    else routesByPrefix.set(route.prefix, route);
  }
  const narrowRoutes = new PrefixTable<readonly Route[]>();
  for (const [prefix, list] of narrow) narrowRoutes.set(prefix, list.toSorted(compareNarrowness));
  return { routesByPrefix, narrowRoutes };
}

/** The longest prefix wins; then exact sender, beginning, any sender; then a route with account; then with encoding. */
export function chooseRoute(table: RouteTable, message: RouteQuestion): Route | undefined {
  const everybodys = table.routesByPrefix.longest(message.receiver);
  if (table.narrowRoutes.size === 0) return everybodys;
  for (const list of table.narrowRoutes.all(message.receiver)) {
    for (const route of list) {
      if (everybodys && everybodys.prefix.length > route.prefix.length) return everybodys;
      if (whyNot(route, message) === null) return route;
    }
  }
  return everybodys;
}

/** The condition of a route that a message does not meet, although its prefix matches. */
type RouteMiss = 'sender' | 'account' | 'encoding';

export interface ConsideredRoute {
  readonly route: Route;
  /** Null if the route matches. The message takes the first route that matches. */
  readonly miss: RouteMiss | null;
}

/** All routes whose prefix matches the receiver, in order of precedence. */
export function considerRoutes(table: RouteTable, message: RouteQuestion): readonly ConsideredRoute[] {
  const routes = [...table.narrowRoutes.all(message.receiver).flat(), ...table.routesByPrefix.all(message.receiver)];
  // The sort is stable, so within one prefix the narrow routes stay first.
  return routes
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
    .map((route) => ({ route, miss: whyNot(route, message) }));
}

function isNarrow(match: RouteMatch): boolean {
  return match.sender !== null || match.account !== null || match.encoding !== null;
}

function whyNot(route: RouteMatch, message: RouteQuestion): RouteMiss | null {
  if (route.sender !== null && !isSenderOf(route.sender, message.sender)) return 'sender';
  if (route.account !== null && route.account !== message.account) return 'account';
  if (route.encoding !== null && route.encoding !== message.encoding) return 'encoding';
  return null;
}

const anyEnding = '*';

function isSenderOf(wanted: string, sender: string | null): boolean {
  if (sender === null) return false;
  return wanted.endsWith(anyEnding) ? sender.startsWith(wanted.slice(0, -1)) : sender === wanted;
}

function compareNarrowness(a: RouteMatch, b: RouteMatch): number {
  return (
    senderNarrowness(b.sender) - senderNarrowness(a.sender) ||
    Number(b.account !== null) - Number(a.account !== null) ||
    Number(b.encoding !== null) - Number(a.encoding !== null)
  );
}

/** How narrow the sender of a route is: an exact sender most, then a long beginning, then a short beginning. */
function senderNarrowness(sender: string | null): number {
  if (sender === null) return 0;
  return sender.endsWith(anyEnding) ? sender.length : Number.MAX_SAFE_INTEGER;
}
