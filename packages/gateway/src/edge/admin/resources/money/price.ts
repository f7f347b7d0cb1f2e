import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { versionAt } from '../../../../core/money/price-list.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { invalid } from '../../../../state/decide/decided.ts';
import {
  beginImport,
  dropImport,
  removePriceList,
  setPriceBase,
  setPrices,
  withdrawPrices,
} from '../../../../operator/money/prices.ts';
import type { Handlers } from '../../bind.ts';

/* The handlers of price lists and of imports of prices. A separate thread reads whole price lists. */

/** The most prices in one page of an export, which has about 100 KiB. */
const exportMax = 5_000;

export const priceHandlers: Handlers<'price'> = {
  list: async (needs, page) => {
    const now = needs.clock.now();
    const found = await needs.prices.ask('priceLists', { now, ...page });
    if (!found.ok) return found;
    const { priceLists } = needs.snapshot();
    const countOf = (id: number) => {
      const list = priceLists.get(id);
      return (list && versionAt(list, now)?.prices.size) ?? 0;
    };
    return ok({ ...found.value, items: found.value.items.map((list) => ({ ...list, prices: countOf(list.id) })) });
  },
  show: async (needs, { prefix: beginning = '', at: then, after: place, ...wanted }) => {
    if (wanted.version !== undefined && then !== undefined) return eitherOf;
    const [pinned, after] = place?.split('/') ?? [];
    const at = pinned === undefined ? (then ?? needs.clock.now()) : Number(pinned);
    return known(wanted, await needs.prices.ask('pricePage', { ...wanted, at, after, beginning }));
  },
  versions: async (needs, one) =>
    known(one, await needs.prices.ask('priceVersions', { ...one, now: needs.clock.now() })),
  export: async (needs, { at, ...wanted }) => {
    if (wanted.version !== undefined && at !== undefined) return eitherOf;
    const input = { ...wanted, at: at ?? needs.clock.now(), limit: exportMax };
    return known(wanted, await needs.prices.ask('priceText', input));
  },
  set: setPrices,
  withdraw: withdrawPrices,
  base: setPriceBase,
  remove: removePriceList,
};

export const priceImportHandlers: Handlers<'priceImport'> = {
  begin: beginImport,
  stage: (needs, input) => needs.imports.stage(input.import, input.prices, needs.journal),
  publish: (needs, input) => needs.imports.publish(input.import, input.effectiveAt ?? null, needs.journal),
  drop: dropImport,
};

const eitherOf = invalid('at', 'must not be given together with version: give only one of them');

/** Returns what was read of a price list, or a rejection if the list does not exist. */
function known<T>(
  { list, version }: { readonly list: string; readonly version?: number | undefined },
  found: Result<T | undefined, Rejection>,
): Result<T, Rejection> {
  if (!found.ok) return found;
  if (found.value !== undefined) return ok(found.value);
  const which = version === undefined ? 'price list named' : `version ${version} of a price list named`;
  return refused({ code: 'does_not_exist', detail: `there is no ${which} ${list}` });
}
