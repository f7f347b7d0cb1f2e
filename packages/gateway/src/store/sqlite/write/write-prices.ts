import type { PriceImportRow, PriceListRow, PriceRows } from '../../tables/price.ts';
import type { Statements } from '../statements.ts';

/** Writes the changes of price lists. */
export function writePrices(rows: PriceRows, statements: Statements): void {
  for (const list of rows.listsByName.values()) writeList(list, statements);
  for (const { id, at } of rows.removedLists) {
    // A name with a blank cannot be entered, so no other list has it.
    statements.run(
      "update price_list set removed_at = ?, name = name || ' (removed ' || id || ')' where id = ?",
      at,
      id,
    );
  }
  for (const { id } of rows.importsGone) statements.run('delete from price_import where id = ?', id);
  for (const row of rows.imports.values()) writeImport(row, statements);
  for (const { priceList, version } of rows.versionsGone) {
    statements.run('delete from price_list_version where price_list = ? and version = ?', priceList, version);
  }
  for (const { priceList, version, effectiveAt, createdAt, changes, place, isWhole } of rows.versions) {
    const row = [priceList, version, effectiveAt, createdAt, changes, place, isWhole ? 1 : 0];
    statements.run('insert into price_list_version values (?, ?, ?, ?, ?, ?, ?)', ...row);
  }
  for (const { priceList, since, base } of rows.basesSince) {
    // Keeps the order if the clock steps back. Of two in a millisecond the last one holds.
    statements.run(
      `insert or replace into price_list_base values
        (?1, max(?2, coalesce((select max(since) from price_list_base where price_list = ?1), 0)), ?3)`,
      priceList,
      since,
      base,
    );
  }
  for (const { priceList, place, prefix } of rows.pricesGone) {
    statements.run('delete from price where price_list = ? and prefix = ? and since = ?', priceList, prefix, place);
  }
  for (const { priceList, place, prefix, unitPrice, pinned } of rows.prices) {
    if (pinned !== null) statements.run(pin, priceList, prefix, place, pinned);
    statements.run('insert into price values (?, ?, ?, ?)', priceList, prefix, place, unitPrice);
  }
}

/**
 * Keeps the price of prefix ?2 in the version at ?4 as it is without the change at ?3: the price of before, unless that
 * version or one between has its own.
 */
const pin = `insert into price select ?1, ?2, ?4,
    (select unit_price from price where price_list = ?1 and prefix = ?2 and since < ?3 order by since desc limit 1)
  where not exists (select 1 from price where price_list = ?1 and prefix = ?2 and since > ?3 and since <= ?4)`;

function writeList(row: PriceListRow, statements: Statements): void {
  if (row.change === 'new') {
    statements.run(
      'insert into price_list values (?, ?, ?, ?, ?, ?, null)',
      row.id,
      row.name,
      row.currency,
      row.createdAt,
      row.base,
      row.lastVersion,
    );
  } else if (row.change === 'changed') {
    statements.run('update price_list set base = ?, last_version = ? where id = ?', row.base, row.lastVersion, row.id);
  }
}

function writeImport(row: PriceImportRow, statements: Statements): void {
  if (row.change === 'new') {
    statements.run(
      'insert into price_import values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.id,
      row.name,
      row.priceList,
      row.version,
      row.currency,
      row.base,
      row.isNew ? 1 : 0,
      row.isOver ? 1 : 0,
      row.createdAt,
      row.place,
      row.isWhole ? 1 : 0,
      row.pinned,
    );
  } else if (row.change === 'changed') {
    statements.run('update price_import set is_over = ? where id = ?', row.isOver ? 1 : 0, row.id);
  }
}
