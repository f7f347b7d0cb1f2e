import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { PriceListRow } from '../../tables/price.ts';
import type { Rows } from '../../tables/rows.ts';

/** Finds the price list with this name and currency. Creates the list if it does not exist and a currency is given. */
export function priceListNamed(
  rows: Rows,
  wanted: { name: string; currency: string | null; at: number },
): Result<PriceListRow, Rejection> {
  const { listsByName, imports } = rows.pricing;
  const list = listsByName.get(wanted.name);
  if (list) return list.currency === (wanted.currency ?? list.currency) ? ok(list) : otherCurrency(list, wanted);
  if (wanted.currency === null) {
    const detail = `there is no price list named ${wanted.name}: give a currency to create it`;
    return refused({ code: 'does_not_exist', detail });
  }
  // An import is creating a list with this name.
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
  const nothingYet = { base: null, basedSince: 0, lastVersion: 0, removedAt: null, versions: [] };
  return { change: 'new', ...list, ...nothingYet };
}

export function underWay(list: string): Rejection {
  const detail = `the prices of price list ${list} are being imported or deleted at the moment: try again when this is done`;
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
