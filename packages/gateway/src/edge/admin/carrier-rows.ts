import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { carrier } from '@morsel/api/admin/routing/carrier.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { noCarrier } from '../../core/named.ts';
import type { OperatorNeeds } from './operator-needs.ts';

/* Carriers for the operator: their settings and figures from the store, and the state of their running links. */

export type ShownCarrier = AnswerOf<typeof carrier.operations.show>;

export async function carrierRow(
  needs: Pick<OperatorNeeds, 'reader' | 'links'>,
  wanted: string,
): Promise<Result<ShownCarrier, Rejection>> {
  const rows = await carrierRows(needs, wanted);
  if (!rows.ok) return rows;
  const [found] = rows.value;
  return found ? ok(found) : noCarrier(wanted);
}

/** Returns all carriers, or only the carrier with a name, with their running links. */
export async function carrierRows(
  needs: Pick<OperatorNeeds, 'reader' | 'links'>,
  name?: string,
): Promise<Result<readonly ShownCarrier[], Rejection>> {
  const found = await needs.reader.ask('carriers', name);
  if (!found.ok) return found;
  const links = needs.links();
  return ok(
    found.value.map(({ settings, ...carrier }) => ({
      ...carrier,
      ...kindOf(settings).shown(settings),
      costList: carrier.costListName,
      linkStates: (links.get(carrier.id) ?? []).map((link) => ({
        ...link,
        pace: link.pace === null ? null : Math.round(link.pace * 10) / 10,
        inDoubt: carrier.inDoubtByLink.get(link.link) ?? 0,
      })),
    })),
  );
}
