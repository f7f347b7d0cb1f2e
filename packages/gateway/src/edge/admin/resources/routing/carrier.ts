import { sharedFields, usualKind, type SharedSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';
import { givenOf } from '@morsel/api/admin/routing/kinds/kind.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { carrierNamed } from '../../../../core/named.ts';
import { decideOperation, viewed } from '../../direct.ts';
import { settingsReader } from '../../../carriers/kinds.ts';
import { rebindCarrier, testCarrier } from './control.ts';
import { pageOf } from '../../../../store/views/page.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';
import { carrierRow, carrierRows, type ShownCarrier } from '../../carrier-rows.ts';

/* The handlers of carriers. An operation that changes a carrier returns the carrier after the change. */

export const carrierHandlers: Handlers<'carrier'> = {
  /** The links start to connect at once. */
  add: thenShown(async (needs, input) => {
    const given = settingsReader(usualKind)(input);
    if (!given.ok) return given;
    // By the declaration, each setting has a value.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const shared = givenOf(sharedFields, input) as SharedSettings;
    return decideOperation(needs, 'carrier.add', { input, made: { shared, given: given.value } });
  }),
  list: async (needs, { after = '', limit }) => {
    const rows = await carrierRows(needs);
    if (!rows.ok) return rows;
    // The carriers are sorted by name, and are few enough to filter here.
    const rest = rows.value.filter(({ name }) => name > after);
    return ok(pageOf(rest, limit, ({ name }) => name));
  },
  show: (needs, { carrier }) => carrierRow(needs, carrier),
  /** The links use the new settings at once. A link that must bind again first waits for the answers in its window. */
  set: thenShown(async (needs, input) => {
    const before = carrierNamed(needs.snapshot(), input.carrier);
    const settings = before.ok ? before.value.settings : undefined;
    // The store refuses an unknown carrier, or answers the repeat of an earlier request.
    const given = settings ? settingsReader(settings.kind)(input, settings) : ok(undefined);
    if (!given.ok) return given;
    const made = { shared: givenOf(sharedFields, input), ...(given.value && { given: given.value }) };
    return decideOperation(needs, 'carrier.set', { input, made });
  }),
  test: testCarrier,
  cost: (needs, input) => viewed('carrier.cost')({ ...needs, reader: needs.prices }, input),
  pause: thenShown((needs, input) => decideOperation(needs, 'carrier.pause', { input, made: undefined })),
  resume: thenShown((needs, input) => decideOperation(needs, 'carrier.resume', { input, made: undefined })),
  /** Waits for the answers in the window, and unbinds. The links stay unbound until `resume`, even after a restart. */
  drain: thenShown(async (needs, input) => {
    const set = await decideOperation(needs, 'carrier.drain', { input, made: undefined });
    const carrier = carrierNamed(needs.snapshot(), input.carrier);
    if (set.ok && carrier.ok) await needs.control.settled(carrier.value.id);
    return set;
  }),
  rebind: thenShown(rebindCarrier),
};

/** Answers a change with the carrier after it. */
function thenShown<Input extends { readonly carrier: string } | { readonly name: string }>(
  change: (needs: OperatorNeeds, input: Input) => Promise<Result<unknown, Rejection>>,
) {
  return async (needs: OperatorNeeds, input: Input): Promise<Result<ShownCarrier, Rejection>> => {
    const done = await change(needs, input);
    return done.ok ? carrierRow(needs, 'carrier' in input ? input.carrier : input.name) : done;
  };
}
