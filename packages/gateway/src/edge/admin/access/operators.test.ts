import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { call, codeOf, gateway, key as builtIn, post } from '../../../../test/support/gateway/admin-api.ts';
import { addOperator } from '../../../../test/support/gateway/operators.ts';
import { operatorCalls } from '../handlers.ts';

/* Operators and their keys: who they are to the gateway, when a key stops to work, and what an answer hides from them. */

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const whoami = (headers: Readonly<Record<string, string>>) => call('GET', '/admin/v1/whoami', { headers });

describe('an operator', () => {
  it('is known by each key, until the key is revoked', async () => {
    const { key, id } = await addOperator(gateway, 'support', 'jane');
    assert.match(key, /^morselop_[0-9a-f]{12}_[\w-]{51}$/);
    const self = await whoami(bearer(key));
    assert.deepEqual(self.body, { operator: 'jane', role: 'support', key: id, address: '127.0.0.1' });
    const second = await post('/admin/v1/operators/jane/keys', {});
    assert.equal((await whoami(bearer(String(second.body['key'])))).body['operator'], 'jane');
    assert.equal((await call('POST', `/admin/v1/operator-keys/${id}/revoke`)).status, 200);
    assert.equal((await whoami(bearer(key))).status, 401);
    assert.equal((await whoami(bearer(String(second.body['key'])))).status, 200);
    const list = await call('GET', '/admin/v1/operator-keys?operator=jane');
    assert.doesNotMatch(list.text, new RegExp(key.slice(-51, -8)));
  });

  it('has another role from the next request on', async () => {
    const { key } = await addOperator(gateway, 'viewer', 'joe');
    const totals = () => call('GET', '/admin/v1/totals', { headers: bearer(key) });
    assert.match((await totals()).text, /this needs the role finance, and operator joe has the role viewer/);
    const set = await call('PATCH', '/admin/v1/operators/joe', { body: '{"role":"finance"}' });
    assert.deepEqual([set.body['role'], (await totals()).status], ['finance', 200]);
  });

  it('is refused with all keys after the removal', async () => {
    const { key } = await addOperator(gateway, 'owner', 'gone');
    assert.equal((await call('DELETE', '/admin/v1/operators/gone', { headers: bearer(key) })).status, 200);
    assert.equal((await whoami(bearer(key))).status, 401);
    assert.equal((await call('GET', '/admin/v1/operators/gone')).status, 404);
    const again = await addOperator(gateway, 'viewer', 'gone');
    assert.equal((await whoami(bearer(again.key))).body['role'], 'viewer');
  });

  it('uses a key only from its addresses, and not after its end', async () => {
    await post('/admin/v1/operators', { operator: 'far', role: 'viewer' });
    const far = await post('/admin/v1/operators/far/keys', { from: ['192.0.2.0/24'] });
    const refused = await whoami(bearer(String(far.body['key'])));
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden']);
    const ended = await post('/admin/v1/operators/far/keys', { expiresAt: '2020-01-01' });
    assert.match(ended.text, /expiresAt must be in the future/);
  });

  it('gives no other name, but the owner at the machine does', async () => {
    const { key } = await addOperator(gateway, 'owner', 'paula');
    const named = { 'morsel-actor': encodeURIComponent('Zoë') };
    assert.equal((await whoami({ ...bearer(key), ...named })).status, 403);
    const local = await whoami({ ...bearer(builtIn), ...named });
    assert.deepEqual([local.body['operator'], local.body['key']], ['Zoë', 'built-in']);
    assert.equal((await whoami({ ...bearer(builtIn), 'morsel-actor': '%ff' })).status, 400);
    assert.equal((await whoami({ ...bearer(builtIn), 'morsel-reason': 'a'.repeat(201) })).status, 400);
  });

  it('shows the day of the last use', async () => {
    const { client, id } = await addOperator(gateway, 'viewer', 'daily');
    const usedFrom = Date.now();
    assert.ok((await client.operator.self()).ok);
    // A later command is stored behind the record of the use.
    await addOperator(gateway, 'viewer', 'later');
    const keys = await operatorCalls(gateway.operator).operatorKey.list({ operator: 'daily' });
    assert.ok(keys.ok);
    const [used] = keys.value.items;
    assert.ok(used?.id === id && (used.lastUsedAt ?? 0) >= usedFrom);
  });
});

describe('a request to the operator API', () => {
  const rows: readonly (readonly [headers: Readonly<Record<string, string>>, status: number])[] = [
    [{ host: 'localhost:8081' }, 200],
    [{ host: '[::1]:8081' }, 200],
    [{ host: '192.0.2.7' }, 200],
    [{ host: 'evil.example' }, 421],
    [{ host: '127.0.0.1.evil.example:80' }, 421],
    [{ host: 'x' }, 421],
    [{ host: '1.2.3' }, 421],
    [{ host: 'localhost:8081', origin: 'http://localhost:8081' }, 200],
    [{ host: 'localhost', origin: 'https://localhost' }, 200],
    [{ host: 'localhost:8081', origin: 'http://localhost:3000' }, 403],
    [{ host: 'localhost:8081', origin: 'https://evil.example' }, 403],
    [{ host: 'localhost:8081', origin: 'null' }, 403],
  ];
  for (const [headers, status] of rows) {
    it(`with ${JSON.stringify(headers)} gets ${status}`, async () => {
      assert.equal((await whoami(headers)).status, status);
      if (status === 200) return;
      const without = await whoami({ ...headers, authorization: '' });
      assert.equal(without.status, status, 'the place is checked first');
    });
  }
});

describe('personal values', () => {
  const receiver = '+41791112233';
  before(async () => {
    await post('/admin/v1/accounts', { name: 'masked', currency: 'EUR' });
    const entry = { account: 'masked', receiver, sender: 'ACME', reason: 'a letter' };
    assert.equal((await post('/admin/v1/opt-outs', entry)).status, 200);
  });

  for (const [role, shown] of [
    ['operator', receiver],
    ['support', '+4179*****33'],
  ] as const) {
    it(`are ${shown} for the role ${role}`, async () => {
      const { client } = await addOperator(gateway, role, `reader-${role}`);
      const list = await client.optOut.list({ account: 'masked', receiver });
      assert.ok(list.ok);
      assert.deepEqual(
        list.value.items.map((row) => [row.receiver, row.sender]),
        [[shown, 'ACME']],
      );
    });
  }
});
