import {
  priceBaseTable,
  priceImportTable,
  priceListTable,
  unitPriceTable,
  priceVersionTable,
} from '../../tables/price.ts';
import type { PriceChange, PriceRows } from '../../tables/price.ts';
import type { Statements } from '../statements.ts';

/** Writes the changes of price lists. */
export function writePrices(rows: PriceRows, statements: Statements): void {
  for (const version of rows.versionsGone) statements.save(priceVersionTable, version);
  // Removed lists come first: a new one may take the name in the same group.
  for (const list of [...rows.removedLists, ...rows.listsByName.values()]) {
    statements.save(priceListTable, list);
    for (const version of list.versions) statements.save(priceVersionTable, version);
  }
  for (const row of [...rows.importsGone, ...rows.imports.values()]) statements.save(priceImportTable, row);
  for (const row of rows.basesSince) statements.put(priceBaseTable, row);
  for (const gone of rows.pricesGone) statements.remove(unitPriceTable, gone);
  for (const price of rows.prices) {
    if (price.pinned !== null) pin(price, price.pinned, statements);
    statements.insert(unitPriceTable, price);
  }
}

/**
 * Keeps the price of a prefix in the version at the place `pinned` as it is without this change, unless that version or
 * one between has its own price.
 */
function pin({ priceList, prefix, place }: PriceChange, pinned: number, statements: Statements): void {
  const found = statements.first(
    unitPriceTable,
    'where price_list = ? and prefix = ? and place <= ? order by place desc limit 1',
    priceList,
    prefix,
    pinned,
  );
  if (found && found.place > place) return;
  statements.insert(unitPriceTable, { priceList, prefix, place: pinned, unitPrice: found?.unitPrice ?? null });
}
