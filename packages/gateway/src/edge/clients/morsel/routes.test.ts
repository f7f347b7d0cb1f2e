import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import { findRoute, makeRoutes } from './routes.ts';

const routes = makeRoutes({ readiness: { ready: () => ok(undefined) }, hasBoundLink: () => true });

describe('the path of a request target', () => {
  const rows: readonly (readonly [target: string, found: string])[] = [
    ['/health', '/health'],
    ['/health?', '/health'],
    ['/health?a=/x?y#z', '/health'],
    ['/health?%ff', '/health'],
    ['/health#x', '/health'],
    ['/health#?x', '/health'],
    ['/sms/%73end', '/sms/send'],
    ['/v1/sms/send?text=%', '/v1/sms/send'],
    ['http://x/health', '/health'],
    ['HTTPS://u@[::1]:8080/%68ealth?x', '/health'],
    ['/', '/'],
    ['/?x', '/'],
    ['*', 'not_found'],
    ['*health', 'not_found'],
    ['/Health', 'not_found'],
    ['/health/', 'not_found'],
    ['//health', 'not_found'],
    ['/health;x', 'not_found'],
    ['/health%3F', 'not_found'],
    ['/sms%2Fsend', 'not_found'],
    ['/sms/%2573end', 'not_found'],
    ['/constructor', 'not_found'],
    ['http://x', '/'],
    ['http://x?/health', '/'],
    ['ftp://x/health', 'not_found'],
    ['/health%', 'malformed_request'],
    ['/health%2', 'malformed_request'],
    ['/%ff', 'malformed_request'],
    ['/%C3', 'malformed_request'],
    ['http:///health', 'malformed_request'],
    ['http://x/health#y', 'malformed_request'],
    ['http://x:99999/health', 'malformed_request'],
    ['http://[::/health', 'malformed_request'],
  ];
  for (const [target, expected] of rows) {
    it(`of ${target} is ${expected}`, () => {
      const found = findRoute(routes, target);
      assert.equal(found.ok ? found.value.path : found.error.code, expected);
    });
  }
});
