import type { Command } from '../../commands.ts';
import type { NamedMatch } from '../../commands/carrier.ts';
import type { Needs } from '../../rows/needs.ts';
import { accountById, accountByName } from '../../tables/account.ts';
import { integer } from '../../tables/column.ts';
import { carrierByName } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Statements } from '../statements.ts';
import { loadNumber } from './load-inbound.ts';
import { loadWebhookRows } from './load-notifications.ts';
import { loadPriceList, loadPrices } from './load-prices.ts';
import { loadRoute, loadRoutesOf } from './load-routes.ts';

/** Loads what an operator's command names, each row by its name. */
export function loadOperatorRows(need: Needs, command: Command, statements: Statements): void {
  const { rows } = need;
  switch (command.kind) {
    case 'add-account':
      loadPriceList(rows, command.priceList, { at: command.at, statements });
      return;
    case 'set-account':
      if (command.priceList !== undefined) loadPriceList(rows, command.priceList, { at: command.at, statements });
      return;
    case 'add-carrier':
      need.one(carrierByName, command.name);
      if (typeof command.costList === 'string') loadPriceList(rows, command.costList, { at: command.at, statements });
      return;
    case 'set-carrier':
      need.one(carrierByName, command.carrier);
      if (typeof command.costList === 'string') loadPriceList(rows, command.costList, { at: command.at, statements });
      return;
    case 'set-carrier-status':
      need.one(carrierByName, command.carrier);
      if (command.status === 'removed') loadWhatNeeds(rows, command.carrier, statements);
      return;
    case 'add-route':
    case 'remove-route':
      loadRouteNamed(need, command, statements);
      return;
    case 'set-route':
      loadRouteNamed(need, command, statements);
      loadRouteNamed(need, { ...command, ...command.newMatch, carrier: command.newCarrier ?? null }, statements);
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
      if (command.account !== null) need.one(accountByName, command.account);
      loadNumber(rows, command.digits, statements);
      if (command.kind === 'add-number') {
        // A refusal names the present owner of a number.
        for (const { account } of rows.inbound.numbers.values()) if (account !== null) need.one(accountById, account);
      }
      return;
    case 'remove-number':
    case 'remove-keyword':
      loadNumber(rows, command.digits, statements);
      return;
    case 'add-webhook':
      need.one(accountByName, command.account);
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
    default:
  }
}

function loadRouteNamed(
  need: Needs,
  named: NamedMatch & { readonly carrier: string | null },
  statements: Statements,
): void {
  if (named.carrier !== null) need.one(carrierByName, named.carrier);
  if (named.account !== null) need.one(accountByName, named.account);
  loadRoute(need.rows, named, statements);
}

/**
 * What a removal would leave without a carrier: its routes, and parts that still need it, also on routes that it has
 * left.
 */
function loadWhatNeeds(rows: Rows, name: string, statements: Statements): void {
  const carrier = rows.one(carrierByName, name)?.id;
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
