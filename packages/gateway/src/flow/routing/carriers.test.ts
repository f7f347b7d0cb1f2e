import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { accountDefaults, type Account } from '../../core/account/account.ts';
import { findWay, type Way } from '../../core/routing/way.ts';
import { cheaperWaitMs } from '../../core/routing/carrier-choice.ts';
import type { Carrier } from '../../core/routing/carrier.ts';
import { allEligible, eligibleText } from '../../core/routing/eligible.ts';
import type { MarginMin } from '@morsel/api/values/margin.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { priceTable } from '../../core/money/price-table.ts';
import { priorityNumbers } from '../../core/message/priority.ts';
import { ok } from '@morsel/api/values/result.ts';
import { rankOrders, type RankOrder } from '@morsel/api/values/routing.ts';
import type { Route, RouteCarrier } from '../../core/routing/route.ts';
import { buildSnapshot, type Settings, type Snapshot } from '../../core/snapshot.ts';
import type { Journal } from '../../store/journal.ts';
import {
  carrierCommand,
  carrierSettings,
  routeCommand,
  removeRouteCommand,
} from '../../../test/support/store/routing-commands.ts';
import { propertyRuns, TestStore } from '../../../test/support/store/store.ts';
import { onlyNode, type Nodes } from '../nodes/nodes.ts';
import type { CarrierLink } from './carrier-link.ts';
import { explainRoute } from '../../edge/admin/resources/routing/explain-route.ts';
import { Carriers } from './carriers.ts';
import { linksFactor } from './link-duties.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';

/** A carrier with random settings and a random state. */
interface Drawn {
  readonly rank: number;
  readonly weight: number;
  readonly waitMs: number | null;
  readonly isOpen: boolean;
  readonly isBound: boolean;
  readonly room: number;
  /** The carrier's cost of a part, in the account's currency or in another one. */
  readonly cost: bigint | null;
  readonly isOtherMoney: boolean;
  /** For how long the carrier has been in this state. */
  readonly forMs: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  rank: fc.integer({ min: 1, max: 3 }),
  weight: fc.integer({ min: 1, max: 3 }),
  waitMs: fc.constantFrom(null, 30_000),
  isOpen: fc.boolean(),
  isBound: fc.boolean(),
  room: fc.nat(2),
  cost: fc.option(fc.bigInt({ min: 1n, max: 4n })),
  isOtherMoney: fc.boolean(),
  forMs: fc.constantFrom(0, 2_000, 5_000),
});

const account: Account = {
  id: 1,
  name: 'acme',
  currency: 'EUR',
  status: 'active',
  ...accountDefaults,
  priceList: 1,
};

const everybody = { sender: null, account: null, encoding: null } as const;

/** Links in memory, and a store without waiting messages, around the real carriers. */
class World {
  readonly clock = TestClock.still(1_000_000);
  readonly carriers: Carriers;
  readonly settings: Settings;
  /** The carriers that have a bound link at another node. */
  readonly atOthers = new Set<number>();
  readonly #drawn: readonly Drawn[];
  #time = 0;

  constructor(carriers: readonly Drawn[], { by, marginMin }: DrawnSettings) {
    this.#drawn = carriers;
    const other = () => ({ boundLinks: [...this.atOthers].map((carrier) => carrier * linksFactor + 1) });
    this.carriers = new Carriers({
      journal: emptyStore,
      clock: this.clock,
      log: quietLog,
      lease: 1,
      // No carrier sends a message.
      nextId: () => assert.fail('nothing comes from a carrier'),
      heldFrom: () => null,
      traces: undefined,
      // Of other nodes, only their bound links count here.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      nodes: { ...onlyNode, others: () => [other()] } as unknown as Nodes,
      links: { open: (carrier) => this.#link(carrier().id - 1), test: () => assert.fail('nobody tests') },
    });
    this.settings = {
      accounts: [{ ...account, belowMargin: 'refuse', marginMin }],
      tokens: [],
      carriers: carriers.map(({ cost }, index) => ({
        ...carrierOf(index + 1),
        costList: cost === null ? null : index + 11,
      })),
      routes: [{ ...everybody, id: 2, prefix: '41', by, isRemoved: false, carrierList: 0 }],
      carrierLists: [
        carriers
          .map(({ rank, weight, waitMs }, index) => ({ carrier: index + 1, rank, weight, waitMs, cost: null }))
          .toSorted((a, b) => a.rank - b.rank),
      ],
      webhooks: [],
      priceLists: [
        listOf(1, 'EUR'),
        ...carriers.map((each, index) => listOf(index + 11, each.isOtherMoney ? 'USD' : 'EUR')),
      ],
    };
  }

  get snapshot(): Snapshot {
    return buildSnapshot(this.settings, (list) =>
      priceTable([{ prefix: '41', unitPrice: toMicros(list === 1 ? 10n : (this.#drawn[list - 11]?.cost ?? 0n)) }]),
    );
  }

  /** The carrier's cost in the account's currency; above every known cost if it is unknown. */
  costOf(carrier: number): bigint {
    const { cost, isOtherMoney } = this.#drawn[carrier - 1] ?? { cost: null, isOtherMoney: false };
    return cost === null || isOtherMoney ? 2n ** 62n : cost;
  }

  /** Brings every carrier up, and then into its random state. */
  async begin(): Promise<void> {
    for (this.#time = 0; this.#time <= 5_000; this.#time += 500) {
      const { snapshot } = this;
      const carriers = [...snapshot.carriers].map(([id, carrier]) => {
        const isPaused = this.#hasTurned(id - 1) && !(this.#drawn[id - 1]?.isOpen ?? true);
        return [id, isPaused ? { ...carrier, status: 'paused' as const } : carrier] as const;
      });
      this.carriers.apply({ ...snapshot, carriers: new Map(carriers) });
      await this.pass(500);
    }
  }

  /** Lets time pass, and the carriers look. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  #hasTurned(index: number): boolean {
    return 5_000 - this.#time <= (this.#drawn[index]?.forMs ?? 0);
  }

  #link(index: number): CarrierLink {
    const isBound = () => !this.#hasTurned(index) || (this.#drawn[index]?.isBound ?? false);
    const room = () => (isBound() ? (this.#drawn[index]?.room ?? 0) : 0);
    return {
      number: 1,
      get isBound() {
        return isBound();
      },
      get room() {
        return room();
      },
      reserveRoom: () => 1,
      freeRoom: () => undefined,
      send: () => undefined,
      use: () => undefined,
      start: () => undefined,
      rebind: async () => undefined,
      settled: async () => undefined,
      drain: async () => undefined,
      destroy: () => undefined,
      get status() {
        return assert.fail('nobody asks');
      },
    };
  }
}

interface DrawnSettings {
  readonly by: RankOrder;
  readonly marginMin: MarginMin | null;
}

/** The price of a part is 10, so a cost of 4 leaves a margin of 6. */
const drawnSettings: fc.Arbitrary<DrawnSettings> = fc.record({
  by: fc.constantFrom(...rankOrders),
  marginMin: fc.constantFrom(null, { isPercent: true, leastLeft: toMicros(65_000_000n) }),
});

function listOf(id: number, currency: string): Settings['priceLists'][number] {
  return { id, name: `list-${id}`, currency, base: null, versions: [{ version: 1, effectiveAt: 0 }] };
}

const emptyStore: Pick<Journal, 'append' | 'appendThen'> = {
  // The test appends only claims.
  append: async () => ok({ parts: [], nextDue: null, skipped: 0, left: null }),
  appendThen: () => assert.fail('no carrier answers'),
};

function carrierOf(id: number): Carrier {
  return { ...carrierSettings(), name: `carrier-${id}`, id, status: 'active', costList: null };
}

it('a carrier that is bound at another node is up, and a carrier of a worse rank leaves messages to it', async () => {
  const usual = { weight: 1, waitMs: null, isOpen: true, room: 1, cost: null, isOtherMoney: false, forMs: 5_000 };
  const carriers = [
    { ...usual, rank: 1, isBound: false },
    { ...usual, rank: 2, isBound: true },
  ];
  const world = new World(carriers, { by: 'weight', marginMin: null });
  world.atOthers.add(1);
  await world.begin();
  const route = world.snapshot.routes.get(2) ?? assert.fail('there is a route');
  const chosen = () => world.carriers.choose(route, { numParts: 1, priority: priorityNumbers.normal }, allEligible);
  assert.deepEqual(world.carriers.up, [1, 2]);
  assert.deepEqual(
    chosen().verdicts.map(({ kind }) => kind),
    ['not-bound', 'rank'],
  );
  world.atOthers.clear();
  await world.pass(200);
  await world.pass(2_900);
  assert.equal(chosen().chosen, undefined);
  await world.pass(200);
  assert.deepEqual(world.carriers.up, [2]);
  assert.equal(chosen().chosen?.carrier, 2);
});

describe('route explain', () => {
  it('agrees with the reservation for a new message and with claims, whatever the state of the carriers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 2 }),
        drawnSettings,
        async (carriers, parts, settings) => {
          const world = new World(carriers, settings);
          await world.begin();
          const { snapshot } = world;
          const text = 'x'.repeat(parts === 1 ? 1 : 161);
          const fields = { account: 'acme', receiver: '+41791234567', text };
          const explained = explainRoute(
            { snapshot: () => snapshot, clock: world.clock, control: world.carriers },
            fields,
          );
          assert.ok(explained.ok);
          const { chosen } = explained.value;
          const verdicts = explained.value.carriers.map(({ verdict }) => verdict);
          const [payer = account] = world.settings.accounts;
          const question = { account: account.id, receiver: fields.receiver, sender: null, encoding: 'gsm7' };
          const way = findWay(question, parts, { account: payer, snapshot, at: world.clock.now() });
          assert.ok(way.ok);
          const isForNobody = verdicts.every((verdict) => verdict === 'margin');
          const chosenId = [...snapshot.carriers.values()].find(({ name }) => name === chosen)?.id ?? null;
          if (isForNobody) return assert.equal(chosenId, null);
          const reserved = world.carriers.reserveOnRoute(way.value, priorityNumbers.normal, parts);
          assert.equal(reserved?.claim.carrier ?? null, chosenId);
          const allowed = allowedBy(way.value.route, verdicts);
          assert.equal(await claimedBy(world, way.value, cheaperWaitMs), allowed[0]?.carrier ?? null);
          const atOnce = allowed.find((each) => settings.by === 'weight' || !hasCheaper(world, way.value, each));
          assert.equal(await claimedBy(world, way.value, 0), atOnce?.carrier ?? null);
        },
      ),
      { numRuns: propertyRuns(80) },
    );
  });
});

/** Whether a bound carrier of its rank is cheaper and eligible. */
function hasCheaper(world: World, { route, eligible }: Way, own: RouteCarrier): boolean {
  return route.carriers.some(
    ({ carrier, rank }) =>
      rank === own.rank &&
      world.costOf(carrier) < world.costOf(own.carrier) &&
      world.carriers.up.includes(carrier) &&
      !eligible.barred.includes(carrier),
  );
}

/** The first carrier of the route whose claim gets a message that has waited this long, in the order of the route. */
async function claimedBy(world: World, { route, eligible }: Way, waitedMs: number): Promise<number | null> {
  await using store = await TestStore.open();
  await store.one(removeRouteCommand());
  for (const { carrier, ...rest } of route.carriers.toSorted((a, b) => a.carrier - b.carrier)) {
    if (carrier > 1) await store.one(carrierCommand({ name: `carrier-${carrier}` }));
    await store.one(
      routeCommand({ carrier: carrier === 1 ? 'alpha' : `carrier-${carrier}`, by: route.by, ...named(rest) }),
    );
  }
  await store.one(store.accept({ route: 2, eligible: eligibleText(eligible) }));
  for (const { carrier } of route.carriers) {
    const { isOpen, isBound } = world.carriers.seen(carrier, { numParts: 1, priority: priorityNumbers.normal });
    // A paused or unbound carrier has no link to claim for.
    if (!isOpen || !isBound) continue;
    if ((await store.claim(1, { at: store.now + waitedMs, carrier, up: world.carriers.up })).length > 0) return carrier;
  }
  return null;
}

function named({ rank, weight, cost, waitMs }: Omit<Route['carriers'][number], 'carrier'>) {
  return { rank, weight, cost, waitMs };
}

/** The carriers that `explain` does not hold back, except for room and older messages. */
function allowedBy(route: Route, verdicts: readonly string[]): readonly RouteCarrier[] {
  const allowed = new Set(['chosen', 'next', 'behind', 'no-room']);
  return route.carriers.filter((_each, at) => allowed.has(verdicts[at] ?? ''));
}
