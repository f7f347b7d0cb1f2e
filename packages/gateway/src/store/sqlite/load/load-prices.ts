import type { Instant } from '@morsel/api/values/time.ts';
import type { PriceCommand } from '../../commands/price.ts';
import type { PriceImportRow } from '../../tables/price.ts';
import type { Rows } from '../../tables/rows.ts';
import { integer, integerOrNull, text } from '../columns.ts';
import type { Record } from '../columns.ts';
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
  if (!imports.has(name)) keepImport(rows, statements.get('select * from price_import where name = ?', name));
  if (listsByName.has(name)) return;
  const list = statements.get('select * from price_list where name = ?', name);
  if (!list) return;
  const id = integer(list, 'id');
  const versions = statements.all(
    `select version, effective_at, place, is_whole from price_list_version where price_list = ?1 and place >= coalesce(
      (select max(place) from price_list_version where price_list = ?1 and effective_at <= ?2), 0) order by place`,
    id,
    at,
  );
  listsByName.set(name, {
    change: 'none',
    id,
    name,
    currency: text(list, 'currency'),
    createdAt: integer(list, 'created_at'),
    base: integerOrNull(list, 'base'),
    lastVersion: integer(list, 'last_version'),
    versions: versions.map((row) => ({
      version: integer(row, 'version'),
      effectiveAt: integer(row, 'effective_at'),
      place: integer(row, 'place'),
      isWhole: integer(row, 'is_whole') === 1,
    })),
  });
}

function loadBases(rows: Rows, statements: Statements): void {
  const { bases } = rows.pricing;
  for (const row of statements.all('select id, base from price_list where removed_at is null')) {
    const id = integer(row, 'id');
    if (!bases.has(id)) bases.set(id, integerOrNull(row, 'base'));
  }
}

/** Users of a list that a refused removal names; one is enough to refuse. */
const usersMax = 5;

function loadUsers(rows: Rows, list: string, statements: Statements): void {
  const id = rows.pricing.listsByName.get(list)?.id;
  if (id === undefined) return;
  const namesOf = (from: string) =>
    statements.all(`select name from ${from} order by name limit ${usersMax}`, id).map((row) => text(row, 'name'));
  rows.pricing.users.set(id, {
    accounts: namesOf("account where status <> 'removed' and price_list = ?"),
    carriers: namesOf("carrier where status <> 'removed' and cost_list = ?"),
    lists: namesOf('price_list where removed_at is null and base = ?'),
  });
}

function loadImport(rows: Rows, id: string, statements: Statements): PriceImportRow | undefined {
  const { importsById } = rows.pricing;
  if (!importsById.has(id)) keepImport(rows, statements.get('select * from price_import where id = ?', id));
  return importsById.get(id);
}

function keepImport(rows: Rows, row: Record | undefined): void {
  const { imports, importsById } = rows.pricing;
  if (!row || importsById.has(text(row, 'id'))) return;
  const found: PriceImportRow = {
    change: 'none',
    id: text(row, 'id'),
    name: text(row, 'name'),
    priceList: integer(row, 'price_list'),
    version: integer(row, 'version'),
    place: integer(row, 'place'),
    isWhole: integer(row, 'is_whole') === 1,
    pinned: integerOrNull(row, 'pinned'),
    currency: text(row, 'currency'),
    base: integerOrNull(row, 'base'),
    isNew: integer(row, 'is_new') === 1,
    isOver: integer(row, 'is_over') === 1,
    createdAt: integer(row, 'created_at'),
  };
  importsById.set(found.id, found);
  imports.set(found.name, found);
}

function loadSwept(
  rows: Rows,
  { id, priceList, place }: PriceImportRow,
  { max, statements }: { readonly max: number; readonly statements: Statements },
): void {
  const { swept } = rows.pricing;
  if (swept.has(id)) return;
  const found = statements.all(
    'select prefix from price indexed by price_version where price_list = ? and since = ? limit ?',
    priceList,
    place,
    max,
  );
  swept.set(
    id,
    found.map((row) => text(row, 'prefix')),
  );
}
