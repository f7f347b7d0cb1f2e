import type { PriceImportRow, PriceListRow, PriceRows } from '../price-rows.ts';
import type { Statements } from './statements.ts';

/** Writes what commands made of price lists. */
export function writePrices(rows: PriceRows, statements: Statements): void {
  for (const list of rows.listsByName.values()) writeList(list, statements);
  for (const { id, at } of rows.removedLists) {
    // No list has a blank in its name.
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
  for (const { priceList, version, effectiveAt, createdAt, changes } of rows.versions) {
    statements.run(
      'insert into price_list_version values (?, ?, ?, ?, ?)',
      priceList,
      version,
      effectiveAt,
      createdAt,
      changes,
    );
  }
  for (const { priceList, since, base } of rows.basesSince) {
    // In their order also where the clock steps back; of two in a millisecond the last holds.
    statements.run(
      `insert or replace into price_list_base values
        (?1, max(?2, coalesce((select max(since) from price_list_base where price_list = ?1), 0)), ?3)`,
      priceList,
      since,
      base,
    );
  }
  for (const { priceList, version, prefix } of rows.pricesGone) {
    statements.run('delete from price where price_list = ? and prefix = ? and since = ?', priceList, prefix, version);
  }
  for (const { priceList, version, prefix, unitPrice } of rows.prices) {
    statements.run('insert into price values (?, ?, ?, ?)', priceList, prefix, version, unitPrice);
  }
}

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
      'insert into price_import values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      row.id,
      row.name,
      row.priceList,
      row.version,
      row.currency,
      row.base,
      row.isNew ? 1 : 0,
      row.isOver ? 1 : 0,
      row.createdAt,
    );
  } else if (row.change === 'changed') {
    statements.run('update price_import set is_over = ? where id = ?', row.isOver ? 1 : 0, row.id);
  }
}
