import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  carrierCommand,
  carrierStatusCommand,
  removeRouteCommand,
  routeCommand,
  setRouteCommand,
} from '../../../../test/support/store/routing-commands.ts';
import { TestStore } from '../../../../test/support/store/store.ts';

/** A store with a route for 41 through alpha, and a second carrier. */
async function twoCarriers(): Promise<TestStore> {
  const store = await TestStore.open();
  await store.one(carrierCommand({ name: 'beta' }));
  return store;
}

function moveRoute(prefix: string, to: string) {
  return setRouteCommand({ prefix, newMatch: { prefix: to } });
}

const removeBeta = carrierStatusCommand('beta', 'removed');
const toBeta = (prefix: string) => routeCommand({ prefix, carrier: 'beta' });

describe('commands about routes in one group', () => {
  const rows: readonly (readonly [what: string, commands: Parameters<TestStore['apply']>, codes: readonly string[]])[] =
    [
      [
        'join a new route',
        [toBeta('44'), routeCommand({ prefix: '44' }), toBeta('44')],
        ['ok', 'ok', 'already_exists'],
      ],
      [
        'add a route again after its removal',
        [removeRouteCommand(), toBeta('41'), toBeta('41')],
        ['ok', 'ok', 'already_exists'],
      ],
      [
        'find a route by its new match alone',
        [moveRoute('41', '44'), moveRoute('41', '49'), toBeta('44')],
        ['ok', 'does_not_exist', 'ok'],
      ],
      ['keep a carrier of a new route', [toBeta('44'), removeBeta], ['ok', 'in_use']],
      [
        'remove a carrier after its route',
        [toBeta('44'), removeRouteCommand({ prefix: '44' }), removeBeta],
        ['ok', 'ok', 'ok'],
      ],
    ];
  for (const [what, commands, codes] of rows) {
    it(what, async () => {
      await using store = await twoCarriers();
      const results = await store.apply(...commands);
      assert.deepEqual(
        results.map((result) => (result.ok ? 'ok' : result.error.code)),
        codes,
      );
    });
  }
});
