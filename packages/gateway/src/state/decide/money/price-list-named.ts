import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Reads } from '../../rows/reads.ts';
import { importByName, priceListByName, priceListTable, type PriceListRow } from '../../tables/price.ts';
import type { Rows } from '../../rows/rows.ts';

/** Reads a price list, and the import of its prices that is under way. */
export function readPriceList(read: Reads, name: string): PriceListRow | undefined {
  read.one(importByName, name);
  return read.one(priceListByName, name);
}

/** Finds the price list with this name and currency. Creates the list if it does not exist and a currency is given. */
export function priceListNamed(
  rows: Rows,
  wanted: { name: string; currency: string | undefined; at: number },
): Result<PriceListRow, Rejection> {
  const list = rows.one(priceListByName, wanted.name);
  if (list) return list.currency === (wanted.currency ?? list.currency) ? ok(list) : otherCurrency(list, wanted);
  if (wanted.currency === undefined) {
    const detail = `there is no price list named ${wanted.name}: give a currency to create it`;
    return refused({ code: 'does_not_exist', detail });
  }
  // An import that is under way creates a list with this name.
  if (isTaken(rows, wanted.name)) return refused(underWay(wanted.name));
  const { name, currency, at: createdAt } = wanted;
  const made = newPriceList({ id: rows.nextId(priceListTable), name, currency, createdAt });
  return ok(rows.add(priceListTable, made));
}

export function newPriceList(list: Pick<PriceListRow, 'id' | 'name' | 'currency' | 'createdAt'>): PriceListRow {
  return { change: 'new', ...list, base: null, lastVersion: 0, removedAt: null };
}

/**
 * Whether an import prevents other changes of the list. A rehearsal goes on, because an earlier command of the same
 * group may end the import.
 */
export function isTaken(rows: Rows, list: string): boolean {
  return rows.one(importByName, list) !== undefined && !rows.ask;
}

export function underWay(list: string): Rejection {
  const detail = `the prices of price list ${list} are being imported or deleted at the moment: try again when this is done`;
  return { code: 'in_use', detail };
}

function otherCurrency(
  list: PriceListRow,
  { currency }: { readonly currency: string | undefined },
): Result<never, Rejection> {
  return refused({
    code: 'invalid_parameter',
    field: 'currency',
    detail: `price list ${list.name} is in ${list.currency}, not ${currency}`,
  });
}
