/* Decides commands about routes. */

import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { RouteCarrier, RouteMatch } from '../../../core/routing/route.ts';
import type { Reads } from '../../rows/reads.ts';
import { accountByName } from '../../tables/account.ts';
import {
  carrierByName,
  carriersOfRoute,
  matchValues,
  routeByMatch,
  routeCarrierTable,
  routeTable,
  routeToFollow,
  routeToFollowTable,
  type RouteCarrierRow,
  type RouteRow,
  type RouteToFollow,
} from '../../tables/route.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { conflict, exists, missing, type Decided } from '../decided.ts';
import { shownPrefix } from './carrier.ts';

/** The most carriers of one route. Each claim looks at all of them. */
const carriersMax = 16;

/** The match of a route, with the account by name. */
export interface NamedMatch extends Omit<RouteMatch, 'account'> {
  readonly account: string | null;
}

/** Makes a route, or adds a carrier to the route with this match. */
interface AddRoute extends NamedMatch, Omit<RouteCarrier, 'carrier'> {
  readonly at: Instant;
  readonly carrier: string;
  /** Null keeps the present order; a new route goes by weight. */
  readonly by: RankOrder | null;
}

interface ChangedRoute {
  readonly id: number;
  /** The route had carriers before, and got a new one. */
  readonly isJoined: boolean;
}

export const addRouteCommand = {
  isSetting: true,
  reads(read: Reads, command: AddRoute): void {
    read.one(carrierByName, command.carrier);
    readRoute(read, command);
  },
  decide: decideAddRoute,
};

/** Creates a route, or adds a carrier to a route. A carrier that was in the route before gets the new settings. */
function decideAddRoute(rows: Rows, command: AddRoute): Decided<ChangedRoute> {
  const carrier = rows.one(carrierByName, command.carrier);
  if (!carrier) return missing(`there is no carrier named ${command.carrier}`);
  const match = matchOf(rows, command);
  if (!match.ok) return match;
  const route = rows.one(routeByMatch, ...matchValues(match.value)) ?? newRoute(rows, match.value, command);
  const members = membersOf(rows, route);
  if (members.some((each) => each.carrier === carrier.id)) {
    return exists(
      `${shownMatch(command)} already has a route through ${command.carrier}: change that route with route set`,
    );
  }
  if (members.length >= carriersMax) {
    return conflict(`${shownMatch(command)} already has a route with ${carriersMax} carriers, which is the maximum`);
  }
  const { rank, weight, cost, waitMs, at } = command;
  putMember(rows, { route: route.id, carrier: carrier.id, rank, weight, cost, waitMs, createdAt: at, removedAt: null });
  if (command.by !== null && command.by !== route.by) rewrite(route, { by: command.by });
  if (members.length > 0) follow(rows, { route: route.id, changedAt: at, forgets: 'rounds' });
  return ok({ id: route.id, isJoined: members.length > 0 });
}

/** The carriers of a route that have not left it. */
function membersOf(rows: Rows, route: RouteRow): readonly RouteCarrierRow[] {
  return rows.all(carriersOfRoute, route.id).filter(({ removedAt }) => removedAt === null);
}

function newRoute(rows: Rows, match: RouteMatch, { by, at }: AddRoute): RouteRow {
  const id = rows.nextId(routeTable);
  // Only this group can know of it.
  rows.keep(carriersOfRoute, [id], []);
  rows.keep(routeToFollow, [id], []);
  return rows.add(routeTable, { id, ...match, by: by ?? 'weight', createdAt: at, removedAt: null });
}

/** Changes a route in place. Undefined members stay as they are. */
interface SetRoute extends NamedMatch {
  readonly at: Instant;
  /** The carrier whose settings change; null for the only carrier of the route. */
  readonly carrier: string | null;
  /** Replaces that carrier, with its rank, weight and wait. */
  readonly newCarrier: string | undefined;
  readonly settings: Partial<Omit<RouteCarrier, 'carrier'>>;
  readonly by: RankOrder | undefined;
  readonly newMatch: Partial<NamedMatch>;
}

export const setRouteCommand = {
  isSetting: true,
  reads(read: Reads, command: SetRoute): void {
    const { carrier, newCarrier, newMatch } = command;
    if (carrier !== null) read.one(carrierByName, carrier);
    if (newCarrier !== undefined) read.one(carrierByName, newCarrier);
    readRoute(read, command);
    readRoute(read, { ...command, ...newMatch });
  },
  decide: decideSetRoute,
};

/** Changes a route. Messages that wait on the route stay there, and may go to its new carriers from now on. */
function decideSetRoute(rows: Rows, command: SetRoute): Decided<ChangedRoute> {
  const match = matchOf(rows, command);
  if (!match.ok) return match;
  const route = rows.one(routeByMatch, ...matchValues(match.value));
  if (!route) return missing(`there is no route for ${shownMatch(command)}`);
  const joined = command.newCarrier === undefined ? undefined : rows.one(carrierByName, command.newCarrier);
  if (command.newCarrier !== undefined && !joined) return missing(`there is no carrier named ${command.newCarrier}`);
  const newMatch = newMatchOf(rows, route, command);
  if (!newMatch.ok) return newMatch;
  const changed = changeMember(rows, route, { command, joined: joined?.id });
  if (!changed.ok) return changed;
  rewrite(route, { ...newMatch.value, by: command.by ?? route.by });
  rows.moved(routeTable, route);
  follow(rows, { route: route.id, changedAt: command.at, forgets: changed.value ? 'rounds' : 'nothing' });
  return ok({ id: route.id, isJoined: changed.value });
}

/** Changes or replaces a carrier of the route. Returns whether the route got a new carrier. */
function changeMember(
  rows: Rows,
  route: RouteRow,
  { command, joined }: { readonly command: SetRoute; readonly joined: number | undefined },
): Result<boolean, Rejection> {
  const { carrier: name, settings, at } = command;
  if (name === null && joined === undefined && Object.keys(settings).length === 0) return ok(false);
  const members = membersOf(rows, route);
  if (name === null && members.length > 1) {
    const detail = `the route for ${shownMatch(command)} has ${members.length} carriers: use --carrier to say which carrier to change`;
    return refused({ code: 'invalid_parameter', field: 'carrier', detail });
  }
  const id = name === null ? members[0]?.carrier : rows.one(carrierByName, name)?.id;
  const member = members.find((each) => each.carrier === id);
  if (!member) return missing(`the route for ${shownMatch(command)} has no carrier named ${name}`);
  if (joined === undefined || joined === member.carrier) {
    rewrite(member, settings);
    return ok(false);
  }
  if (members.some((each) => each.carrier === joined)) {
    return exists(`the route for ${shownMatch(command)} has carrier ${command.newCarrier} already`);
  }
  member.removedAt = at;
  touch(member);
  const { rank, weight, waitMs } = member;
  const place = { rank, weight, waitMs, cost: null, ...settings };
  putMember(rows, { route: route.id, carrier: joined, ...place, createdAt: at, removedAt: null });
  return ok(true);
}

function putMember(rows: Rows, member: Omit<RouteCarrierRow, 'change'>): void {
  const known = rows.all(carriersOfRoute, member.route).find(({ carrier }) => carrier === member.carrier);
  if (!known) {
    rows.add(routeCarrierTable, member);
    return;
  }
  rewrite(known, member);
  rows.moved(routeCarrierTable, known);
}

/**
 * Lets the waiting messages of a changed route follow. The stronger of two changes counts, because the messages may not
 * have followed the earlier one yet.
 */
function follow(rows: Rows, change: RouteToFollow): void {
  const before = rows.one(routeToFollow, change.route);
  if (!before) {
    rows.add(routeToFollowTable, change);
    return;
  }
  before.changedAt = change.changedAt;
  if (change.forgets === 'rounds') before.forgets = change.forgets;
  touch(before);
}

/** The new match of the route. No other route may have the same match. */
function newMatchOf(rows: Rows, route: RouteRow, command: SetRoute): Result<RouteMatch, Rejection> {
  const { prefix, sender, account, encoding } = command;
  const wanted = { prefix, sender, account, encoding, ...command.newMatch };
  const match = matchOf(rows, wanted);
  if (!match.ok) return match;
  const other = rows.one(routeByMatch, ...matchValues(match.value));
  return other && other !== route ? exists(`there is a route for ${shownMatch(wanted)} already`) : match;
}

/** Removes a route, or one carrier of it. The route ends with its last carrier. */
interface RemoveRoute extends NamedMatch {
  readonly at: Instant;
  readonly carrier: string | null;
}

export const removeRouteCommand = {
  isSetting: true,
  reads(read: Reads, command: RemoveRoute): void {
    if (command.carrier !== null) read.one(carrierByName, command.carrier);
    readRoute(read, command);
  },
  decide: decideRemoveRoute,
};

/**
 * Removes a carrier from a route, or the whole route. Messages that wait on a removed route still go to its carriers.
 */
function decideRemoveRoute(rows: Rows, command: RemoveRoute): Decided<{ readonly id: number }> {
  const match = matchOf(rows, command);
  if (!match.ok) return match;
  const route = rows.one(routeByMatch, ...matchValues(match.value));
  if (!route) return missing(`there is no route for ${shownMatch(command)}`);
  const members = membersOf(rows, route);
  if (command.carrier !== null) {
    const id = rows.one(carrierByName, command.carrier)?.id;
    const member = members.find((each) => each.carrier === id);
    if (!member) return missing(`the route for ${shownMatch(command)} has no carrier named ${command.carrier}`);
    if (members.length > 1) {
      member.removedAt = command.at;
      touch(member);
      return ok({ id: route.id });
    }
  }
  route.removedAt = command.at;
  touch(route);
  return ok({ id: route.id });
}

/** The route with this match, its carriers, and whether waiting messages have to follow it. */
function readRoute(read: Reads, named: NamedMatch): void {
  const account = named.account === null ? null : read.one(accountByName, named.account)?.id;
  if (account === undefined) return;
  const route = read.one(routeByMatch, ...matchValues({ ...named, account }));
  if (!route) return;
  read.all(carriersOfRoute, route.id);
  read.one(routeToFollow, route.id);
}

function matchOf(rows: Rows, { prefix, sender, account: name, encoding }: NamedMatch): Result<RouteMatch, Rejection> {
  if (name === null) return ok({ prefix, sender, account: null, encoding });
  const account = rows.one(accountByName, name);
  if (!account) return missing(`there is no account named ${name}`);
  return ok({ prefix, sender, account: account.id, encoding });
}

function shownMatch({ prefix, sender, account, encoding }: NamedMatch): string {
  return [
    `prefix ${shownPrefix(prefix)}`,
    sender === null ? '' : `sender ${sender}`,
    account === null ? '' : `account ${account}`,
    encoding === null ? '' : `encoding ${encoding}`,
  ]
    .filter((each) => each !== '')
    .join(', ');
}
