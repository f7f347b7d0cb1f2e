import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { toMessageId } from '../../../../core/base/message-id.ts';
import { addCarrier, setCarrier, setCarrierStatus } from './carrier-settings.ts';
import { drainCarrier, rebindCarrier, testCarrier } from './control.ts';
import { invalid } from '../../../../state/decide/decided.ts';
import { pageOf } from '../../../../store/views/page.ts';
import type { Handlers } from '../../bind.ts';
import { carrierRow, carrierRows, unknownCarrier, type CarrierNeeds, type ShownCarrier } from '../../carrier-rows.ts';

/* The handlers of carriers. An operation that changes a carrier returns its new state. */

export const carrierHandlers: Handlers<'carrier'> = {
  add: async (needs, input) => rowAfter(needs, input.name, await addCarrier(needs, input)),
  list: async (needs, { after = '', limit }) => {
    const rows = await carrierRows(needs);
    if (!rows.ok) return rows;
    // The carriers are sorted by name, and are few enough to filter here.
    return ok(
      pageOf(
        rows.value.filter(({ name }) => name > after),
        limit,
        ({ name }) => name,
      ),
    );
  },
  show: (needs, { carrier }) => carrierRow(needs, carrier),
  set: async (needs, input) => rowAfter(needs, input.carrier, await setCarrier(needs, input)),
  test: testCarrier,
  cost: async (needs, { carrier, from, to: given, by, after }) => {
    const now = needs.clock.now();
    if (from > now) return invalid('from', 'must be a time in the past');
    const to = given ?? now;
    if (to <= from) return invalid('to', 'must be later than from');
    const owner = await carrierRow(needs, carrier);
    if (!owner.ok) return owner;
    const next = after === undefined ? null : toMessageId(Number(after));
    const found = await needs.prices.ask('carrierCosts', { carrier, from, to, by, next });
    if (!found.ok) return found;
    const costs = found.value.costs.map(({ unitCost, ofGroup: group, parts }) => ({
      group,
      unitCost: unitCost?.amount ?? null,
      currency: unitCost?.currency ?? null,
      parts,
    }));
    const { costList } = owner.value;
    const following = found.value.next === null ? null : String(found.value.next);
    return ok({ carrier, costList, from, to, costs, next: following });
  },
  learned: async (needs, { carrier }) => {
    const found = await needs.reader.ask('learned', carrier);
    if (!found.ok) return found;
    if (!found.value) return unknownCarrier(carrier);
    const { evidence, run, ...learned } = found.value;
    const shown = (pairs: typeof evidence) => pairs.map((pair) => ({ ...pair, msgId: String(pair.message) }));
    return ok({ ...learned, evidence: shown(evidence), run: shown(run) });
  },
  pause: async (needs, one) => rowAfter(needs, one.carrier, await setCarrierStatus(needs, one, 'paused')),
  resume: async (needs, one) => rowAfter(needs, one.carrier, await setCarrierStatus(needs, one, 'active')),
  drain: async (needs, one) => rowAfter(needs, one.carrier, await drainCarrier(needs, one)),
  rebind: async (needs, input) => rowAfter(needs, input.carrier, await rebindCarrier(needs, input)),
  remove: (needs, one) => setCarrierStatus(needs, one, 'removed'),
};

/** Returns the carrier after a change. */
async function rowAfter(
  needs: CarrierNeeds,
  name: string,
  done: Result<unknown, Rejection>,
): Promise<Result<ShownCarrier, Rejection>> {
  return done.ok ? carrierRow(needs, name) : done;
}
