import type { CommandOf } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toMicros } from '@morsel/api/values/money.ts';
import { routeCommand, setRouteCommand } from '../../../../test/support/store/routing-commands.ts';
import type { TestStore } from '../../../../test/support/store/store.ts';
import { opened, stories, tell } from '../../../../test/support/store/story.ts';

const old = 1;

/** The route for 41 goes through alpha, the one for 4179 through beta. */
const twoRoutes = () => opened('carrier beta; route beta prefix=4179');
/** The route for 41 goes through beta, too. */
const withBeta = () => opened('carrier beta; route beta prefix=4179; route beta');

describe('rerouting', () => {
  stories(
    {
      'lets another carrier take waiting messages, at the price of their acceptance': `
      accept 2; balance = 80; reroute 1 -> 1; claim up=all ->; claim beta up=all -> 1.1 1.2; balance = 80
      rows message route=2 = 1; notes = the operator moved 2 of 2 parts to another route`,
      'a second time changes nothing': 'accept; reroute 1 -> 1; reroute 1 -> 0; rows note = 1',
      'behind a claim of its commit does not move the part': `
      accept; claim up=all & reroute 1 -> 1.1 & 0; claim beta up=all ->; part attempts = 1`,
      'before a claim of its commit moves the part': `
      accept; reroute 1 & claim up=all -> 1 &; claim beta up=all -> 1.1; part attempts = 1`,
      'behind a cancel of its commit leaves a canceled message with one refund': `
      accept; cancel 1 & reroute 1; events = canceled; balance = 100; rows entry kind=refund = 1`,
      'before a cancel of its commit leaves a canceled message with one refund': `
      accept; reroute 1 & cancel 1; events = canceled; balance = 100; rows entry kind=refund = 1`,
      'leaves a message alone of which a part a link has': `
      accept 2 alpha; reroute 1 -> 0; states = claimed claimed; rows message route=1 = 1`,
      'leaves a message alone of which a part is with a carrier, while the second waits to be tried again': `
      accept 2 alpha; 1.1 accepted id=a; 1.2 temporary; reroute 1 -> 0; states = sent queued; rows message route=1 = 1`,
      'leaves a message alone of which a part waits to be sent again after a doubt': `
      accept alpha; 1 in_doubt; wait 30s; expire; states = queued; reroute 1 -> 0; states = queued
      rows message route=1 = 1`,
      'there and back in one commit leaves a message waiting once, at its old place': `
      accept; reroute 1 & reroute 1 route=1; claim up=all -> 1.1`,
      'forgets what a carrier could not take, so the message is due at once': `
      accept; claim up=all; 1 temporary & reroute 1; claim beta up=all -> 1.1`,
    },
    twoRoutes,
  );

  const left: { readonly [forgets: string]: string } = { nothing: '!1~2', rounds: '~2', all: '' };
  for (const [forgets, eligible] of Object.entries(left)) {
    stories(
      {
        [`that forgets ${forgets} leaves of "!1~2" "${eligible}"`]: `
          accept eligible=!1~2; reroute 1 route=1 forgets=${forgets}; part eligible = ${eligible}`,
      },
      withBeta,
    );
  }

  const costs = 'reroute 1 route=1 forgets=nothing eligible=<2<1';
  stories(
    {
      'on the same route and without forgetting changes only what depends on costs': `
        accept eligible=<1<2; claim up=all; 1 temporary; part eligible = !1<1<2; ${costs} -> 1; part eligible = !1<2<1
        ${costs} -> 0; rows note = 0`,
    },
    withBeta,
  );
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
    await tell(store, 'accept');
    assert.ok((await store.one(setRoute(store, { newCarrier: 'beta' }))).ok);
    await tell(store, 'claim up=all ->; claim beta up=all -> 1.1');
    const [member] = await store.rows(
      'select carrier, rank, weight, cost, wait_ms from route_carrier where route = 1 and removed_at is null',
    );
    assert.deepEqual({ ...member }, { carrier: 2, rank: 2, weight: 5, cost: null, wait_ms: 1_000 });
  });

  it('and back again, in one commit, goes through the first', async () => {
    await using store = await opened('carrier beta; accept');
    const there = ['beta', 'alpha'].map((newCarrier) => setRoute(store, { newCarrier }));
    assert.ok((await store.apply(...there)).every(({ ok }) => ok));
    await tell(store, 'claim beta up=all ->; claim up=all -> 1.1');
  });

  it('finishes with its former carrier what that one started', async () => {
    await using store = await opened('carrier beta; accept 2 alpha; 1 accepted id=a');
    await store.one(setRoute(store, { newCarrier: 'beta' }));
    await tell(store, '1.2 temporary; wait 10s; claim beta up=all ->; claim up=all -> 1.2');
  });

  it('with another match is the same route: messages that wait on it stay', async () => {
    await using store = await opened('accept');
    assert.ok((await store.one(setRoute(store, { newMatch: { prefix: '43', account: 'acme' } }))).ok);
    const sql = "select id from route where prefix = '43' and account = 1 and removed_at is null";
    assert.equal(await store.value(sql), old);
    await tell(store, 'claim up=all -> 1.1; route alpha -> ok');
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
