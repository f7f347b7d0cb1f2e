/* Decides the operator's commands about carriers. */

import { carrierByName } from '../../tables/route.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { checkCarrier } from '../../../core/routing/carrier.ts';
import { profileOf } from '../../../core/routing/carrier-profile.ts';
import type { AddCarrier, SetCarrier, SetCarrierStatus } from '../../commands/carrier.ts';
import { carrierTable } from '../../tables/route.ts';
import type { CarrierRow } from '../../tables/route.ts';
import { rewrite, touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { exists, inUse, missing } from '../decided.ts';
import type { Decided } from '../decided.ts';
import type { Results } from '../../commands/commands.ts';
import { forgetLearned } from './learning.ts';

export function decideAddCarrier(rows: Rows, command: AddCarrier): Decided<Results['add-carrier']> {
  if (rows.one(carrierByName, command.name)) return exists(`a carrier named ${command.name} exists already`);
  const { kind: _kind, at, costList, ...settings } = command;
  const list = costListNamed(rows, costList ?? null);
  if (!list.ok) return list;
  const row = rows.add(carrierTable, {
    id: rows.counters.carrier++,
    ...settings,
    costList: list.value,
    createdAt: at,
    status: 'active',
  });
  return ok({ id: row.id });
}

export function decideSetCarrier(rows: Rows, command: SetCarrier): Decided<Results['set-carrier']> {
  const row = rows.one(carrierByName, command.carrier);
  if (!row) return missing(`there is no carrier named ${command.carrier}`);
  const before = command.preset === undefined ? row.profile : profileOf(command.preset);
  const changed = checkCarrier({ ...row, ...command.settings, profile: { ...before, ...command.profile } });
  if (!changed.ok) return changed;
  const list = command.costList === undefined ? ok(row.costList) : costListNamed(rows, command.costList);
  if (!list.ok) return list;
  rewrite(row, { ...command.settings, profile: changed.value.profile, costList: list.value });
  if (command.settings.idRule !== undefined) forgetLearned(rows, row.id, command.settings.idRule);
  return ok(null);
}

export function decideSetCarrierStatus(rows: Rows, command: SetCarrierStatus): Decided<Results['set-carrier-status']> {
  const row = rows.one(carrierByName, command.carrier);
  if (!row) return missing(`there is no carrier named ${command.carrier}`);
  if (command.status === 'removed') {
    const reason = reasonToKeep(rows, row);
    if (reason !== undefined) return inUse(reason);
  }
  row.status = command.status;
  touch(row);
  return ok(null);
}

/** Finds the price list that contains the costs of a carrier. */
function costListNamed(rows: Rows, list: string | null): Result<number | null, Rejection> {
  if (list === null) return ok(null);
  const found = rows.pricing.listsByName.get(list);
  return found ? ok(found.id) : missing(`there is no price list named ${list}: import its costs first`);
}

function reasonToKeep(rows: Rows, { id, name }: CarrierRow): string | undefined {
  for (const route of rows.routesByKey.values()) {
    const isIn = route.carriers.some((each) => each.carrier === id && each.removedAt === null);
    if (isIn) return `carrier ${name} has a route for prefix ${shownPrefix(route.prefix)}: remove the route first`;
  }
  if (rows.carriersInUse.has(id))
    return `messages still wait for carrier ${name} or for its answers: wait until they have ended`;
  return undefined;
}

/** The prefix as text, with `(any)` for the empty prefix. */
export function shownPrefix(prefix: string): string {
  return prefix === '' ? '(any)' : prefix;
}
