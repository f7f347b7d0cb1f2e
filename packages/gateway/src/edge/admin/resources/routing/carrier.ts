import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { carrierNamed } from '../../../../core/named.ts';
import { decideOperation, viewed } from '../../direct.ts';
import { carrierChange, newCarrier } from './carrier-settings.ts';
import { rebindCarrier, testCarrier } from './control.ts';
import { pageOf } from '../../../../store/views/page.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';
import { carrierRow, carrierRows, type ShownCarrier } from '../../carrier-rows.ts';

/* The handlers of carriers. An operation that changes a carrier returns its new state. */

export const carrierHandlers: Handlers<'carrier'> = {
  /** The links start to connect at once. */
  add: async (needs, input) => {
    const made = newCarrier(input);
    return rowAfter(
      needs,
      input.name,
      made.ok ? await decideOperation(needs, 'carrier.add', { input, made: made.value }) : made,
    );
  },
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
  /**
   * The links use the new settings at once. A link that must bind again first waits for the answers in its window.
   */
  set: async (needs, input) => {
    const before = carrierNamed(needs.snapshot(), input.carrier);
    const made = carrierChange(input, before.ok ? before.value : undefined);
    const { carrier } = input;
    return rowAfter(
      needs,
      carrier,
      made.ok ? await decideOperation(needs, 'carrier.set', { input, made: made.value }) : made,
    );
  },
  test: testCarrier,
  cost: (needs, input) => viewed('carrier.cost')({ ...needs, reader: needs.prices }, input),
  pause: (needs, input) => changed(needs, 'carrier.pause', input),
  resume: (needs, input) => changed(needs, 'carrier.resume', input),
  /** Waits for the answers in the window, and unbinds. The links stay unbound until `resume`, even after a restart. */
  drain: async (needs, input) => {
    const set = await decideOperation(needs, 'carrier.drain', { input, made: undefined });
    const carrier = carrierNamed(needs.snapshot(), input.carrier);
    if (set.ok && carrier.ok) await needs.control.settled(carrier.value.id);
    return rowAfter(needs, input.carrier, set);
  },
  rebind: async (needs, input) => rowAfter(needs, input.carrier, await rebindCarrier(needs, input)),
};

async function changed(
  needs: OperatorNeeds,
  operation: 'carrier.pause' | 'carrier.resume',
  input: { readonly carrier: string },
): Promise<Result<ShownCarrier, Rejection>> {
  return rowAfter(needs, input.carrier, await decideOperation(needs, operation, { input, made: undefined }));
}

/** Returns the carrier after a change. */
async function rowAfter(
  needs: Pick<OperatorNeeds, 'reader' | 'links'>,
  name: string,
  done: Result<unknown, Rejection>,
): Promise<Result<ShownCarrier, Rejection>> {
  return done.ok ? carrierRow(needs, name) : done;
}
