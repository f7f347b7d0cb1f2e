import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAdminClient } from '@morsel/api/admin/client.ts';
import { name, count } from '@morsel/api/admin/fields.ts';
import { page } from '@morsel/api/admin/resource.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Handlers } from './bind.ts';
import { call, gateway, key } from '../../../test/support/gateway/admin-api.ts';
import { bound, operatorCalls } from './handlers.ts';
import { tokenHandlers } from './resources/account/credentials.ts';

// What the compiler must refuse: each of these lines fails the check of types if it does not.
const { rotate: _left, ...others } = tokenHandlers;
// @ts-expect-error an operation without a handler
const incomplete: Handlers<'token'> = others;
// @ts-expect-error a handler that answers a row without its fields
const wrong: Handlers<'token'> = { ...tokenHandlers, rotate: async () => ok({ token: 'morsel_' }) };
const answer = { account: name({ summary: 'an account' }), messages: count({ summary: 'how many' }) };
const after = name({ summary: 'a place' });
// @ts-expect-error a column that is no field
const list = page('/usage', { summary: 'List usage', input: {}, after, answer, columns: ['nothing'] });

describe('the binding of declared operations', () => {
  it('has a handler for each', () => {
    for (const { operation, handle } of bound) assert.equal(typeof handle, 'function', operation.path);
    assert.ok(incomplete !== wrong && list.isPage);
  });

  it('is described at /admin/v1/openapi.json, for callers with the key', async () => {
    const document = await call('GET', '/admin/v1/openapi.json');
    assert.match(document.text, /^\{"openapi":"3\.1\.0",/);
    assert.match(document.text, /"operationId":"token\.add"/);
    assert.equal((await call('GET', '/admin/v1/openapi.json', { headers: { authorization: '' } })).status, 401);
    assert.ok(!document.text.includes(key));
    const compressed = await call('GET', '/admin/v1/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(compressed.headers['content-encoding'], 'gzip');
    assert.equal((await call('POST', '/admin/v1/openapi.json', { body: '{}' })).status, 405);
  });

  it('reads values of programs and of people alike, and refuses a repeated one', async () => {
    const { token } = operatorCalls(gateway.operator);
    await call('POST', '/admin/v1/accounts', { body: '{"name":"both","currency":"EUR"}' });
    const typed = await token.add({ account: 'both', scopes: 'dlr,send', expiresAt: '2999-12-31' });
    const given = await token.add({ account: 'both', scopes: ['send', 'dlr'], expiresAt: Date.parse('2999-12-31') });
    assert.ok(typed.ok && given.ok);
    const client = createAdminClient(`http://127.0.0.1:${gateway.adminPort}`, { key });
    const listed = await client.token.list({ account: 'both' });
    assert.ok(listed.ok);
    const unknown = await client.token.list({ account: 'nobody' });
    assert.ok(!unknown.ok && unknown.error.kind === 'refused' && unknown.error.problem.code === 'does_not_exist');
    const rows = listed.value.items.map(({ scopes, expiresAt, from }) => [scopes, expiresAt, from]);
    assert.deepEqual(rows, [rows[0], rows[0]]);
    assert.deepEqual(rows[0], [['send', 'dlr'], Date.parse('2999-12-31'), 'any']);
    const twice = await call('POST', '/admin/v1/accounts/both/tokens', { body: '{"account":"other"}' });
    assert.match(twice.text, /"code":"malformed_request"/);
  });

  it('refuses a change without a field', async () => {
    const nothing = await call('PATCH', '/admin/v1/logins/nobody', { body: '{}' });
    assert.match(nothing.text, /"detail":"name a setting to change: password, from"/);
  });
});
