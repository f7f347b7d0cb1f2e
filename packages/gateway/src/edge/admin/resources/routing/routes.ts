import type { route } from '@morsel/api/admin/routing/route.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { parseSenderMatch } from '../../../../core/number/address.ts';
import { mayBegin } from '../../../../core/number/number-plan.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import type { RouteCarrier } from '../../../../core/routing/route.ts';
import type { NamedMatch } from '../../../../state/decide/routing/route.ts';
import { change, type ChangeNeeds } from '../../../../flow/change.ts';
import { invalid } from '../../../../state/decide/decided.ts';
import { present } from '../../../../operator/fields.ts';
import { followRoute, type WaitingNeeds } from '../../../../operator/message/waiting-messages.ts';

/* The operator's changes of routes. Before the answer, a change is also applied to messages that wait on the route. */

type Operations = typeof route.operations;
type Needs = ChangeNeeds & WaitingNeeds;

/**
 * Makes a route, or adds a carrier to the route with the same match. Waiting messages may use the new carrier at once.
 */
export async function addRoute(
  needs: Needs,
  input: InputOf<Operations['add']>,
): Promise<Result<AnswerOf<Operations['add']>, Rejection>> {
  const match = matchOf(input);
  if (!match.ok) return match;
  const unknown = unknownPrefix('prefix', input.prefix);
  if (unknown) return unknown;
  const { carrier, rank, weight, cost = null, after = null, by = null } = input;
  const at = needs.clock.now();
  const place = { carrier, rank, weight, cost, waitMs: waitMsOf(after), by };
  const added = await change<'add-route'>(needs, { kind: 'add-route', at, ...match.value, ...place });
  if (!added.ok) return added;
  const { id, isJoined } = added.value;
  const followed = isJoined ? await followRoute(needs, { route: id, changedAt: at, forgets: 'rounds' }) : added;
  return followed.ok ? ok(input) : followed;
}

/**
 * Changes a route, and returns its carriers before and after the change. Ends when the change is applied to all waiting
 * messages of the route. If the process stops too early, the next start applies the change to the remaining messages.
 */
export async function setRoute(
  needs: Needs,
  input: InputOf<Operations['set']>,
): Promise<Result<AnswerOf<Operations['set']>, Rejection>> {
  const match = matchOf(input);
  if (!match.ok) return match;
  const newSender = senderIn('newSender', input.newSender);
  if (!newSender.ok) return newSender;
  const unknown = unknownPrefix('newPrefix', input.newPrefix);
  if (unknown) return unknown;
  const { carrier = null, newCarrier, by, rank, weight, cost, after, newPrefix, newAccount, newEncoding } = input;
  const settings = present({ rank, weight, cost, waitMs: waitMsOf(after) });
  const newMatch = present({
    prefix: newPrefix,
    sender: newSender.value,
    account: newAccount,
    encoding: newEncoding,
  });
  if (Object.keys({ ...present({ newCarrier, by }), ...settings, ...newMatch }).length === 0) return nothingToChange;
  const before = needs.snapshot();
  const at = needs.clock.now();
  const wanted = { ...match.value, carrier, newCarrier, settings, by, newMatch };
  const set = await change<'set-route'>(needs, { kind: 'set-route', at, ...wanted });
  if (!set.ok) return set;
  const { id, isJoined } = set.value;
  const followed = await followRoute(needs, { route: id, changedAt: at, forgets: isJoined ? 'rounds' : 'nothing' });
  if (!followed.ok) return followed;
  return ok({ before: carriersOf(before, id), after: carriersOf(needs.snapshot(), id), moved: followed.value });
}

const nothingToChange = refused({
  code: 'malformed_request',
  detail:
    'name a setting to change: rank, weight, cost, after or by, or a new carrier, prefix, sender, account or encoding',
} as const);

/** Removes a route, or one carrier of it. */
export async function removeRoute(
  needs: ChangeNeeds,
  input: InputOf<Operations['remove']>,
): Promise<Result<AnswerOf<Operations['remove']>, Rejection>> {
  const match = matchOf(input);
  if (!match.ok) return match;
  const { carrier = null } = input;
  const at = needs.clock.now();
  const removed = await change<'remove-route'>(needs, { kind: 'remove-route', at, ...match.value, carrier });
  return removed.ok ? ok(input) : removed;
}

function matchOf(input: InputOf<Operations['remove']>): Result<NamedMatch, Rejection> {
  const { prefix, account = null, encoding = null } = input;
  const sender = senderIn('sender', input.sender);
  return sender.ok ? ok({ prefix, sender: sender.value ?? null, account, encoding }) : sender;
}

/** A route for numbers that cannot exist is a slip of the operator: its messages would take another route. */
function unknownPrefix(field: string, prefix: string | undefined) {
  if (prefix === undefined || mayBegin(prefix)) return undefined;
  return invalid(field, `must begin with a country code: no country has one that begins with ${prefix.slice(0, 3)}`);
}

function senderIn<T extends null | undefined>(field: string, given: string | T): Result<string | T, Rejection> {
  if (typeof given !== 'string') return ok(given);
  const sender = parseSenderMatch(given);
  return sender.ok ? sender : invalid(field, sender.error);
}

function waitMsOf<T extends null | undefined>(seconds: number | T): number | T {
  return typeof seconds === 'number' ? seconds * secondMs : seconds;
}

/** The settings of a carrier in a route, for the operator. */
export function placeOf({ rank, weight, cost, waitMs }: Omit<RouteCarrier, 'carrier'>) {
  return { rank, weight, cost, after: waitMs === null ? null : waitMs / secondMs };
}

function carriersOf({ routes, carriers, accounts }: Snapshot, id: number): AnswerOf<Operations['set']>['before'] {
  const found = routes.get(id);
  if (!found) return [];
  const account = found.account === null ? null : (accounts.get(found.account)?.name ?? null);
  const carrierName = (carrier: number) => carriers.get(carrier)?.name ?? '';
  return found.carriers.map((each) => ({ ...found, ...placeOf(each), account, carrier: carrierName(each.carrier) }));
}
