/* What the operations on routes do. */

import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { OperationNamed } from '@morsel/api/admin/resources.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { RouteCarrier, RouteMatch } from '../../../core/routing/route.ts';
import { noAccount, noCarrier } from '../../../core/named.ts';
import { accountById, accountByName } from '../../tables/account.ts';
import {
  carrierById,
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
import { conflict, exists, missing, present } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { shownPrefix } from './carrier.ts';

/** The most carriers of one route. Each claim looks at all of them. */
const carriersMax = 16;

/** The match of a route, with the account by name. */
interface NamedMatch extends Omit<RouteMatch, 'account'> {
  readonly account: string | null;
}

/** `made` is the sender in the form that is stored. */
const add: Decision<'route.add', string | null> = (rows, input, { at, made: sender }) => {
  const { rank, weight, cost = null, after = null, by = null } = input;
  const wanted = namedMatch(input, sender);
  const carrier = rows.one(carrierByName, input.carrier);
  if (!carrier) return noCarrier(input.carrier);
  const match = matchOf(rows, wanted);
  if (!match.ok) return match;
  const route = rows.one(routeByMatch, ...matchValues(match.value)) ?? newRoute(rows, match.value, { by, at });
  const members = membersOf(rows, route);
  if (members.some((each) => each.carrier === carrier.id)) {
    return exists(
      `${shownMatch(wanted)} already has a route through ${input.carrier}: change that route with route set`,
    );
  }
  if (members.length >= carriersMax) {
    return conflict(`${shownMatch(wanted)} already has a route with ${carriersMax} carriers, which is the maximum`);
  }
  const place = { rank, weight, cost, waitMs: waitMsOf(after) };
  putMember(rows, { route: route.id, carrier: carrier.id, ...place, createdAt: at, removedAt: null });
  if (by !== null && by !== route.by) rewrite(route, { by });
  if (members.length > 0) follow(rows, { route: route.id, changedAt: at, forgets: 'rounds' });
  return ok(input);
};

function namedMatch(
  { prefix, account, encoding }: InputOf<OperationNamed<'route.remove'>>,
  sender: string | null,
): NamedMatch {
  return { prefix, sender, account: account ?? null, encoding: encoding ?? null };
}

function waitMsOf<T extends null | undefined>(seconds: number | T): number | T {
  return typeof seconds === 'number' ? seconds * secondMs : seconds;
}

/** The carriers of a route that have not left it. */
function membersOf(rows: Rows, route: RouteRow): readonly RouteCarrierRow[] {
  return rows.all(carriersOfRoute, route.id).filter(({ removedAt }) => removedAt === null);
}

function newRoute(
  rows: Rows,
  match: RouteMatch,
  { by, at }: { readonly by: RankOrder | null; readonly at: Instant },
): RouteRow {
  const id = rows.nextId(routeTable);
  // Only this group can know of it.
  rows.keep(carriersOfRoute, [id], []);
  rows.keep(routeToFollow, [id], []);
  return rows.add(routeTable, { id, ...match, by: by ?? 'weight', createdAt: at, removedAt: null });
}

/** The sender of a route, and a new one, in the form that is stored. */
export interface MadeSenders {
  readonly sender: string | null;
  readonly newSender: string | null | undefined;
}

/** Messages that wait on the route stay there, and may go to its new carriers from now on. */
const set: Decision<'route.set', MadeSenders> = (rows, input, { at, made }) => {
  const { newCarrier, by, newPrefix: prefix, newAccount: account, newEncoding: encoding } = input;
  const newMatch = present({ prefix, sender: made.newSender, account, encoding });
  const settings = placeIn(input);
  if (Object.keys({ ...present({ newCarrier, by }), ...settings, ...newMatch }).length === 0) return nothingToChange;
  const wanted = namedMatch(input, made.sender);
  const match = matchOf(rows, wanted);
  if (!match.ok) return match;
  const route = rows.one(routeByMatch, ...matchValues(match.value));
  if (!route) return missing(`there is no route for ${shownMatch(wanted)}`);
  const joined = newCarrier === undefined ? undefined : rows.one(carrierByName, newCarrier);
  if (newCarrier !== undefined && !joined) return noCarrier(newCarrier);
  const next = newMatchOf(rows, route, { ...wanted, ...newMatch });
  if (!next.ok) return next;
  const before = shownCarriers(rows, route);
  const changed = changeMember(rows, route, { input, wanted, at, joined: joined?.id });
  if (!changed.ok) return changed;
  rewrite(route, { ...next.value, by: by ?? route.by });
  rows.moved(routeTable, route);
  follow(rows, { route: route.id, changedAt: at, forgets: changed.value ? 'rounds' : 'nothing' });
  return ok({ before, after: shownCarriers(rows, route), moved: 0 });
};

const nothingToChange = refused({
  code: 'malformed_request',
  detail:
    'name a setting to change: rank, weight, cost, after or by, or a new carrier, prefix, sender, account or encoding',
} as const);

type SetInput = InputOf<OperationNamed<'route.set'>>;

/** The settings of the carrier that change. */
function placeIn({ rank, weight, cost, after }: SetInput) {
  return present({ rank, weight, cost, waitMs: waitMsOf(after) });
}

/** The carriers of a route, in the order of the list. */
function shownCarriers(rows: Rows, route: RouteRow): AnswerOf<OperationNamed<'route.set'>>['before'] {
  const account = route.account === null ? null : (rows.one(accountById, route.account)?.name ?? null);
  const members = membersOf(rows, route).toSorted(
    (one, other) => one.rank - other.rank || one.createdAt - other.createdAt || one.carrier - other.carrier,
  );
  return members.map((each) => ({
    ...route,
    ...placeOf(each),
    account,
    carrier: rows.one(carrierById, each.carrier)?.name ?? '',
  }));
}

/** The settings of a carrier in a route, as operators see them. */
export function placeOf({ rank, weight, cost, waitMs }: Omit<RouteCarrier, 'carrier'>) {
  return { rank, weight, cost, after: waitMs === null ? null : waitMs / secondMs };
}

interface MemberChange {
  readonly input: SetInput;
  readonly wanted: NamedMatch;
  readonly at: Instant;
  /** The carrier that replaces the present one. */
  readonly joined: number | undefined;
}

/** Changes or replaces a carrier of the route. Returns whether the route got a new carrier. */
function changeMember(
  rows: Rows,
  route: RouteRow,
  { input, wanted, at, joined }: MemberChange,
): Result<boolean, Rejection> {
  const { carrier: name = null } = input;
  const settings = placeIn(input);
  if (name === null && joined === undefined && Object.keys(settings).length === 0) return ok(false);
  const members = membersOf(rows, route);
  if (name === null && members.length > 1) {
    const detail = `the route for ${shownMatch(wanted)} has ${members.length} carriers: use --carrier to say which carrier to change`;
    return refused({ code: 'invalid_parameter', field: 'carrier', detail });
  }
  const id = name === null ? members[0]?.carrier : rows.one(carrierByName, name)?.id;
  const member = members.find((each) => each.carrier === id);
  if (!member) return missing(`the route for ${shownMatch(wanted)} has no carrier named ${name}`);
  if (joined === undefined || joined === member.carrier) {
    rewrite(member, settings);
    return ok(false);
  }
  if (members.some((each) => each.carrier === joined)) {
    return exists(`the route for ${shownMatch(wanted)} has carrier ${input.newCarrier} already`);
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
function newMatchOf(rows: Rows, route: RouteRow, wanted: NamedMatch): Result<RouteMatch, Rejection> {
  const match = matchOf(rows, wanted);
  if (!match.ok) return match;
  const other = rows.one(routeByMatch, ...matchValues(match.value));
  return other && other !== route && other.id !== route.id
    ? exists(`there is a route for ${shownMatch(wanted)} already`)
    : match;
}

/**
 * Removes a carrier from a route, or the whole route, which ends with its last carrier. Messages that wait on a removed route
 * still go to its carriers.
 */
const remove: Decision<'route.remove', string | null> = (rows, input, { at, made: sender }) => {
  const wanted = namedMatch(input, sender);
  const match = matchOf(rows, wanted);
  if (!match.ok) return match;
  const route = rows.one(routeByMatch, ...matchValues(match.value));
  if (!route) return missing(`there is no route for ${shownMatch(wanted)}`);
  const members = membersOf(rows, route);
  if (input.carrier !== undefined) {
    const id = rows.one(carrierByName, input.carrier)?.id;
    const member = members.find((each) => each.carrier === id);
    if (!member) return missing(`the route for ${shownMatch(wanted)} has no carrier named ${input.carrier}`);
    if (members.length > 1) {
      member.removedAt = at;
      touch(member);
      return ok(input);
    }
  }
  route.removedAt = at;
  touch(route);
  return ok(input);
};

export const routeDecisions = { 'route.add': add, 'route.set': set, 'route.remove': remove };

function matchOf(rows: Rows, { prefix, sender, account: name, encoding }: NamedMatch): Result<RouteMatch, Rejection> {
  if (name === null) return ok({ prefix, sender, account: null, encoding });
  const account = rows.one(accountByName, name);
  if (!account) return noAccount(name);
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
