/* Routes: which messages each matches, its carriers with ranks and weights, and how the route of a message is found. */

import type { Micros } from '@morsel/api/values/money.ts';
import type { RankOrder, RouteEncoding } from '@morsel/api/values/routing.ts';
import { PrefixTable } from '../base/prefix-table.ts';

/** The match of a route. */
export interface RouteMatch {
  readonly prefix: string;
  /** A stored sender, or a prefix of senders with a trailing `*`; null for every sender. */
  readonly sender: string | null;
  /** The id of an account; null for every account. */
  readonly account: number | null;
  /** Null for both. */
  readonly encoding: RouteEncoding | null;
}

/** A carrier in a route. */
export interface RouteCarrier {
  readonly carrier: number;
  /** 1 comes first. The next rank is used only if this one is not up, or refuses a part. */
  readonly rank: number;
  /** Its share within its rank. */
  readonly weight: number;
  /** Its cost of a part. */
  readonly cost: Micros | null;
  /** After this wait for this rank, the next one may have a message; null for never. */
  readonly waitMs: number | null;
}

export interface Route extends RouteMatch {
  readonly id: number;
  readonly by: RankOrder;
  /** By rank, then in the order in which they were added. */
  readonly carriers: readonly RouteCarrier[];
}

/** What of a message decides its route. A question may leave the sender open; a message never does. */
export interface RouteQuestion {
  readonly receiver: string;
  readonly sender: string | null;
  readonly account: number;
  readonly encoding: string;
}

/** Routes arranged for look-ups by prefix: those for every message, and the narrower ones. */
export interface RouteTable {
  readonly routesByPrefix: PrefixTable<Route>;
  /** The narrowest first. */
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

/** The route of a message: longest prefix, then exact sender, beginning of a sender, any; then account, then encoding. */
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

/** Why a route with a matching prefix does not match: what it requires and the message lacks. */
type RouteMiss = 'sender' | 'account' | 'encoding';

export interface ConsideredRoute {
  readonly route: Route;
  /** Null if it matches: the first such route is the message's. */
  readonly miss: RouteMiss | null;
}

/** Every route with a prefix of the receiver, in the order of precedence. */
export function considerRoutes(table: RouteTable, message: RouteQuestion): readonly ConsideredRoute[] {
  const routes = [...table.narrowRoutes.all(message.receiver).flat(), ...table.routesByPrefix.all(message.receiver)];
  // A stable sort: within one prefix the narrow ones stay first.
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

/** An exact sender is narrower than any beginning of one, and a long beginning narrower than a short one. */
function senderNarrowness(sender: string | null): number {
  if (sender === null) return 0;
  return sender.endsWith(anyEnding) ? sender.length : Number.MAX_SAFE_INTEGER;
}

/** The key of a route: no two current routes share one. */
export function routeKey({ prefix, sender, account, encoding }: RouteMatch): string {
  return `${prefix} ${account ?? ''} ${encoding ?? ''} ${sender ?? ''}`;
}
