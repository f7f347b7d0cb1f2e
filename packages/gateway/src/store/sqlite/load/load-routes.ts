/* Loads routes: for the operator's commands, and for claims of their waiting parts. */

import { accountByName } from '../../tables/account.ts';
import { routeKey } from '../../../core/routing/route.ts';
import type { RouteCarrier } from '../../../core/routing/route.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import type { NamedMatch } from '../../commands/carrier.ts';
import { routeCarrierTable, routeTable, routeToFollowTable } from '../../tables/route.ts';
import type { RouteCarrierRow, RouteRow } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Statements } from '../statements.ts';

/** Loads the route with this match, if it exists. The account it names must be loaded before. */
export function loadRoute(rows: Rows, match: NamedMatch, statements: Statements): void {
  const account = match.account === null ? null : rows.one(accountByName, match.account)?.id;
  if (account === undefined || rows.routesByKey.has(routeKey({ ...match, account }))) return;
  const found = statements.first(
    routeTable,
    `where prefix = ? and coalesce(sender, '') = ? and coalesce(account, 0) = ?
      and coalesce(encoding, '') = ? and removed_at is null`,
    match.prefix,
    match.sender ?? '',
    account ?? 0,
    match.encoding ?? '',
  );
  if (found) keepRoute(rows, found, statements);
}

/** Loads every route that a carrier is in. */
export function loadRoutesOf(rows: Rows, carrier: number, statements: Statements): void {
  const found = statements.find(
    routeTable,
    `join route_carrier on route_carrier.route = route.id
      where route_carrier.carrier = ? and route_carrier.removed_at is null and route.removed_at is null`,
    carrier,
  );
  for (const row of found) keepRoute(rows, row, statements);
}

function keepRoute(rows: Rows, row: Omit<RouteRow, 'carriers'>, statements: Statements): void {
  const key = routeKey(row);
  if (rows.routesByKey.has(key)) return;
  const carriers = carriersOf(statements, row.id);
  const toFollow = statements.first(routeToFollowTable, 'where route = ?', row.id);
  rows.routesByKey.set(key, { ...row, carriers, toFollow });
}

function carriersOf(statements: Statements, route: number): RouteCarrierRow[] {
  return statements.find(routeCarrierTable, 'where route = ? order by rank, created_at, carrier', route);
}

/** What a claim needs of a route. */
interface RouteInUse {
  readonly by: RankOrder;
  readonly carriers: readonly RouteCarrier[];
  /** Also carriers that have left it: they finish the messages that they started. */
  readonly everIn: ReadonlySet<number>;
}

/** Routes kept in memory. Each is small, and more with work at once are not usual. */
const keptMax = 100_000;

/** The carriers of routes with work: read once, and again after the operator changed a route. */
export class RoutesInUse {
  readonly #statements: Statements;
  readonly #routes = new Map<number, RouteInUse>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  of(route: number): RouteInUse {
    const known = this.#routes.get(route);
    if (known) return known;
    const rows = carriersOf(this.#statements, route);
    const found = {
      by: this.#statements.value(routeTable.members.by, 'select rank_order from route where id = ?', route) ?? 'weight',
      carriers: rows.filter(({ removedAt }) => removedAt === null),
      everIn: new Set(rows.map(({ carrier }) => carrier)),
    };
    if (this.#routes.size >= keptMax) this.#routes.clear();
    this.#routes.set(route, found);
    return found;
  }

  forget(): void {
    this.#routes.clear();
  }
}
