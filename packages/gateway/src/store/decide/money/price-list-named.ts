import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { PriceListRow } from '../../tables/price.ts';
import type { Rows } from '../../tables/rows.ts';

/** The list of a name, in the given currency. It is made if it does not exist and the currency is known. */
export function priceListNamed(
  rows: Rows,
  wanted: { name: string; currency: string | null; at: number },
): Result<PriceListRow, Rejection> {
  const { listsByName, imports } = rows.pricing;
  const list = listsByName.get(wanted.name);
  if (list) return list.currency === (wanted.currency ?? list.currency) ? ok(list) : otherCurrency(list, wanted);
  if (wanted.currency === null) {
    const detail = `there is no price list named ${wanted.name}: name its currency to make it`;
    return refused({ code: 'does_not_exist', detail });
  }
  // An import has reserved its number.
  if (imports.has(wanted.name)) return refused(underWay(wanted.name));
  const made: PriceListRow = newPriceList({
    id: rows.counters.priceList++,
    name: wanted.name,
    currency: wanted.currency,
    createdAt: wanted.at,
  });
  listsByName.set(made.name, made);
  return ok(made);
}

export function newPriceList(list: Pick<PriceListRow, 'id' | 'name' | 'currency' | 'createdAt'>): PriceListRow {
  const nothingYet = { base: null, lastVersion: 0, versions: [] };
  return { change: 'new', ...list, ...nothingYet };
}

export function underWay(list: string): Rejection {
  const detail = `the prices of price list ${list} are being imported, or what was left of an import is being deleted: try again when it is done`;
  return { code: 'in_use', detail };
}

function otherCurrency(
  list: PriceListRow,
  { currency }: { readonly currency: string | null },
): Result<never, Rejection> {
  return refused({
    code: 'invalid_parameter',
    field: 'currency',
    detail: `price list ${list.name} is in ${list.currency}, not ${currency}`,
  });
}
