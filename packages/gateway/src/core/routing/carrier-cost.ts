import type { Account } from '../account/account.ts';
import { allEligible, type Eligible } from './eligible.ts';
import { isBelowMargin } from '../money/margin.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { PriceList } from '../money/price-list.ts';
import { rate } from '../money/rating.ts';
import type { Route, RouteCarrier } from './route.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/*
 * Costs of carriers. The costs of a carrier come from a price list, and a route may set another cost for a carrier.
 * There are no exchange rates. So a cost in a currency other than the account's counts as unknown, and does not affect
 * routing.
 */

export interface UnitCost {
  readonly amount: Micros;
  readonly currency: string;
}

export interface CostTables {
  /** Whether the operator set any cost. If not, all look-ups of costs are skipped. */
  readonly hasCosts: boolean;
  readonly costLists: ReadonlyMap<number, PriceList>;
}

/** Everything that determines a cost, except the carrier. */
export interface CostQuestion {
  readonly receiver: string;
  /** The account's currency. A cost in a route is in this currency too. */
  readonly currency: string;
  readonly at: Instant;
}

/** What a carrier charges for one part; null if the cost is unknown. */
export function unitCostOf(
  { carrier, cost }: Pick<RouteCarrier, 'carrier' | 'cost'>,
  tables: CostTables,
  { receiver, currency, at }: CostQuestion,
): UnitCost | null {
  if (cost !== null) return { amount: cost, currency };
  const list = tables.costLists.get(carrier);
  const rated = list && rate(list, receiver, { numParts: 1, at });
  return list && rated ? { amount: rated.unitPrice, currency: list.currency } : null;
}

/** What a carrier charges for one part; null if the cost is unknown or not in the account's currency. */
function knownCostOf(each: RouteCarrier, tables: CostTables, question: CostQuestion): Micros | null {
  const cost = unitCostOf(each, tables, question);
  return cost?.currency === question.currency ? cost.amount : null;
}

interface CostedMessage {
  readonly account: Pick<Account, 'currency' | 'marginMin' | 'belowMargin'>;
  readonly receiver: string;
  readonly unitPrice: Micros;
  readonly at: Instant;
}

/**
 * The eligible carriers of a new message, without carriers that leave too small a margin. The result has the order of
 * the carriers by cost, if this differs from the costs in the route. It is computed when the message is accepted or
 * becomes due, so that a claim needs no look-up of costs.
 */
export function eligibleByCost(route: Route, tables: CostTables, message: CostedMessage): Eligible {
  if (!tables.hasCosts) return allEligible;
  const { account, receiver, unitPrice, at } = message;
  const min = account.belowMargin === 'refuse' ? account.marginMin : null;
  const isOrdered = route.by === 'cost' && route.carriers.length > 1;
  if (min === null && !isOrdered) return allEligible;
  const question = { receiver, currency: account.currency, at };
  const costs = new Map(route.carriers.map((each) => [each, knownCostOf(each, tables, question)]));
  const costOf = (each: RouteCarrier) => costs.get(each) ?? null;
  const barred = route.carriers
    .filter((each) => {
      const cost = costOf(each);
      return min !== null && cost !== null && isBelowMargin(min, unitPrice, cost);
    })
    .map(({ carrier }) => carrier);
  const order = isOrdered ? orderOf(route.carriers, costOf) : [];
  const isAsRouted =
    !isOrdered ||
    isSameOrder(
      order,
      orderOf(route.carriers, ({ cost }) => cost),
    );
  return barred.length === 0 && isAsRouted ? allEligible : { ...allEligible, barred, order: isAsRouted ? [] : order };
}

export function isForNobody(route: Pick<Route, 'carriers'>, { barred }: Eligible): boolean {
  return barred.length > 0 && route.carriers.every(({ carrier }) => barred.includes(carrier));
}

/** The carriers in groups of equal cost, by rank and then by cost. Carriers of unknown cost come last in their rank. */
function orderOf(
  carriers: readonly RouteCarrier[],
  costOf: (each: RouteCarrier) => Micros | null,
): readonly (readonly number[])[] {
  const groups: { readonly rank: number; readonly cost: Micros | null; readonly ids: number[] }[] = [];
  const inOrder = carriers.toSorted((a, b) => a.rank - b.rank || compareCosts(costOf(a), costOf(b)));
  for (const each of inOrder) {
    const last = groups.at(-1);
    const cost = costOf(each);
    if (last?.rank === each.rank && last.cost === cost) last.ids.push(each.carrier);
    else groups.push({ rank: each.rank, cost, ids: [each.carrier] });
  }
  return groups.map(({ ids }) => ids);
}

function isSameOrder(one: readonly (readonly number[])[], other: readonly (readonly number[])[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Sorts the lower cost first, and unknown costs last. */
export function compareCosts(cost: Micros | null, otherCost: Micros | null): number {
  if (cost === otherCost) return 0;
  if (cost === null || otherCost === null) return cost === null ? 1 : -1;
  return cost < otherCost ? -1 : 1;
}
