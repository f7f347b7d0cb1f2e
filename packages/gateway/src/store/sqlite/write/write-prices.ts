import type { PriceImportRow, PriceListRow, PriceRows } from '../../tables/price.ts';
import type { Statements } from '../statements.ts';

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
  for (const { priceList, version, effectiveAt, createdAt, changes, place, isWhole } of rows.versions) {
    const row = [priceList, version, effectiveAt, createdAt, changes, place, isWhole ? 1 : 0];
    statements.run('insert into price_list_version values (?, ?, ?, ?, ?, ?, ?)', ...row);
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
  for (const { priceList, place, prefix } of rows.pricesGone) {
    statements.run('delete from price where price_list = ? and prefix = ? and since = ?', priceList, prefix, place);
  }
  for (const { priceList, place, prefix, unitPrice, pinned } of rows.prices) {
    if (pinned !== null) statements.run(pin, priceList, prefix, place, pinned);
    statements.run('insert into price values (?, ?, ?, ?)', priceList, prefix, place, unitPrice);
  }
}

/**
 * The version at ?4 says of prefix ?2 what it says without the change at ?3: what held before that, unless it or a version
 * between the two says something of its own.
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
