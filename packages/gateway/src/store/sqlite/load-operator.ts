import type { SQLInputValue } from 'node:sqlite';
import type { OperatorCommand } from '../commands.ts';
import type { Rows } from '../rows.ts';
import { accountRowFrom, carrierRowFrom, integer, routeRowFrom, text, tokenRowFrom } from './row-readers.ts';
import type { Record } from './row-readers.ts';

type Query = (sql: string, ...values: SQLInputValue[]) => Record[];

/** Loads what an operator's command names, each row by its name. */
export function loadOperatorRows(rows: Rows, command: OperatorCommand, query: Query): void {
  switch (command.kind) {
    case 'add-account':
      loadAccount(rows, command.name, query);
      loadPriceList(rows, command.priceList, query);
      return;
    case 'top-up':
    case 'set-account-status':
    case 'add-token':
      loadAccount(rows, command.account, query);
      return;
    case 'revoke-token':
      loadToken(rows, command.id, query);
      return;
    case 'touch-tokens':
      for (const use of command.uses) loadToken(rows, use.id, query);
      return;
    case 'add-carrier':
      loadCarrier(rows, command.name, query);
      return;
    case 'set-carrier-status':
      loadCarrier(rows, command.carrier, query);
      loadRoutes(rows, query);
      loadCarriersInUse(rows, query);
      return;
    case 'add-route':
      loadCarrier(rows, command.carrier, query);
      loadRoutes(rows, query);
      return;
    case 'remove-route':
      loadRoutes(rows, query);
      return;
    case 'set-prices':
      loadPriceList(rows, command.list, query);
      return;
  }
}

function loadAccount(rows: Rows, name: string, query: Query): void {
  if (rows.accountsByName.has(name)) return;
  const [found] = query('select * from account where name = ?', name);
  if (!found) return;
  const id = integer(found, 'id');
  const account = rows.accounts.get(id) ?? accountRowFrom(found);
  rows.accounts.set(id, account);
  rows.accountsByName.set(name, account);
}

function loadCarrier(rows: Rows, name: string, query: Query): void {
  if (rows.carriersByName.has(name)) return;
  const [found] = query("select * from carrier where name = ? and status <> 'removed'", name);
  if (!found) return;
  const id = integer(found, 'id');
  const carrier = rows.carriers.get(id) ?? carrierRowFrom(found);
  rows.carriers.set(id, carrier);
  rows.carriersByName.set(name, carrier);
}

function loadRoutes(rows: Rows, query: Query): void {
  for (const found of query('select * from route where removed_at is null')) {
    const route = routeRowFrom(found);
    if (!rows.routesByPrefix.has(route.prefix)) rows.routesByPrefix.set(route.prefix, route);
  }
}

function loadToken(rows: Rows, id: string, query: Query): void {
  if (rows.tokens.has(id)) return;
  const [found] = query('select * from token where id = ?', id);
  if (found) rows.tokens.set(id, tokenRowFrom(found));
}

function loadCarriersInUse(rows: Rows, query: Query): void {
  const found = query(
    `select id from carrier where exists (select 1 from attempt where attempt.carrier = carrier.id and outcome is null)
      or exists (select 1 from doubt where doubt.carrier = carrier.id)
      or exists (select 1 from part where part.deadline is not null and part.carrier = carrier.id)
      or exists (select 1 from route where route.carrier = carrier.id
        and exists (select 1 from queue where queue.route = route.id))`,
  );
  for (const row of found) rows.carriersInUse.add(integer(row, 'id'));
}

function loadPriceList(rows: Rows, name: string, query: Query): void {
  if (rows.priceListsByName.has(name)) return;
  const [found] = query(
    `select id, name, currency, created_at,
      (select coalesce(max(version), 0) from price_list_version where price_list = price_list.id) as version
      from price_list where name = ?`,
    name,
  );
  if (!found) return;
  rows.priceListsByName.set(name, {
    id: integer(found, 'id'),
    name,
    currency: text(found, 'currency'),
    createdAt: integer(found, 'created_at'),
    version: integer(found, 'version'),
    isNew: false,
  });
}
