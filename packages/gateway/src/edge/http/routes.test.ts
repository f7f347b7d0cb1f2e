import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ok } from '@morsel/api/values/result.ts';
import { HttpRoutes, type HttpRoute } from './routes.ts';

function route(path: string, ...methods: readonly string[]): HttpRoute {
  return { path, methods, run: async () => ok(path) };
}

const table = new HttpRoutes(['/', '/health', '/sms/send', '/v1/sms/send'].map((path) => route(path, 'GET')));

describe('the path of a request target', () => {
  const rows: readonly (readonly [target: string, found: string | undefined])[] = [
    ['/health', '/health'],
    ['/health?', '/health'],
    ['/health?%ff', '/health'],
    ['/health#x', '/health'],
    ['/sms/%73end', '/sms/send'],
    ['/v1/sms/send?text=%', '/v1/sms/send'],
    ['http://x/health', '/health'],
    ['HTTPS://u@[::1]:8080/%68ealth?x', '/health'],
    ['/', '/'],
    ['*', undefined],
    ['/Health', undefined],
    ['/health/', undefined],
    ['//health', undefined],
    ['/health%3F', undefined],
    ['/sms%2Fsend', undefined],
    ['/sms/%2573end', undefined],
    ['/constructor', undefined],
    ['http://x', '/'],
    ['http://x?/health', '/'],
    ['ftp://x/health', undefined],
    ['/health%', 'bad path'],
    ['/%ff', 'bad path'],
    ['http:///health', 'bad path'],
    ['http://x/health#y', 'bad path'],
    ['http://[::/health', 'bad path'],
  ];
  for (const [target, expected] of rows) {
    it(`of ${target} is ${expected ?? 'unknown'}`, () => {
      const found = table.find(target);
      assert.equal(typeof found === 'object' ? found.path : found, expected);
    });
  }
});

describe('a path with parameters', () => {
  const routes = [
    route('/items/{id}', 'GET'),
    route('/items/{id}', 'DELETE', 'POST'),
    route('/items/quote', 'POST'),
    route('/items', 'GET'),
    route('/{kind}/all/{name}', 'GET'),
    route('/items/{id}/parts', 'GET'),
  ];
  const ofParameters = new HttpRoutes(routes);
  const rows: readonly (readonly [target: string, path?: string, parameters?: object])[] = [
    ['/items/1?x=/items/2', '/items/{id}', { id: '1' }],
    ['/items/', '/items/{id}', { id: '' }],
    ['/items/a%2Fb%3F%20', '/items/{id}', { id: 'a/b? ' }],
    ['/items/%2541', '/items/{id}', { id: '%41' }],
    ['/items/quote', '/items/quote', {}],
    ['/items/1/parts', '/items/{id}/parts', { id: '1' }],
    ['/items/all/parts', '/items/{id}/parts', { id: 'all' }],
    ['/items/all/1', '/{kind}/all/{name}', { kind: 'items', name: '1' }],
    ['/items/{id}', '/items/{id}', { id: '{id}' }],
    ['/item/1'],
  ];
  for (const [target, path, parameters] of rows) {
    it(`of ${target} is ${path ?? 'unknown'}`, () => {
      const found = ofParameters.find(target);
      assert.ok(found !== 'bad path');
      assert.deepEqual([found?.path, found?.parameters], [path, parameters]);
    });
  }

  it('refuses escapes that are not UTF-8, and has the methods of all its routes', () => {
    assert.equal(ofParameters.find('/items/%ff'), 'bad path');
    const found = ofParameters.find('/items/1');
    assert.ok(typeof found === 'object');
    assert.deepEqual([found.allow, found.byMethod.get('POST')], ['GET, DELETE, POST', routes[1]]);
  });
});
