import type { AnyResult, Command, CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMessageId } from '../../../core/base/message-id.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { carrierCommand, routeCommand, setRouteCommand } from '../../../../test/support/store/routing-commands.ts';
import { attemptsSql, TestStore } from '../../../../test/support/store/store.ts';

const [alpha, beta] = [1, 2];
const systemError = 8;

/** The route for 41 goes through alpha, the one for 4179 through beta. */
async function twoRoutes(): Promise<TestStore> {
  const store = await TestStore.open();
  await store.one(carrierCommand({ at: store.now, name: 'beta' }));
  await store.one(routeCommand({ at: store.now, prefix: '4179', carrier: 'beta' }));
  return store;
}

const [old, fresh] = [1, 2];

function reroute(
  store: TestStore,
  more: { message?: number; eligible?: string; route?: number; forgets?: CommandOf<'reroute'>['forgets'] } = {},
) {
  const { message = 1001, eligible = '', route = fresh, forgets = 'all' } = more;
  const messages = [{ message: toMessageId(message), route, eligible }];
  return { kind: 'reroute', at: store.now, messages, forgets } as const satisfies Command;
}

function claim(store: TestStore, carrier: number): CommandOf<'claim'> {
  const by = { carrier, link: 1, lease: 1, isWhole: false };
  return { kind: 'claim', at: store.now, ...by, up: [alpha, beta], max: 10 };
}

function claimed(result: AnyResult | undefined): number {
  assert.ok(result?.ok && result.value !== null && 'parts' in result.value && Array.isArray(result.value.parts));
  return result.value.parts.length;
}

function done(moved: number, held = 0): AnyResult {
  return { ok: true, value: { moved, held } };
}

/** Rows of the queue without a matching part, or the other way around. */
async function queueFaults(store: TestStore): Promise<unknown> {
  const places = 'select route, eligible, due, message, part from queue';
  const parts = `select route, eligible, due, message, number from part join message on message.id = part.message
    where due is not null`;
  return store.value(
    `select (select count(*) from (${places} except ${parts}) as stray) + (select count(*) from (${parts} except ${places}) as missing)`,
  );
}

describe('rerouting', () => {
  it('lets another carrier take waiting messages, at the price of their acceptance', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept({ numParts: 2 }));
    const balance = await store.balance();
    assert.deepEqual(await store.one(reroute(store)), done(1));
    assert.equal(claimed(await store.one(claim(store, alpha))), 0);
    assert.equal(claimed(await store.one(claim(store, beta))), 2);
    assert.deepEqual([await store.balance(), await store.value('select route from message')], [balance, fresh]);
    assert.equal(
      await store.value("select detail from note where kind = 'rerouted'"),
      'the operator moved 2 of 2 parts to another route',
    );
    assert.deepEqual(await store.moneyFaults(), []);
  });

  it('a second time changes nothing', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept());
    await store.one(reroute(store));
    assert.deepEqual(await store.one(reroute(store)), done(0));
    assert.equal(await store.value('select count(*) from note'), 1);
  });

  const races: readonly (readonly [string, (store: TestStore) => Command[], AnyResult[], alphaHas: number])[] = [
    ['a claim before it has the part', (store) => [claim(store, alpha), reroute(store)], [done(0)], 1],
    ['a claim behind it has nothing', (store) => [reroute(store), claim(store, alpha)], [done(1)], 0],
  ];
  for (const [name, group, [answer], alphaHas] of races) {
    it(`${name}, in one commit`, async () => {
      await using store = await twoRoutes();
      await store.one(store.accept());
      const results = await store.apply(...group(store));
      assert.deepEqual(
        results.find((each) => each.ok && each.value !== null && 'moved' in each.value),
        answer,
      );
      assert.deepEqual([claimed(await store.one(claim(store, beta))), await queueFaults(store)], [1 - alphaHas, 0]);
      assert.equal(await store.value(`select count(*) from ${attemptsSql} as attempt`), 1);
    });
  }

  for (const [name, isCanceledFirst] of [
    ['behind a cancel', true],
    ['before a cancel', false],
  ] as const) {
    it(`${name}, in one commit, leaves a canceled message with one refund`, async () => {
      await using store = await twoRoutes();
      await store.one(store.accept());
      const cancel = { kind: 'cancel', at: store.now, message: toMessageId(1001), account: null } as const;
      await store.apply(...(isCanceledFirst ? [cancel, reroute(store)] : [reroute(store), cancel]));
      assert.deepEqual(
        [await store.event(1001), await store.balance(), await queueFaults(store)],
        ['canceled', 100, 0],
      );
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  const byAlpha = { carrier: alpha, link: 1, lease: 1, isWhole: false };
  const held: readonly (readonly [string, (store: TestStore) => Promise<unknown>])[] = [
    ['a link has', (store) => store.one(store.accept({ claim: byAlpha, numParts: 2 }))],
    [
      'is with a carrier, while the second waits to be tried again',
      async (store) => {
        await store.one(store.accept({ claim: byAlpha, numParts: 2 }));
        await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
        await store.one(store.outcome(1001, { part: 2, outcome: 'temporary', commandStatus: systemError }));
      },
    ],
    [
      'waits to be sent again after a doubt',
      async (store) => {
        await store.one(store.accept({ claim: byAlpha }));
        await store.one(store.outcome(1001, { outcome: 'in_doubt', commandStatus: null }));
        store.now += 30_000;
        await store.one({ kind: 'expire', at: store.now, max: 10 });
        assert.equal(await store.part(1001), 'queued');
      },
    ],
  ];
  for (const [name, before] of held) {
    it(`leaves a message alone of which a part ${name}`, async () => {
      await using store = await twoRoutes();
      await before(store);
      const parts = async () => JSON.stringify(await store.rows('select * from part'));
      const stood = await parts();
      const result = await store.one(reroute(store));
      assert.ok(result.ok && result.value.moved === 0);
      assert.deepEqual(
        [await parts(), await store.value('select route from message'), await queueFaults(store)],
        [stood, old, 0],
      );
    });
  }

  it('there and back in one commit leaves a message waiting once, at its old place', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept());
    await store.apply(reroute(store), reroute(store, { route: old }));
    assert.deepEqual([await queueFaults(store), claimed(await store.one(claim(store, alpha)))], [0, 1]);
  });

  it('forgets what a carrier could not take, so the message is due at once', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept());
    await store.one(claim(store, alpha));
    await store.apply(store.outcome(1001, { outcome: 'temporary', commandStatus: systemError }), reroute(store));
    assert.deepEqual([await queueFaults(store), await store.value('select due from part')], [0, store.now]);
    assert.equal(claimed(await store.one(claim(store, beta))), 1);
  });

  for (const [forgets, eligible] of [
    ['nothing', '!1~2'],
    ['rounds', '~2'],
    ['all', ''],
  ] as const) {
    it(`that forgets ${forgets} leaves of ${JSON.stringify('!1~2')} ${JSON.stringify(eligible)}`, async () => {
      await using store = await twoRoutes();
      await store.one(routeCommand({ at: store.now, carrier: 'beta' }));
      await store.one(store.accept({ eligible: '!1~2' }));
      await store.one(reroute(store, { route: old, forgets }));
      assert.deepEqual([await store.value('select eligible from part'), await queueFaults(store)], [eligible, 0]);
    });
  }

  it('on the same route and without forgetting changes only what depends on costs', async () => {
    await using store = await twoRoutes();
    await store.one(routeCommand({ at: store.now, carrier: 'beta' }));
    await store.one(store.accept({ eligible: '<1<2' }));
    await store.one(claim(store, alpha));
    await store.one(store.outcome(1001, { outcome: 'temporary', commandStatus: systemError }));
    assert.equal(await store.value('select eligible from part'), '!1<1<2');
    const settings = { route: old, forgets: 'nothing' } as const;
    assert.deepEqual(await store.one(reroute(store, { ...settings, eligible: '<2<1' })), done(1));
    assert.deepEqual([await store.value('select eligible from part'), await queueFaults(store)], ['!1<2<1', 0]);
    assert.deepEqual(await store.one(reroute(store, { ...settings, eligible: '<2<1' })), done(0));
    assert.equal(await store.value('select count(*) from note'), 0);
  });
});

function setRoute(store: TestStore, more: Parameters<typeof setRouteCommand>[0]): CommandOf<'operate'> {
  return setRouteCommand({ at: store.now, ...more });
}

describe('a route that is changed', () => {
  it('is to be followed by its waiting messages, until the last step of its last change', async () => {
    await using store = await twoRoutes();
    const left = () => store.rows('select changed_at, forgets from route_to_follow');
    const follow = async (changedAt: number) => {
      const step = { kind: 'reroute', at: store.now, messages: [], forgets: 'rounds' } as const;
      await store.one({ ...step, followed: { route: old, changedAt } });
    };
    const [first, second] = [store.now, store.now + 1];
    await store.one(setRoute(store, { newCarrier: 'beta' }));
    store.now = second;
    await store.one(setRoute(store, { settings: { weight: 5 } }));
    await follow(first);
    assert.deepEqual(
      (await left()).map((row) => ({ ...row })),
      [{ changed_at: second, forgets: 'rounds' }],
    );
    await follow(second);
    assert.deepEqual(await left(), []);
  });

  it('through another carrier leads waiting messages to that one, with its place in the route', async () => {
    await using store = await twoRoutes();
    await store.one(setRoute(store, { settings: { rank: 2, weight: 5, cost: toMicros(4n), waitMs: 1_000 } }));
    await store.one(store.accept());
    assert.ok((await store.one(setRoute(store, { newCarrier: 'beta' }))).ok);
    assert.equal(claimed(await store.one(claim(store, alpha))), 0);
    assert.equal(claimed(await store.one(claim(store, beta))), 1);
    const [member] = await store.rows(
      'select carrier, rank, weight, cost, wait_ms from route_carrier where route = 1 and removed_at is null',
    );
    assert.deepEqual({ ...member }, { carrier: beta, rank: 2, weight: 5, cost: null, wait_ms: 1_000 });
  });

  it('and back again, in one commit, goes through the first', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept());
    const [there, back] = ['beta', 'alpha'].map((newCarrier) => setRoute(store, { newCarrier }));
    assert.ok(there && back);
    assert.ok((await store.apply(there, back)).every(({ ok }) => ok));
    assert.equal(claimed(await store.one(claim(store, beta))), 0);
    assert.equal(claimed(await store.one(claim(store, alpha))), 1);
  });

  it('finishes with its former carrier what that one started', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept({ numParts: 2, claim: { carrier: alpha, link: 1, lease: 1, isWhole: false } }));
    await store.one(store.outcome(1001, { carrierId: 'a', carrierIdKey: 'a' }));
    await store.one(setRoute(store, { newCarrier: 'beta' }));
    const result = await store.one<'outcome'>(
      store.outcome(1001, { part: 2, outcome: 'temporary', commandStatus: systemError }),
    );
    assert.ok(result.ok && result.value.due !== null);
    store.now = result.value.due;
    assert.equal(claimed(await store.one(claim(store, beta))), 0);
    store.now += 1;
    assert.equal(claimed(await store.one(claim(store, alpha))), 1);
  });

  it('with another match is the same route: messages that wait on it stay', async () => {
    await using store = await twoRoutes();
    await store.one(store.accept());
    assert.ok((await store.one(setRoute(store, { newMatch: { prefix: '43', account: 'acme' } }))).ok);
    assert.equal(
      await store.value("select id from route where prefix = '43' and account = 1 and removed_at is null"),
      old,
    );
    assert.equal(claimed(await store.one(claim(store, alpha))), 1);
    assert.ok((await store.one(routeCommand({ at: store.now }))).ok);
  });

  const refusals: readonly (readonly [string, Parameters<typeof setRouteCommand>[0], RegExp])[] = [
    ['that is not there', { prefix: '49', settings: { rank: 2 } }, /there is no route for prefix 49/],
    ['through nobody', { newCarrier: 'nobody' }, /there is no carrier named nobody/],
    ['of a carrier that it has not', { carrier: 'gamma', settings: { rank: 2 } }, /has no carrier named gamma/],
    ['through a carrier that it has', { carrier: 'alpha', newCarrier: 'beta' }, /has carrier beta already/],
    [
      'of two carriers, with neither named',
      { settings: { rank: 2 } },
      /has 2 carriers: use --carrier to say which carrier to change/,
    ],
    ['to the match of another', { newMatch: { prefix: '4179' } }, /there is a route for prefix 4179 already/],
    [
      'of an account that is not there',
      { carrier: 'alpha', settings: { rank: 3 }, newMatch: { account: 'nobody' } },
      /there is no account named nobody/,
    ],
  ];
  for (const [name, change, says] of refusals) {
    it(`${name} is refused, and nothing changes`, async () => {
      await using store = await twoRoutes();
      await store.one(routeCommand({ at: store.now, carrier: 'beta', rank: 2 }));
      const rows = async () => [
        await store.rows('select * from route'),
        await store.rows('select * from route_carrier'),
      ];
      const before = await rows();
      const result = await store.one(setRoute(store, change));
      assert.ok(!result.ok && 'detail' in result.error);
      assert.match(result.error.detail, says);
      assert.deepEqual(await rows(), before);
    });
  }
});
