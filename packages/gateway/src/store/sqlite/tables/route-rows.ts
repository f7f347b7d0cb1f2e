import { rankOrders, routeEncodings } from '@morsel/api/values/routing.ts';
import type { RankOrder } from '@morsel/api/values/routing.ts';
import { routeKey } from '../../../core/routing/route.ts';
import type { RouteCarrier, RouteMatch } from '../../../core/routing/route.ts';
import type { NamedMatch } from '../../commands/carrier.ts';
import type { RouteCarrierRow, RouteRow } from '../../tables/route.ts';
import type { Rows } from '../../tables/rows.ts';
import { micros, integer, integerOrNull, text, textOrNull } from '../columns.ts';
import type { Record } from '../columns.ts';
import type { Statements } from '../statements.ts';

/* Makes routes of SQLite rows, and loads them for commands. */

export function routeMatchFrom(row: Record): RouteMatch {
  return {
    prefix: text(row, 'prefix'),
    sender: textOrNull(row, 'sender'),
    account: integerOrNull(row, 'account'),
    encoding: routeEncodings.find((each) => each === row['encoding']) ?? null,
  };
}

export function rankOrderFrom(row: Record): RankOrder {
  return rankOrders.find((each) => each === row['rank_order']) ?? 'weight';
}

export function routeCarrierFrom(row: Record): RouteCarrier {
  return {
    carrier: integer(row, 'carrier'),
    rank: integer(row, 'rank'),
    weight: integer(row, 'weight'),
    cost: row['cost'] === null ? null : micros(row, 'cost'),
    waitMs: integerOrNull(row, 'wait_ms'),
  };
}

/** Loads the route with this match, if it exists. The account it names must be loaded before. */
export function loadRoute(rows: Rows, match: NamedMatch, statements: Statements): void {
  const account = match.account === null ? null : rows.accountsByName.get(match.account)?.id;
  if (account === undefined || rows.routesByKey.has(routeKey({ ...match, account }))) return;
  const found = statements.get(
    `select * from route where prefix = ? and coalesce(sender, '') = ? and coalesce(account, 0) = ?
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
  const found = statements.all(
    `select route.* from route_carrier join route on route.id = route_carrier.route
      where route_carrier.carrier = ? and route_carrier.removed_at is null and route.removed_at is null`,
    carrier,
  );
  for (const row of found) keepRoute(rows, row, statements);
}

function keepRoute(rows: Rows, row: Record, statements: Statements): void {
  const match = routeMatchFrom(row);
  const key = routeKey(match);
  if (rows.routesByKey.has(key)) return;
  const id = integer(row, 'id');
  rows.routesByKey.set(key, {
    ...match,
    change: 'none',
    id,
    by: rankOrderFrom(row),
    carriers: statements.all(carriersOfRoute, id).map(routeCarrierRowFrom),
    createdAt: integer(row, 'created_at'),
    removedAt: integerOrNull(row, 'removed_at'),
  });
}

function routeCarrierRowFrom(row: Record): RouteCarrierRow {
  return {
    ...routeCarrierFrom(row),
    change: 'none',
    createdAt: integer(row, 'created_at'),
    removedAt: integerOrNull(row, 'removed_at'),
  };
}

const carriersOfRoute = 'select * from route_carrier where route = ? order by rank, created_at, carrier';

export function writeRoute(row: RouteRow, statements: Statements): void {
  if (row.change === 'new') {
    statements.run(
      'insert into route values (?, ?, ?, ?, ?, ?, ?, ?)',
      row.id,
      row.prefix,
      row.sender,
      row.account,
      row.encoding,
      row.by,
      row.createdAt,
      row.removedAt,
    );
  } else if (row.change === 'changed') {
    statements.run(
      `update route set prefix = ?, sender = ?, account = ?, encoding = ?, rank_order = ?, removed_at = ? where id = ?`,
      row.prefix,
      row.sender,
      row.account,
      row.encoding,
      row.by,
      row.removedAt,
      row.id,
    );
  }
  for (const carrier of row.carriers) writeRouteCarrier(row.id, carrier, statements);
}

function writeRouteCarrier(route: number, row: RouteCarrierRow, statements: Statements): void {
  if (row.change === 'none') return;
  statements.run(
    'insert or replace into route_carrier values (?, ?, ?, ?, ?, ?, ?, ?)',
    route,
    row.carrier,
    row.rank,
    row.weight,
    row.cost,
    row.waitMs,
    row.createdAt,
    row.removedAt,
  );
}

/** What a claim needs of a route. */
export interface RouteInUse {
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
    const rows = this.#statements.all(carriersOfRoute, route);
    const found = {
      by: rankOrderFrom(this.#statements.get('select rank_order from route where id = ?', route) ?? {}),
      carriers: rows.filter((row) => row['removed_at'] === null).map(routeCarrierFrom),
      everIn: new Set(rows.map((row) => integer(row, 'carrier'))),
    };
    if (this.#routes.size >= keptMax) this.#routes.clear();
    this.#routes.set(route, found);
    return found;
  }

  forget(): void {
    this.#routes.clear();
  }
}
