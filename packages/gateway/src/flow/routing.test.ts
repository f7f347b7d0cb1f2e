import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { accountDefaults } from '../core/account.ts';
import type { Account } from '../core/account.ts';
import type { Carrier } from '../core/carrier.ts';
import { toMicros } from '../core/money.ts';
import { priceTable } from '../core/price-table.ts';
import { priorityNumbers } from '../core/priority.ts';
import { ok } from '../core/result.ts';
import type { Route } from '../core/route.ts';
import { buildSnapshot } from '../core/snapshot.ts';
import type { Settings } from '../core/snapshot.ts';
import type { Journal } from '../store/journal.ts';
import { carrierCommand, routeCommand, TestStore } from '../store/test-store.ts';
import { Dispatch } from './dispatch.ts';
import type { SendingLink } from './dispatch.ts';
import { explainRoute } from './explain-route.ts';
import { Routing } from './routing.ts';
import { submit } from './submit.ts';

/** A carrier as a run of the property has it. */
interface Drawn {
  readonly rank: number;
  readonly weight: number;
  readonly waitMs: number | null;
  readonly isOpen: boolean;
  readonly isBound: boolean;
  readonly room: number;
  /** How long it has been as it is. */
  readonly forMs: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  rank: fc.integer({ min: 1, max: 3 }),
  weight: fc.integer({ min: 1, max: 3 }),
  waitMs: fc.constantFrom(null, 30_000),
  isOpen: fc.boolean(),
  isBound: fc.boolean(),
  room: fc.nat(2),
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

/** Links in memory, and a store that has nothing waiting, around the real routing and dispatch. */
class World {
  readonly clock = { time: 1_000_000, now: () => this.clock.time };
  readonly dispatches: Dispatch[];
  readonly routing: Routing;
  readonly settings: Settings;
  readonly #drawn: readonly Drawn[];
  #time = 0;

  constructor(carriers: readonly Drawn[]) {
    this.#drawn = carriers;
    const routing = new Routing({
      clock: this.clock,
      dispatchOf: (id) => this.dispatches[id - 1],
      dispatches: () => this.dispatches,
    });
    this.routing = routing;
    this.dispatches = carriers.map((_each, index) => {
      const needs = { journal: emptyStore, clock: this.clock, lease: 1, log: { error: () => undefined } };
      return new Dispatch(carrierOf(index + 1), { ...needs, up: () => routing.up, waits: () => undefined });
    });
    this.settings = {
      accounts: [account],
      tokens: [],
      carriers: carriers.map((_each, index) => carrierOf(index + 1)),
      routes: [{ ...everybody, id: 2, prefix: '41', by: 'weight', isRemoved: false, carrierList: 0 }],
      carrierLists: [
        carriers
          .map(({ rank, weight, waitMs }, index) => ({ carrier: index + 1, rank, weight, waitMs, cost: null }))
          .toSorted((a, b) => a.rank - b.rank),
      ],
      priceLists: [{ id: 1, name: 'default', currency: 'EUR', base: null, versions: [{ version: 1, effectiveAt: 0 }] }],
    };
  }

  /** Every carrier was there, and then became as it was drawn. */
  async begin(): Promise<void> {
    for (const [index, dispatch] of this.dispatches.entries()) dispatch.use([this.#link(index)]);
    this.routing.use(buildSnapshot(this.settings, tables).routes);
    for (this.#time = 0; this.#time <= 5_000; this.#time += 500) {
      for (const [index, dispatch] of this.dispatches.entries()) {
        if (this.#hasTurned(index) && !(this.#drawn[index]?.isOpen ?? true)) dispatch.setOpen(false);
      }
      this.clock.time += 500;
      this.routing.look();
    }
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  #hasTurned(index: number): boolean {
    return 5_000 - this.#time <= (this.#drawn[index]?.forMs ?? 0);
  }

  #link(index: number): SendingLink {
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
      reserve: () => undefined,
      release: () => undefined,
      send: () => undefined,
      heard: () => undefined,
    };
  }
}

const emptyStore: Pick<Journal, 'append'> = {
  // Only claims are made here.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  append: (async () => ok({ parts: [], nextDue: null, skipped: 0, left: null })) as unknown as Journal['append'],
};

function carrierOf(id: number): Carrier {
  const { kind: _kind, at: _at, ...settings } = carrierCommand({ name: `carrier-${id}` });
  return { ...settings, id, status: 'active' };
}

const tables = () => priceTable([{ prefix: '41', unitPrice: toMicros(10n) }]);

describe('route explain', () => {
  it('says what submit does, and what claims do, whatever the carriers are like', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 2 }),
        async (carriers, parts) => {
          const world = new World(carriers);
          await world.begin();
          const snapshot = buildSnapshot(world.settings, tables);
          const text = 'x'.repeat(parts === 1 ? 1 : 161);
          const fields = { account: 'acme', receiver: '+41791234567', text };
          const explained = explainRoute(
            { snapshot: () => snapshot, clock: world.clock, routing: world.routing },
            fields,
          );
          assert.ok(explained.ok);
          const { choice, way } = explained.value;
          assert.ok(choice && way.ok);
          assert.equal(await claimantOf(world, text), choice.chosen?.carrier ?? null);
          assert.equal(claimedBy(world, way.value.route), firstAllowed(way.value.route, choice.verdicts));
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** The carrier that submit claims a message for in its own commit. */
async function claimantOf(world: World, text: string): Promise<number | null> {
  let claimant: number | null | undefined;
  const journal: Pick<Journal, 'append'> = {
    // It is asked to accept one message, and refuses: what it was asked is what counts.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    append: (async (command: { claim: { carrier: number } | null }) => {
      claimant = command.claim?.carrier ?? null;
      return { ok: false, error: { code: 'internal_error' } };
    }) as unknown as Journal['append'],
  };
  const needs = {
    snapshot: () => buildSnapshot(world.settings, tables),
    journal,
    clock: world.clock,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    nextId: () => 1 as never,
    reader: { ask: () => assert.fail('nothing was refused') },
    reserve: world.routing.reserve.bind(world.routing),
    waits: () => undefined,
    limits: { judge: () => undefined, take: () => undefined },
    alert: () => undefined,
    repeats: { once: () => assert.fail('it has no idempotency key') },
  };
  const draft = { sender: '+41790000001', receiver: '+41791234567', text, dcs: 'SMS' };
  await submit(needs, account, { draft, source: 'http' });
  assert.notEqual(claimant, undefined);
  return claimant ?? null;
}

/** The first carrier of the route whose claim gets a message that waits, asked in the order of the route. */
function claimedBy(world: World, route: Route): number | null {
  using store = new TestStore();
  store.one({ kind: 'remove-route', at: 0, prefix: '41', sender: null, account: null, encoding: null, carrier: null });
  for (const { carrier, ...rest } of route.carriers.toSorted((a, b) => a.carrier - b.carrier)) {
    if (carrier > 1) store.one(carrierCommand({ name: `carrier-${carrier}` }));
    store.one(routeCommand({ carrier: carrier === 1 ? 'alpha' : `carrier-${carrier}`, ...named(rest) }));
  }
  store.one(store.accept({ route: 2 }));
  for (const { carrier } of route.carriers) {
    const { isOpen, isBound } = world.routing.seen(carrier, { numParts: 1, priority: priorityNumbers.normal });
    // Who is paused or not bound has no link to claim for.
    if (!isOpen || !isBound) continue;
    if (store.claim(1, { carrier, up: world.routing.up }).length > 0) return carrier;
  }
  return null;
}

function named({ rank, weight, cost, waitMs }: Omit<Route['carriers'][number], 'carrier'>) {
  return { rank, weight, cost, waitMs };
}

/** By what explain says: whoever is not held back by anything but room and what waits before. */
function firstAllowed(route: Route, verdicts: readonly { readonly kind: string }[]): number | null {
  const allowed = new Set(['chosen', 'next', 'behind', 'no-room']);
  return route.carriers.find((_each, at) => allowed.has(verdicts[at]?.kind ?? ''))?.carrier ?? null;
}
