import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setRouteCommand } from '../../../../test/support/store/routing-commands.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';

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

describe('a route that is changed', () => {
  it('is to be followed by its waiting messages, until the last step of its last change', async () => {
    await using store = await twoRoutes();
    const left = () => store.rows('select changed_at, forgets from route_to_follow');
    const follow = async (changedAt: number) => {
      const step = { kind: 'reroute', at: store.now, messages: [], forgets: 'rounds' } as const;
      await store.one({ ...step, followed: { route: old, changedAt } });
    };
    const [first, second] = [store.now, store.now + 1];
    await store.one(setRouteCommand({ at: store.now, newCarrier: 'beta' }));
    store.now = second;
    await store.one(setRouteCommand({ at: store.now, settings: { weight: 5 } }));
    await follow(first);
    assert.deepEqual(
      (await left()).map((row) => ({ ...row })),
      [{ changed_at: second, forgets: 'rounds' }],
    );
    await follow(second);
    assert.deepEqual(await left(), []);
  });

  const member = 'rows route_carrier carrier=2 rank=2 weight=5 wait_ms=1000';
  stories(
    {
      'through another carrier leads waiting messages to that one, with its place in the route but not its cost': `
        set-route rank=2 weight=5 cost=4 after=1s; accept; set-route to=beta; claim up=all ->
        claim beta up=all -> 1.1; ${member} = 1; ${member} cost=4 = 0`,
      'and back again, in one commit, goes through the first': `
        accept; set-route to=beta & set-route to=alpha; claim beta up=all ->; claim up=all -> 1.1`,
      'finishes with its former carrier what that one started': `
        accept 2 alpha; 1 accepted id=a; set-route to=beta; 1.2 temporary; wait 10s; claim beta up=all ->
        claim up=all -> 1.2`,
      'with another match is the same route: messages that wait on it stay': `
        accept; set-route match=43 account=acme; rows route id=${old} prefix=43 account=1 = 1; claim up=all -> 1.1
        route alpha -> ok`,
    },
    twoRoutes,
  );

  const refusals: { readonly [change: string]: string } = {
    'prefix=49 rank=2': 'does_not_exist',
    'carrier=alpha to=nobody': 'does_not_exist',
    'carrier=gamma rank=2': 'does_not_exist',
    'carrier=alpha to=beta': 'already_exists',
    'rank=2': 'invalid_parameter',
    'match=4179': 'already_exists',
    'carrier=alpha rank=3 account=nobody': 'does_not_exist',
  };
  for (const [change, code] of Object.entries(refusals)) {
    it(`by ${change} is refused, and nothing changes: ${code}`, async () => {
      await using store = await opened('carrier beta; route beta prefix=4179; route beta rank=2');
      const rows = async () => [
        await store.rows('select * from route'),
        await store.rows('select * from route_carrier'),
      ];
      const before = await rows();
      await tell(store, `set-route ${change} -> ${code}`);
      assert.deepEqual(await rows(), before);
    });
  }
});
