/* Decides commands about routes. */

import { carrierByName } from '../../tables/route.ts';
import { accountByName } from '../../tables/account.ts';
import { routeKey } from '../../../core/routing/route.ts';
import type { RouteMatch } from '../../../core/routing/route.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { AddRoute, NamedMatch, RemoveRoute, SetRoute } from '../../commands/carrier.ts';
import type { RouteToFollow } from '../../commands/waiting.ts';
import { rewrite, touch } from '../../tables/rows.ts';
import type { RouteCarrierRow, RouteRow } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import { conflict, exists, missing } from '../decided.ts';
import type { Decided } from '../decided.ts';
import type { Results } from '../../commands/commands.ts';
import { shownPrefix } from './carrier.ts';

/** The most carriers of one route. Each claim looks at all of them. */
const carriersMax = 16;

/** Creates a route, or adds a carrier to a route. A carrier that was in the route before gets the new settings. */
export function decideAddRoute(rows: Rows, command: AddRoute): Decided<Results['add-route']> {
  const carrier = rows.one(carrierByName, command.carrier);
  if (!carrier) return missing(`there is no carrier named ${command.carrier}`);
  const match = matchOf(rows, command);
  if (!match.ok) return match;
  const route = rows.routesByKey.get(routeKey(match.value)) ?? newRoute(rows, match.value, command);
  const members = route.carriers.filter((each) => each.removedAt === null);
  if (members.some((each) => each.carrier === carrier.id)) {
    return exists(
      `${shownMatch(command)} already has a route through ${command.carrier}: change that route with route set`,
    );
  }
  if (members.length >= carriersMax) {
    return conflict(`${shownMatch(command)} already has a route with ${carriersMax} carriers, which is the maximum`);
  }
  const { rank, weight, cost, waitMs, at } = command;
  putMember(route, { carrier: carrier.id, rank, weight, cost, waitMs, createdAt: at, removedAt: null });
  if (command.by !== null && command.by !== route.by) rewrite(route, { by: command.by });
  if (members.length > 0) follow(route, { changedAt: at, forgets: 'rounds' });
  return ok({ id: route.id, isJoined: members.length > 0 });
}

function newRoute(rows: Rows, match: RouteMatch, command: AddRoute): RouteRow {
  const { prefix, sender, account, encoding } = match;
  const row: RouteRow = {
    change: 'new',
    id: rows.counters.route++,
    prefix,
    sender,
    account,
    encoding,
    by: command.by ?? 'weight',
    carriers: [],
    createdAt: command.at,
    removedAt: null,
  };
  rows.routesByKey.set(routeKey(match), row);
  return row;
}

/** Changes a route. Messages that wait on the route stay there, and may go to its new carriers from now on. */
export function decideSetRoute(rows: Rows, command: SetRoute): Decided<Results['set-route']> {
  const match = matchOf(rows, command);
  if (!match.ok) return match;
  const route = rows.routesByKey.get(routeKey(match.value));
  if (!route) return missing(`there is no route for ${shownMatch(command)}`);
  const joined = command.newCarrier === undefined ? undefined : rows.one(carrierByName, command.newCarrier);
  if (command.newCarrier !== undefined && !joined) return missing(`there is no carrier named ${command.newCarrier}`);
  const newMatch = newMatchOf(rows, route, command);
  if (!newMatch.ok) return newMatch;
  const changed = changeMember(rows, route, { command, joined: joined?.id });
  if (!changed.ok) return changed;
  rows.routesByKey.delete(routeKey(route));
  rewrite(route, { ...newMatch.value, by: command.by ?? route.by });
  rows.routesByKey.set(routeKey(route), route);
  follow(route, { changedAt: command.at, forgets: changed.value ? 'rounds' : 'nothing' });
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
  const members = route.carriers.filter((each) => each.removedAt === null);
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
  putMember(route, { carrier: joined, ...place, createdAt: at, removedAt: null });
  return ok(true);
}

function putMember(route: RouteRow, member: Omit<RouteCarrierRow, 'change' | 'route'>): void {
  const known = route.carriers.find((each) => each.carrier === member.carrier);
  if (known) rewrite(known, member);
  else route.carriers.push({ change: 'new', route: route.id, ...member });
}

/**
 * Lets the waiting messages of a changed route follow. The stronger of two changes counts, because the messages may not
 * have followed the earlier one yet.
 */
function follow(route: RouteRow, { changedAt, forgets }: Pick<RouteToFollow, 'changedAt' | 'forgets'>): void {
  const { toFollow } = route;
  if (!toFollow) {
    route.toFollow = { change: 'new', route: route.id, changedAt, forgets };
    return;
  }
  toFollow.changedAt = changedAt;
  if (forgets === 'rounds') toFollow.forgets = forgets;
  touch(toFollow);
}

/** The new match of the route. No other route may have the same match. */
function newMatchOf(rows: Rows, route: RouteRow, command: SetRoute): Result<RouteMatch, Rejection> {
  const { prefix, sender, account, encoding } = command;
  const wanted = { prefix, sender, account, encoding, ...command.newMatch };
  const match = matchOf(rows, wanted);
  if (!match.ok) return match;
  const other = rows.routesByKey.get(routeKey(match.value));
  return other && other !== route ? exists(`there is a route for ${shownMatch(wanted)} already`) : match;
}

/**
 * Removes a carrier from a route, or the whole route. Messages that wait on a removed route still go to its carriers.
 */
export function decideRemoveRoute(rows: Rows, command: RemoveRoute): Decided<Results['remove-route']> {
  const match = matchOf(rows, command);
  if (!match.ok) return match;
  const route = rows.routesByKey.get(routeKey(match.value));
  if (!route) return missing(`there is no route for ${shownMatch(command)}`);
  const members = route.carriers.filter((each) => each.removedAt === null);
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
  rows.removedRoutes.push(route);
  rows.routesByKey.delete(routeKey(match.value));
  return ok({ id: route.id });
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
