import type { SetAccountStatus } from '../../commands/account.ts';
import type { NamedMatch } from '../../commands/carrier.ts';
import type { OperatorCommand } from '../../commands/commands.ts';
import { entryKey } from '../../tables/rows.ts';
import { accountTable, loginTable, tokenTable } from '../../tables/account.ts';
import type { AccountRow, TokenRow } from '../../tables/account.ts';
import { entryTable } from '../../tables/ledger.ts';
import type { Rows } from '../../tables/rows.ts';
import type { LoginCommand } from '../../commands/login.ts';
import { loadNumber } from './load-inbound.ts';
import { loadPriceList, loadPrices } from './load-prices.ts';
import { loadWebhookRows } from './load-notifications.ts';
import { integer } from '../../tables/column.ts';
import { loadRoute, loadRoutesOf } from './load-routes.ts';
import { carrierTable } from '../../tables/route.ts';
import type { Statements } from '../statements.ts';

/** Loads what an operator's command names, each row by its name. */
export function loadOperatorRows(rows: Rows, command: OperatorCommand, statements: Statements): void {
  switch (command.kind) {
    case 'add-account':
      loadAccount(rows, command.name, statements);
      loadPriceList(rows, command.priceList, { at: command.at, statements });
      return;
    case 'set-account':
      loadAccount(rows, command.account, statements);
      if (command.priceList !== undefined) loadPriceList(rows, command.priceList, { at: command.at, statements });
      return;
    case 'top-up':
    case 'adjust':
      loadAccount(rows, command.account, statements);
      if (command.key !== undefined) loadEntry(rows, { account: command.account, key: command.key }, statements);
      return;
    case 'set-account-status':
      loadAccount(rows, command.account, statements);
      if (command.status === 'removed') loadAccountLeft(rows, command, statements);
      return;
    case 'add-token':
      loadAccount(rows, command.account, statements);
      return;
    case 'rotate-token':
      loadToken(rows, command.id, statements);
      loadAccountOf(rows, rows.tokens.get(command.id), statements);
      return;
    case 'revoke-token':
      loadToken(rows, command.id, statements);
      return;
    case 'add-counts':
      return;
    case 'add-carrier':
      loadCarrier(rows, command.name, statements);
      if (typeof command.costList === 'string') loadPriceList(rows, command.costList, { at: command.at, statements });
      return;
    case 'set-carrier':
      loadCarrier(rows, command.carrier, statements);
      if (typeof command.costList === 'string') loadPriceList(rows, command.costList, { at: command.at, statements });
      return;
    case 'set-carrier-status':
      loadCarrier(rows, command.carrier, statements);
      if (command.status === 'removed') loadWhatNeeds(rows, command.carrier, statements);
      return;
    case 'add-route':
    case 'remove-route':
      loadRouteNamed(rows, command, statements);
      return;
    case 'set-route':
      loadRouteNamed(rows, command, statements);
      loadRouteNamed(rows, { ...command, ...command.newMatch, carrier: command.newCarrier ?? null }, statements);
      return;
    case 'set-prices':
    case 'begin-price-import':
    case 'stage-prices':
    case 'publish-prices':
    case 'sweep-prices':
    case 'withdraw-prices':
    case 'set-price-base':
    case 'remove-price-list':
      loadPrices(rows, command, statements);
      return;
    case 'add-number':
    case 'set-number':
    case 'add-keyword':
      if (command.account !== null) loadAccount(rows, command.account, statements);
      loadNumber(rows, command.digits, statements);
      if (command.kind === 'add-number') loadOwnersOf(rows, command.digits, statements);
      return;
    case 'remove-number':
    case 'remove-keyword':
      loadNumber(rows, command.digits, statements);
      return;
    case 'add-login':
    case 'set-login':
    case 'remove-login':
    case 'touch-logins':
      if (command.kind === 'add-login') loadAccount(rows, command.account, statements);
      loadLogins(rows, command, statements);
      return;
    case 'add-webhook':
      loadAccount(rows, command.account, statements);
      return;
    case 'set-webhook':
    case 'set-webhook-status':
    case 'remove-webhook':
    case 'add-webhook-secret':
    case 'remove-webhook-secret':
    case 'sweep-notifications':
    case 'replay-notifications':
      loadWebhookRows(rows, command, statements);
      return;
  }
}

function loadAccount(rows: Rows, name: string, statements: Statements): void {
  if (rows.accountsByName.has(name)) return;
  const found = statements.first(accountTable, 'where name = ?', name);
  if (found) keepAccount(rows, found);
}

function keepAccount(rows: Rows, found: AccountRow): void {
  const account = rows.accounts.get(found.id) ?? found;
  rows.accounts.set(account.id, account);
  rows.accountsByName.set(account.name, account);
}

function loadRouteNamed(
  rows: Rows,
  named: NamedMatch & { readonly carrier: string | null },
  statements: Statements,
): void {
  if (named.carrier !== null) loadCarrier(rows, named.carrier, statements);
  if (named.account !== null) loadAccount(rows, named.account, statements);
  loadRoute(rows, named, statements);
}

/** A message has a ledger entry, so messages need no query of their own. */
function loadAccountLeft(rows: Rows, { account: name, at }: SetAccountStatus, statements: Statements): void {
  const id = rows.accountsByName.get(name)?.id;
  if (id === undefined) return;
  const has = (table: string) =>
    statements.value(integer, `select 1 from ${table} where account = ? limit 1`, id) !== undefined;
  const count = (from: string, ...more: number[]) =>
    statements.value(integer, `select count(*) from ${from} and account = ?`, ...more, id) ?? 0;
  rows.accountsLeft.set(id, {
    kept: { entries: has('entry'), inbound: has('inbound'), optOutEvents: has('opt_out_event') },
    living: {
      tokens: count('token where revoked_at is null and (expires_at is null or expires_at > ?)', at),
      logins: count('login where removed_at is null'),
      numbers: count('number where true'),
      keywords: count('keyword where true'),
      webhooks: count('webhook where removed_at is null'),
      routes: count('route where removed_at is null'),
    },
  });
}

function loadAccountOf(rows: Rows, token: TokenRow | undefined, statements: Statements): void {
  const found = token && statements.first(accountTable, 'where id = ?', token.account);
  if (found) keepAccount(rows, found);
}

/** A refusal names the present owner of a number. */
function loadOwnersOf(rows: Rows, digits: string, statements: Statements): void {
  const owners = 'where id in (select account from number where digits = ?)';
  for (const found of statements.find(accountTable, owners, digits)) keepAccount(rows, found);
}

/** Idempotency keys belong to an account. */
function loadEntry(rows: Rows, wanted: { account: string; key: string }, statements: Statements): void {
  const account = rows.accountsByName.get(wanted.account)?.id;
  if (account === undefined || rows.entriesByKey.has(entryKey(account, wanted.key))) return;
  const found = statements.first(entryTable, 'where account = ? and key = ?', account, wanted.key);
  if (found) rows.entriesByKey.set(entryKey(account, wanted.key), found);
}

function loadCarrier(rows: Rows, name: string, statements: Statements): void {
  if (rows.carriersByName.has(name)) return;
  const found = statements.first(carrierTable, "where name = ? and status <> 'removed'", name);
  if (!found) return;
  const carrier = rows.carriers.get(found.id) ?? found;
  rows.carriers.set(carrier.id, carrier);
  rows.carriersByName.set(name, carrier);
}

function loadToken(rows: Rows, id: string, statements: Statements): void {
  if (rows.tokens.has(id)) return;
  const found = statements.first(tokenTable, 'where id = ?', id);
  if (found) rows.tokens.set(id, found);
}

/** The logins in use that a command names. */
function loadLogins(rows: Rows, command: LoginCommand, statements: Statements): void {
  const named = command.kind === 'touch-logins' ? command.binds : [command];
  for (const { systemId } of named) {
    if (rows.logins.has(systemId) || rows.removedLogins.some((row) => row.systemId === systemId)) continue;
    const found = statements.first(loginTable, 'where system_id = ? and removed_at is null', systemId);
    if (found) rows.logins.set(systemId, found);
  }
}

/**
 * What a removal would leave without a carrier: its routes, and parts that still need it, also on routes that it has
 * left.
 */
function loadWhatNeeds(rows: Rows, name: string, statements: Statements): void {
  const carrier = rows.carriersByName.get(name)?.id;
  if (carrier === undefined) return;
  loadRoutesOf(rows, carrier, statements);
  const found = statements.value(
    integer,
    `select 1 where exists (select 1 from part where tried_by = ?1 and claim_link is not null)
      or exists (select 1 from doubt where carrier = ?1)
      or exists (select 1 from part where deadline is not null and carrier = ?1)
      or exists (select 1 from route_carrier where carrier = ?1 and removed_at is null
        and exists (select 1 from queue where queue.route = route_carrier.route))
      or exists (select 1 from route_carrier where carrier = ?1 and removed_at is not null
        and exists (select 1 from queue where queue.route = route_carrier.route and eligible >= '=' and eligible < '>'))`,
    carrier,
  );
  if (found !== undefined) rows.carriersInUse.add(carrier);
}
