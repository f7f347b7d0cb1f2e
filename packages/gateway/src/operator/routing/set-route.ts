import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { change } from '../administer.ts';
import type { AdministerNeeds } from '../administer.ts';
import { readFields } from '../fields.ts';
import type { Fields } from '../fields.ts';
import { setRouteFields } from './route-fields.ts';
import { followRoute } from '../message/waiting-messages.ts';
import type { WaitingNeeds } from '../message/waiting-messages.ts';

/** A route that was changed, and how many of the messages that wait on it changed their place with it. */
interface ChangedRoute {
  readonly id: number;
  readonly moved: number;
}

/**
 * Changes a route in place. Waiting messages use its current carriers at once. It ends when all of them have the place
 * that a new message would have; the next start finishes an interrupted change.
 */
export async function setRoute(
  needs: AdministerNeeds & WaitingNeeds,
  fields: Fields,
): Promise<Result<ChangedRoute, Rejection>> {
  const read = readFields(setRouteFields, fields);
  if (!read.ok) return read;
  const { prefix, sender, account, encoding, carrier, newCarrier, by, ...rest } = read.value;
  const { rank, weight, cost, after } = rest;
  const settings = given({ rank, weight, cost, waitMs: typeof after === 'number' ? after * secondMs : after });
  const { newPrefix, newSender, newAccount, newEncoding } = rest;
  const newMatch = given({ prefix: newPrefix, sender: newSender, account: newAccount, encoding: newEncoding });
  const isEmpty =
    newCarrier === undefined && by === undefined && Object.keys({ ...settings, ...newMatch }).length === 0;
  if (isEmpty) {
    const detail =
      'name a setting to change: rank, weight, cost, after or by, or a new carrier, prefix, sender, account or encoding';
    return refused({ code: 'malformed_request', detail });
  }
  const match = { prefix, sender, account, encoding };
  const command = { ...match, carrier, newCarrier, settings, by, newMatch };
  const at = needs.clock.now();
  const set = await change<'set-route'>(needs, { kind: 'set-route', at, ...command });
  if (!set.ok) return set;
  const { id, isJoined } = set.value;
  const followed = await followRoute(needs, { route: id, changedAt: at, forgets: isJoined ? 'rounds' : 'nothing' });
  return followed.ok ? ok({ id, moved: followed.value }) : followed;
}

/** Without what was left to itself. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Each member that is left has its value: this is the maker of the type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
