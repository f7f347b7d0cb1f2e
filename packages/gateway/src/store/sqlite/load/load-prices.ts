/* Loads the price lists and the imports that a command names. */

import type { Instant } from '@morsel/api/values/time.ts';
import type { PriceCommand } from '../../commands/price.ts';
import { integer, text } from '../../tables/column.ts';
import { priceImportTable, priceListTable, priceVersionTable } from '../../tables/price.ts';
import type { PriceImportRow } from '../../tables/price.ts';
import type { Rows } from '../../tables/rows.ts';
import { pick, shape } from '../../tables/table.ts';
import type { Statements } from '../statements.ts';

/** Loads what a command about prices names: lists by name, imports by id. */
export function loadPrices(rows: Rows, command: PriceCommand, statements: Statements): void {
  const { at } = command;
  switch (command.kind) {
    case 'set-prices':
    case 'withdraw-prices':
      loadPriceList(rows, command.list, { at, statements });
      return;
    case 'begin-price-import':
    case 'set-price-base':
      loadPriceList(rows, command.list, { at, statements });
      if (command.base === null) return;
      loadPriceList(rows, command.base, { at, statements });
      loadBases(rows, statements);
      return;
    case 'remove-price-list':
      loadPriceList(rows, command.list, { at, statements });
      loadUsers(rows, command.list, statements);
      return;
    case 'stage-prices':
      loadImport(rows, command.id, statements);
      return;
    case 'publish-prices': {
      const found = loadImport(rows, command.id, statements);
      if (found) loadPriceList(rows, found.name, { at, statements });
      return;
    }
    case 'sweep-prices': {
      const found = loadImport(rows, command.id, statements);
      if (found) loadSwept(rows, found, { max: command.max, statements });
      return;
    }
  }
}

/** The list of a name, and the import of its prices that is under way. */
export function loadPriceList(
  rows: Rows,
  name: string,
  { at, statements }: { readonly at: Instant; readonly statements: Statements },
): void {
  const { listsByName, imports } = rows.pricing;
  if (!imports.has(name)) keepImport(rows, statements.first(priceImportTable, 'where name = ?', name));
  if (listsByName.has(name)) return;
  const list = statements.first(priceListTable, 'where name = ?', name);
  if (!list) return;
  const versions = statements.find(
    priceVersionTable,
    `where price_list = ?1 and place >= coalesce(
      (select max(place) from price_list_version where price_list = ?1 and effective_at <= ?2), 0) order by place`,
    list.id,
    at,
  );
  const basedSince = statements.value(
    integer,
    'select since from price_list_base where price_list = ? order by since desc limit 1',
    list.id,
  );
  listsByName.set(name, Object.assign(list, { versions, basedSince: basedSince ?? 0 }));
}

const baseShape = shape(pick(priceListTable, 'id', 'base'));

function loadBases(rows: Rows, statements: Statements): void {
  const { bases } = rows.pricing;
  for (const { id, base } of statements.rows(baseShape, 'select id, base from price_list where removed_at is null')) {
    if (!bases.has(id)) bases.set(id, base);
  }
}

/** Users of a list that a refused removal names; one is enough to refuse. */
const usersMax = 5;

function loadUsers(rows: Rows, list: string, statements: Statements): void {
  const id = rows.pricing.listsByName.get(list)?.id;
  if (id === undefined) return;
  const namesOf = (from: string) =>
    statements.values(text, `select name from ${from} order by name limit ${usersMax}`, id);
  rows.pricing.users.set(id, {
    accounts: namesOf("account where status <> 'removed' and price_list = ?"),
    carriers: namesOf("carrier where status <> 'removed' and cost_list = ?"),
    lists: namesOf('price_list where removed_at is null and base = ?'),
  });
}

function loadImport(rows: Rows, id: string, statements: Statements): PriceImportRow | undefined {
  const { importsById } = rows.pricing;
  if (!importsById.has(id)) keepImport(rows, statements.first(priceImportTable, 'where id = ?', id));
  return importsById.get(id);
}

function keepImport({ pricing: { imports, importsById } }: Rows, row: PriceImportRow | undefined): void {
  if (!row || importsById.has(row.id)) return;
  importsById.set(row.id, row);
  imports.set(row.name, row);
}

function loadSwept(
  rows: Rows,
  { id, priceList, place }: PriceImportRow,
  { max, statements }: { readonly max: number; readonly statements: Statements },
): void {
  const { swept } = rows.pricing;
  if (swept.has(id)) return;
  const found = 'select prefix from price where price_list = ? and place = ? limit ?';
  swept.set(id, statements.values(text, found, priceList, place, max));
}
