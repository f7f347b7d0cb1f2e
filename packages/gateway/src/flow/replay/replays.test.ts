/*
 * A replay of the last hour on a real store, in its own threads. What it must find is computed apart from the code under
 * test: a loop over plain lists of routes, prices and costs.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import { done } from '../../../test/support/done.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';
import { operate } from '../../../test/support/store/operate.ts';
import {
  carrierCommand,
  carrierStatusCommand,
  removeRouteCommand,
  routeCommand,
} from '../../../test/support/store/routing-commands.ts';
import { manyRows, TestStore } from '../../../test/support/store/store.ts';
import { pricesOf } from '../../../test/support/store/prices.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import { firstIdAt, toMessageId } from '../../core/base/message-id.ts';
import type { DraftStep } from './draft.ts';
import type { Replayed } from './replay.ts';
import { Replays } from './replays.ts';

const messages = manyRows(200_000, 2_000);
/** The processor time that a replay may take in all its threads, with their start. A busy machine does not change it. */
const replayMaxMs = 5 * secondMs;

interface Via {
  readonly carrier: string;
  readonly rank?: number;
}
interface Line {
  readonly prefix: string;
  readonly sender?: string;
  readonly account?: string;
  readonly by?: 'cost';
  readonly via: readonly Via[];
}
type Prices = Readonly<Record<string, string>>;
interface World {
  readonly routes: readonly Line[];
  readonly prices: Readonly<Record<string, Prices>>;
  readonly costs: Readonly<Record<string, Prices>>;
}

const present: World = {
  routes: [
    { prefix: '41', via: [{ carrier: 'alpha' }, { carrier: 'beta', rank: 2 }] },
    { prefix: '4178', sender: 'Shop', via: [{ carrier: 'beta' }] },
    { prefix: '43', by: 'cost', via: [{ carrier: 'alpha' }, { carrier: 'beta' }] },
    { prefix: '44', via: [{ carrier: 'gamma' }] },
    { prefix: '45', account: 'globex', via: [{ carrier: 'beta' }] },
    { prefix: '45', via: [{ carrier: 'paused' }, { carrier: 'alpha', rank: 2 }] },
    { prefix: '49', via: [{ carrier: 'alpha' }, { carrier: 'beta' }] },
  ],
  prices: {
    default: { 41: '0.0075', 4179: '0.009', 43: '0.02', 44: '0.03', 45: '0.01', 49: '0.05' },
    special: { 41: '0.007', 43: '0.02', 44: '0.03', 45: '0.01', 49: '0.05' },
  },
  costs: {
    alpha: { 41: '0.005', 4178: '0.0061', 43: '0.01', 4366: '0.003', 45: '0.002', 49: '0.04' },
    beta: { 41: '0.004', 43: '0.008', 49: '0.04' },
    gamma: { 44: '0.01' },
  },
};

const draft: World = {
  routes: [
    { prefix: '41', via: [{ carrier: 'beta' }] },
    { prefix: '4178', sender: 'Shop', via: [{ carrier: 'beta' }] },
    { prefix: '4179', account: 'acme', via: [{ carrier: 'delta' }] },
    { prefix: '44', via: [{ carrier: 'gamma' }, { carrier: 'alpha', rank: 2 }] },
    { prefix: '45', account: 'globex', via: [{ carrier: 'beta' }] },
    { prefix: '45', via: [{ carrier: 'paused' }, { carrier: 'alpha', rank: 2 }] },
    { prefix: '49', via: [{ carrier: 'alpha' }, { carrier: 'beta' }] },
  ],
  prices: {
    default: { 41: '0.008', 4178: '0.0081', 4179: '0.009', 43: '0.02', 44: '0.03', 45: '0.01' },
    special: present.prices['special'] ?? {},
  },
  costs: { ...present.costs, delta: present.costs['beta'] ?? {} },
};

/** The steps of a plan that leads from the present settings to the draft. */
const steps: readonly DraftStep[] = [
  { operation: 'carrier.add', input: { name: 'delta', costList: 'cost-beta' } },
  { operation: 'route.add', input: { prefix: '4179', account: 'acme', carrier: 'delta', rank: 1, weight: 1 } },
  { operation: 'route.add', input: { prefix: '44', carrier: 'alpha', rank: 2, weight: 1 } },
  { operation: 'route.set', input: { prefix: '41', carrier: 'beta', rank: 1 } },
  { operation: 'route.remove', input: { prefix: '41', carrier: 'alpha' } },
  { operation: 'route.remove', input: { prefix: '43', carrier: 'beta' } },
  { operation: 'route.remove', input: { prefix: '43', carrier: 'alpha' } },
  {
    operation: 'price.set',
    input: {
      list: 'default',
      prices: [...pricesOf({ 41: '0.008', 4178: '0.0081' }), { prefix: '49', price: null }],
    },
  },
  { operation: 'webhook.remove', input: { webhook: 1 } },
];

const accounts = { acme: 'default', globex: 'special' } as const;
const bound = new Set(['alpha', 'beta', 'paused', 'delta']);
const receivers = ['4179', '4178', '4176', '4366', '4367', '44', '45', '49'];

interface Sent {
  readonly account: keyof typeof accounts;
  readonly sender: string;
  readonly receiver: string;
  readonly numParts: number;
}

function sent(at: number): Sent {
  const prefix = receivers[at % receivers.length] ?? '';
  return {
    account: at % 5 === 0 ? 'globex' : 'acme',
    sender: at % 3 === 0 ? 'Shop' : 'Info',
    receiver: `+${prefix}${String(1_000_000 + at)}`,
    numParts: 1 + (at % 4),
  };
}

/** The value of the longest prefix, in millionths. */
function longest(of: Prices | undefined, digits: string): bigint | undefined {
  let [found, length] = ['', -1];
  for (const [prefix, value] of Object.entries(of ?? {})) {
    if (digits.startsWith(prefix) && prefix.length > length) [found, length] = [value, prefix.length];
  }
  return length === -1 ? undefined : BigInt(Math.round(Number(found) * 1e6));
}

interface Gone {
  readonly where: string;
  readonly price: bigint | undefined;
  readonly cost: bigint | undefined;
}

function narrowness({ prefix, sender, account }: Line): number {
  return prefix.length * 10 + (sender === undefined ? 0 : 2) + (account === undefined ? 0 : 1);
}

/** Where each message goes, one rule after the other. Carriers of the same rank take turns on their route. */
function slowly(world: World, all: readonly Sent[]): readonly Gone[] {
  const turns = new Map<Line, number>();
  return all.map(({ account, sender, receiver }) => {
    const digits = receiver.slice(1);
    const fitting = world.routes.filter(
      (line) =>
        digits.startsWith(line.prefix) &&
        (line.sender === undefined || line.sender === sender) &&
        (line.account === undefined || line.account === account),
    );
    const [route] = fitting.toSorted((one, other) => narrowness(other) - narrowness(one));
    if (!route) return { where: 'no_route', price: undefined, cost: undefined };
    const price = longest(world.prices[accounts[account]], digits);
    if (price === undefined) return { where: 'no_price', price, cost: undefined };
    const able = route.via.filter(({ carrier }) => bound.has(carrier) && carrier !== 'paused');
    const rank = Math.min(...able.map((each) => each.rank ?? 1));
    const equal = able.filter((each) => (each.rank ?? 1) === rank).map(({ carrier }) => carrier);
    if (equal.length === 0) return { where: 'waiting', price, cost: undefined };
    const costOf = (carrier: string) => longest(world.costs[carrier], digits);
    const dear = (carrier: string) => costOf(carrier) ?? 10n ** 12n;
    const turn = turns.get(route) ?? 0;
    turns.set(route, turn + 1);
    const chosen =
      route.by === 'cost'
        ? equal.toSorted((one, other) => Number(dear(one) - dear(other)))[0]
        : equal[turn % equal.length];
    return { where: chosen ?? '', price, cost: costOf(chosen ?? '') };
  });
}

function slowFigures(all: readonly Sent[]) {
  const [was, will] = [slowly(present, all), slowly(draft, all)];
  const places: { [where: string]: number[] } = {};
  const count = (where: string, column: number, parts: number) => {
    const row = (places[where] ??= [0, 0, 0, 0]);
    row[column] = (row[column] ?? 0) + parts;
  };
  const money = [was, will].map(() => ({ price: 0n, cost: 0n, margin: 0n, knownParts: 0, unknownParts: 0 }));
  let changed = 0;
  for (const [at, { numParts }] of all.entries()) {
    const sides = [was[at], will[at]].map((each) => each ?? assert.fail());
    const [one, other] = sides;
    count(one?.where ?? '', 0, numParts);
    count(other?.where ?? '', 1, numParts);
    if (one?.where !== other?.where) {
      count(one?.where ?? '', 2, numParts);
      count(other?.where ?? '', 3, numParts);
    }
    for (const [side, { price, cost }] of sides.entries()) {
      const sum = money[side] ?? assert.fail();
      if (price === undefined) continue;
      sum.price += price * BigInt(numParts);
      if (cost === undefined) sum.unknownParts += numParts;
      else {
        sum.knownParts += numParts;
        sum.cost += cost * BigInt(numParts);
        sum.margin += (price - cost) * BigInt(numParts);
      }
    }
    if (one?.where !== other?.where || one?.price !== other?.price || one?.cost !== other?.cost) changed += 1;
  }
  return { places, money, changed };
}

function figuresOf({ places, money, changedMessages: changed }: Replayed) {
  const rows = places.map(({ kind, carrier, before: was, after: will, movedFrom, movedTo }) => [
    carrier ?? kind,
    [was, will, movedFrom, movedTo],
  ]);
  const [sum] = money;
  return { places: Object.fromEntries(rows), money: [sum?.before, sum?.after], changed };
}

function settingsOf(at: number) {
  const listed = (list: string, prices: Prices) =>
    operate('price.set', { list, currency: 'EUR', prices: pricesOf(prices) }, { at });
  return [
    removeRouteCommand({ at }),
    ...Object.entries(present.prices).map(([list, prices]) => listed(list, prices)),
    ...Object.entries(present.costs).map(([carrier, prices]) => listed(`cost-${carrier}`, prices)),
    operate(
      'carrier.set',
      { carrier: 'alpha', costList: 'cost-alpha' },
      { at, made: { shared: {}, given: { kind: 'smpp' } } },
    ),
    ...['beta', 'gamma'].map((name) => carrierCommand({ at, name, costList: `cost-${name}` })),
    carrierCommand({ at, name: 'paused' }),
    carrierStatusCommand('paused', 'paused', at),
  ];
}

describe('a replay of the last hour', () => {
  const ending = new AsyncDisposableStack();
  const all = Array.from({ length: messages }, (_, at) => sent(at));
  let store: TestStore;
  let replays: Replays;
  let carriers: readonly number[] = [];
  let end = 0;

  before(async () => {
    store = ending.use(await TestStore.open());
    const at = store.now;
    end = at + 2 * hourMs;
    replays = ending.use(new Replays({ log: quietLog, clock: TestClock.flowing(end), place: store.place }));
    await store.apply(...settingsOf(at));
    const rich = toMicros(10n ** 12n);
    await store.addAccount('globex', 0, { priceList: 'special', balance: rich });
    await store.one(operate('posting.topUp', { account: 'acme', amount: rich }, { at }));
    for (const line of present.routes) {
      for (const via of line.via) await store.one(routeCommand({ at, ...line, ...via }));
    }
    carriers = (await store.rows('select id, name from carrier'))
      .filter(({ name }) => bound.has(String(name)))
      .map(({ id }) => Number(id));
    await accept();
  });
  after(() => ending.disposeAsync());

  /** Accepts the messages, spread evenly over the hour. One message before it does not count. */
  async function accept(): Promise<void> {
    const begins = end - hourMs;
    const ids = (await store.rows('select id, name from account')).map(({ id, name }) => [name, Number(id)] as const);
    const accountIds = new Map(ids);
    const commandOf = ({ account, ...message }: Sent, at: number) =>
      store.accept({ ...message, at, id: toMessageId(firstIdAt(at) + 7), account: accountIds.get(account) ?? 0 });
    await store.one(commandOf(sent(0), begins - 1));
    const groupMax = 1_000;
    for (let from = 0; from < all.length; from += groupMax) {
      const group = all.slice(from, from + groupMax);
      const results = await store.apply(
        ...group.map((each, at) => commandOf(each, begins + Math.floor(((from + at) * hourMs) / all.length))),
      );
      for (const result of results) done(result);
    }
  }

  it(`gives the figures of a slow calculation, of ${messages} messages in ${replayMaxMs} ms of processors`, async () => {
    const began = process.cpuUsage();
    const replayed = done(await replays.run({ steps, at: end, bound: carriers }));
    const { user, system } = process.cpuUsage(began);
    const tookMs = (user + system) / 1_000;
    assert.deepEqual(
      [replayed.accepted, replayed.messages, replayed.from, replayed.to],
      [messages, messages, end - hourMs, end],
    );
    assert.deepEqual(figuresOf(replayed), slowFigures(all));
    assert.equal(replayed.examples.length, 20);
    assert.ok(tookMs < replayMaxMs, `${tookMs} ms`);
  });

  it('changes nothing without steps', async () => {
    const replayed = done(await replays.run({ steps: [], at: end, bound: carriers }));
    assert.deepEqual([replayed.changedMessages, replayed.examples], [0, []]);
    for (const { before: was, after: will, movedFrom } of replayed.places)
      assert.deepEqual([was, 0], [will, movedFrom]);
  });

  it('shows the same change after the steps as before them, in its examples', async () => {
    const { examples } = done(await replays.run({ steps, at: end, bound: carriers }));
    const [was, will] = [slowly(present, all), slowly(draft, all)];
    for (const { message, before: one, after: other } of examples) {
      const at = all.findIndex(({ receiver }) => receiver === message.receiver);
      const shown = [one, other].map(({ kind, carrier, price, cost }) => [carrier ?? kind, price, cost]);
      const wanted = [was[at], will[at]].map((each) => [each?.where, each?.price ?? null, each?.cost ?? null]);
      assert.deepEqual(shown, wanted);
    }
  });

  it('replays an even sample of more messages, and says so', async () => {
    const perMinute = Math.floor(messages / 60);
    for (let minute = 0; minute < 60; minute++) {
      const slot = Math.floor((end - hourMs) / 60_000) + minute;
      await store.run(
        `insert into traffic_slot (span, slot, currency, messages, parts, refused, sent, bounced, delivered, failed, inbound, charged)
          values (60, ${slot}, '', ${perMinute}, 0, 0, 0, 0, 0, 0, 0, 0)`,
      );
    }
    const max = messages / 10;
    const replayed = done(await replays.run({ steps, at: end, bound: carriers, max }));
    assert.equal(replayed.accepted, perMinute * 60);
    assert.ok(Math.abs(replayed.messages - max) <= 60, `${replayed.messages} of ${max}`);
    const whole = slowFigures(all).places;
    for (const { kind, carrier, before: was } of replayed.places) {
      const [inAll = 0] = whole[carrier ?? kind] ?? [];
      assert.ok(Math.abs(was * 10 - inAll) <= inAll / 4 + 40, `${carrier ?? kind}: ${was} of ${inAll}`);
    }
  });
});
