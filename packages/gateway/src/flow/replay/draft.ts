import type { MarginMin, MarginMode } from '@morsel/api/values/margin.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { RankOrder, RouteEncoding } from '@morsel/api/values/routing.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import type { RouteCarrier } from '../../core/routing/route.ts';
import { priceTable, type PriceTable } from '../../core/money/price-table.ts';
import type { PriceListSettings, PriceTables, Settings } from '../../core/snapshot.ts';
import type { Step } from '../../state/decide/config/plan.ts';

/* The settings as they would be after the steps of a plan, as far as routes, prices and costs depend on them. */

/** A step of a plan, as far as its effect matters. A sender has the form in which it is stored. */
export type DraftStep = Pick<Step, 'operation' | 'input'>;

interface Tabled {
  readonly settings: Settings;
  readonly tables: PriceTables;
}

/** Steps about other settings, such as webhooks, change nothing here. A rehearsal has accepted the steps before. */
export function draftOf({ settings, tables }: Tabled, steps: readonly DraftStep[], at: Instant): Tabled {
  const draft = new Draft(settings, tables, at);
  for (const { operation, input } of steps) draft.do(operation, input);
  return draft.done();
}

interface DraftRoute {
  readonly id: number;
  readonly prefix: string;
  readonly sender: string | null;
  readonly account: number | null;
  readonly encoding: RouteEncoding | null;
  by: RankOrder;
  isRemoved: boolean;
  carriers: RouteCarrier[];
}

/** What an operation on a route, carrier, account or price list is given. */
interface Given {
  readonly name?: string;
  readonly carrier?: string;
  readonly account?: string | null;
  readonly costList?: string | null;
  readonly priceList?: string;
  readonly marginMin?: MarginMin | null;
  readonly belowMargin?: MarginMode;
  readonly prefix?: string;
  readonly sender?: string | null;
  readonly encoding?: RouteEncoding | null;
  readonly rank?: number;
  readonly weight?: number;
  readonly cost?: Micros | null;
  readonly after?: number | null;
  readonly by?: RankOrder;
  readonly list?: string;
  readonly prices?: readonly { readonly prefix: string; readonly price: Micros | null }[];
}

class Draft {
  readonly #settings: Settings;
  readonly #tables: PriceTables;
  readonly #at: Instant;
  readonly #routes: DraftRoute[];
  readonly #changed = new Map<string, PriceTable>();
  #carriers: readonly Carrier[];
  #accounts: Settings['accounts'];
  #priceLists: readonly PriceListSettings[];

  constructor(settings: Settings, tables: PriceTables, at: Instant) {
    this.#settings = settings;
    this.#tables = tables;
    this.#at = at;
    this.#carriers = settings.carriers;
    this.#accounts = settings.accounts;
    this.#priceLists = settings.priceLists;
    this.#routes = settings.routes.map(({ carrierList, ...route }) => ({
      ...route,
      carriers: [...(settings.carrierLists[carrierList] ?? [])],
    }));
  }

  do(operation: string, input: Step['input']): void {
    const given: Given = input;
    const act: { readonly [name: string]: () => void } = {
      'carrier.add': () => this.#addCarrier(given),
      'carrier.set': () => this.#setCarrier(given),
      'carrier.remove': () => (this.#carriers = this.#carriers.filter(({ name }) => name !== given.carrier)),
      'account.set': () => this.#setAccount(given),
      'account.remove': () => (this.#accounts = this.#accounts.filter(({ name }) => name !== given.account)),
      'route.add': () => this.#addRoute(given),
      'route.set': () => this.#setRoute(given),
      'route.remove': () => this.#removeRoute(given),
      'price.set': () => this.#setPrices(given),
    };
    act[operation]?.();
  }

  done(): Tabled {
    const routes = this.#routes.map(({ carriers: _carriers, ...route }, carrierList) => ({ ...route, carrierList }));
    const carrierLists = this.#routes.map(({ carriers }) => carriers.toSorted((one, other) => one.rank - other.rank));
    const [carriers, accounts, priceLists] = [this.#carriers, this.#accounts, this.#priceLists];
    return {
      settings: { ...this.#settings, carriers, accounts, priceLists, routes, carrierLists },
      tables: (list, version) => this.#changed.get(`${list}.${version}`) ?? this.#tables(list, version),
    };
  }

  /** A new carrier gets an id below 0, which no stored carrier has. */
  #addCarrier({ name = '', costList }: Given): void {
    const id = -1 - this.#carriers.length;
    // Routes and costs of a carrier depend on no other setting.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const carrier = { id, name, status: 'active', costList: this.#listIdOf(costList) } as Carrier;
    this.#carriers = [...this.#carriers, carrier];
  }

  #setCarrier({ carrier: of, costList }: Given): void {
    if (costList === undefined) return;
    const changed = { costList: this.#listIdOf(costList) };
    this.#carriers = this.#carriers.map((each) => (each.name === of ? { ...each, ...changed } : each));
  }

  #setAccount({ account: of, priceList, marginMin, belowMargin }: Given): void {
    this.#accounts = this.#accounts.map((each) => {
      if (each.name !== of) return each;
      const list = priceList === undefined ? each.priceList : (this.#listIdOf(priceList) ?? each.priceList);
      const margin = marginMin === undefined ? each.marginMin : marginMin;
      return { ...each, priceList: list, marginMin: margin, belowMargin: belowMargin ?? each.belowMargin };
    });
  }

  #addRoute(given: Given): void {
    const { rank = 1, weight = 1, cost = null, after = null, by } = given;
    const route = this.#routeOf(given) ?? this.#newRoute(given);
    const waitMs = after === null ? null : after * secondMs;
    route.carriers.push({ carrier: this.#carrierIdOf(given.carrier), rank, weight, cost, waitMs });
    if (by !== undefined) route.by = by;
  }

  #setRoute(given: Given): void {
    const route = this.#routeOf(given);
    if (!route) return;
    const { rank, weight, cost, after, by } = given;
    const id = this.#carrierIdOf(given.carrier);
    route.carriers = route.carriers.map((each) => {
      if (each.carrier !== id) return each;
      const waitMs = after === undefined ? each.waitMs : after === null ? null : after * secondMs;
      const newCost = cost === undefined ? each.cost : cost;
      return { carrier: id, rank: rank ?? each.rank, weight: weight ?? each.weight, cost: newCost, waitMs };
    });
    if (by !== undefined) route.by = by;
  }

  #removeRoute(given: Given): void {
    const route = this.#routeOf(given);
    if (!route) return;
    const id = this.#carrierIdOf(given.carrier);
    route.carriers = given.carrier === undefined ? [] : route.carriers.filter(({ carrier }) => carrier !== id);
    if (route.carriers.length === 0) route.isRemoved = true;
  }

  #newRoute(given: Given): DraftRoute {
    const id = -1 - this.#routes.length;
    const route: DraftRoute = { id, ...this.#matchOf(given), by: 'weight', isRemoved: false, carriers: [] };
    this.#routes.push(route);
    return route;
  }

  #routeOf(given: Given): DraftRoute | undefined {
    const { prefix, sender, account, encoding } = this.#matchOf(given);
    return this.#routes.find(
      (each) =>
        !each.isRemoved &&
        each.prefix === prefix &&
        each.sender === sender &&
        each.account === account &&
        each.encoding === encoding,
    );
  }

  #matchOf({ prefix = '', sender = null, account = null, encoding = null }: Given) {
    const id = account === null ? null : (this.#accounts.find(({ name }) => name === account)?.id ?? null);
    return { prefix, sender, account: id, encoding };
  }

  #setPrices({ list: of, prices = [] }: Given): void {
    const list = this.#priceLists.find(({ name }) => name === of);
    if (!list) return;
    const present = list.versions.findLast(({ effectiveAt }) => effectiveAt <= this.#at);
    const version = present?.version ?? 0;
    const table = present && this.#tables(list.id, version);
    const merged = new Map(table?.entries());
    for (const { prefix, price } of prices) {
      if (price === null) merged.delete(prefix);
      else merged.set(prefix, price);
    }
    const changed = [...merged].map(([prefix, unitPrice]) => ({ prefix, unitPrice }));
    this.#changed.set(`${list.id}.${version}`, priceTable(changed));
    if (present) return;
    const versions = [{ version, effectiveAt: 0 }, ...list.versions];
    this.#priceLists = this.#priceLists.map((each) => (each === list ? { ...list, versions } : each));
  }

  #carrierIdOf(of: string | undefined): number {
    return this.#carriers.find(({ name }) => name === of)?.id ?? 0;
  }

  #listIdOf(of: string | null | undefined): number | null {
    return this.#priceLists.find(({ name }) => name === of)?.id ?? null;
  }
}
