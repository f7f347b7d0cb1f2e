import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { call, codeOf, gateway, key as builtIn, post } from '../../../../test/support/gateway/admin-api.ts';
import { addOperator } from '../../../../test/support/gateway/operators.ts';
import { operatorCalls } from '../handlers.ts';

/*
 * Operators and their keys. The tests check which operator a key belongs to, and when a key stops to work. They check
 * what some roles do not see, and the audit log of each kind of change.
 */

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const whoami = (headers: Readonly<Record<string, string>>) => call('GET', '/admin/v1/whoami', { headers });

describe('an operator', () => {
  it('is recognized by each of its keys, until the key is revoked', async () => {
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

  it('has a changed role from the next request on', async () => {
    const { key } = await addOperator(gateway, 'viewer', 'joe');
    const totals = () => call('GET', '/admin/v1/totals', { headers: bearer(key) });
    assert.match((await totals()).text, /this needs the role finance, and operator joe has the role viewer/);
    const set = await call('PATCH', '/admin/v1/operators/joe', { body: '{"role":"finance"}' });
    assert.deepEqual([set.body['role'], (await totals()).status], ['finance', 200]);
  });

  it('is refused with each of its keys after its removal', async () => {
    const { key } = await addOperator(gateway, 'owner', 'gone');
    assert.equal((await call('DELETE', '/admin/v1/operators/gone', { headers: bearer(key) })).status, 200);
    assert.equal((await whoami(bearer(key))).status, 401);
    assert.equal((await call('GET', '/admin/v1/operators/gone')).status, 404);
    const again = await addOperator(gateway, 'viewer', 'gone');
    assert.equal((await whoami(bearer(again.key))).body['role'], 'viewer');
  });

  it('may use a key only from the addresses of the key, and not after its end', async () => {
    await post('/admin/v1/operators', { operator: 'far', role: 'viewer' });
    const far = await post('/admin/v1/operators/far/keys', { from: ['192.0.2.0/24'] });
    const refused = await whoami(bearer(String(far.body['key'])));
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden']);
    const ended = await post('/admin/v1/operators/far/keys', { expiresAt: '2020-01-01' });
    assert.match(ended.text, /expiresAt must be in the future/);
  });

  it('cannot give another name as the actor, but the owner with the key of the data directory can', async () => {
    const { key } = await addOperator(gateway, 'owner', 'paula');
    const named = { 'morsel-actor': encodeURIComponent('Zoë') };
    assert.equal((await whoami({ ...bearer(key), ...named })).status, 403);
    const local = await whoami({ ...bearer(builtIn), ...named });
    assert.deepEqual([local.body['operator'], local.body['key']], ['Zoë', 'built-in']);
    assert.equal((await whoami({ ...bearer(builtIn), 'morsel-actor': '%ff' })).status, 400);
    assert.equal((await whoami({ ...bearer(builtIn), 'morsel-reason': 'a'.repeat(201) })).status, 400);
  });

  it('shows the day on which its key was last used', async () => {
    const { client, id } = await addOperator(gateway, 'viewer', 'daily');
    const usedFrom = Date.now();
    assert.ok((await client.operator.self()).ok);
    // Commands are stored in order: after this one, the use of the key is stored, too.
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
    it(`are shown as ${shown} for the role ${role}`, async () => {
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

const calls = () => operatorCalls(gateway.operator);

async function newest() {
  const list = await calls().audit.list({ limit: 1 });
  assert.ok(list.ok);
  const [entry] = list.value.items;
  assert.ok(entry);
  return { ...entry, given: JSON.parse(entry.given), changes: JSON.parse(entry.changes) };
}

describe('the audit log', () => {
  let owner: Awaited<ReturnType<typeof addOperator>>;
  const secret = 'pa55word-of-alpha';
  const receiver = '+41791112233';
  before(async () => {
    owner = await addOperator(gateway, 'owner', 'olga');
    const carrier = { name: 'alpha', host: '127.0.0.1', port: 1, systemId: 'us', password: secret };
    assert.equal((await post('/admin/v1/carriers', carrier)).status, 200);
    assert.equal((await post('/admin/v1/accounts', { name: 'acme', currency: 'EUR', balance: 50 })).status, 200);
  });

  it('has the operator, the address, the reason, and the values before and after a change', async () => {
    const headers = { authorization: `Bearer ${owner.key}`, 'morsel-reason': encodeURIComponent('Vertrag für Mai') };
    const set = await call('PATCH', '/admin/v1/accounts/acme', { body: '{"dayCap":200.5,"partsMax":3}', headers });
    assert.equal(set.status, 200);
    const { operator, role, key: id, address, requestId, operation, account, reason, given, changes } = await newest();
    assert.deepEqual([operator, role, id, address], ['olga', 'owner', owner.id, '127.0.0.1']);
    assert.deepEqual([operation, account, reason], ['account.set', 'acme', 'Vertrag für Mai']);
    assert.equal(requestId, set.headers['x-request-id']);
    assert.deepEqual(given, { account: 'acme', dayCap: '200.5', partsMax: 3 });
    const [{ table, key: row, before: was, after: is }] = changes;
    assert.deepEqual(
      [table, row.name, was, is],
      ['account', 'acme', { dayCap: null, partsMax: was.partsMax }, { dayCap: '200.5', partsMax: 3 }],
    );
    assert.notEqual(was.partsMax, 3);
  });

  it('has a top-up with the entry of the ledger and the reason of the top-up', async () => {
    assert.equal((await post('/admin/v1/accounts/acme/top-up', { amount: '7.25', reason: 'invoice 7' })).status, 200);
    const { operation, operator, reason, changes } = await newest();
    assert.deepEqual([operation, operator, reason], ['posting.topUp', 'operator', 'invoice 7']);
    const tables = changes.map(({ table }: { table: string }) => table);
    assert.deepEqual(tables.toSorted(), ['account', 'entry']);
    const ofAccount = changes.find(({ table }: { table: string }) => table === 'account');
    assert.deepEqual([ofAccount.before.balance, ofAccount.after.balance], ['50', '57.25']);
  });

  it('never has a secret, a whole number, or the text of a message', async () => {
    await call('PATCH', '/admin/v1/carriers/alpha', { body: `{"password":"${secret}-new"}` });
    const set = await newest();
    assert.deepEqual([set.carrier, set.given.password], ['alpha', '(secret)']);
    assert.deepEqual([set.changes[0].before.password, set.changes[0].after.password], ['(secret)', '(secret)']);
    const token = await post('/admin/v1/accounts/acme/tokens', {});
    const listed = { account: 'acme', receiver, reason: 'a letter' };
    assert.equal((await post('/admin/v1/opt-outs', listed)).status, 200);
    assert.deepEqual((await newest()).given.receiver, '+4179*****33');
    assert.equal((await post('/admin/v1/routes', { prefix: '33', carrier: 'alpha' })).status, 200);
    const prices = { list: 'default', currency: 'EUR', prices: [{ prefix: '33', price: '0.01' }] };
    assert.equal((await post('/admin/v1/price-lists/default/prices', { ...prices, list: undefined })).status, 200);
    const text = 'words that nobody else may read';
    const sent = await post('/admin/v1/messages', { account: 'acme', sender: 'Shop', receiver: '+33612345678', text });
    assert.equal(sent.status, 200, sent.text);
    assert.equal((await newest()).operation, 'message.send');
    const all = JSON.stringify(await calls().audit.list({ limit: 1000 }), (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const tokenSecret = String(token.body['token']).slice('morsel_0123456789ab_'.length);
    for (const hidden of [
      secret,
      receiver,
      '+33612345678',
      text,
      builtIn,
      owner.key.slice('morselop_0123456789ab_'.length),
      tokenSecret,
    ]) {
      assert.ok(!all.includes(hidden), hidden);
    }
  });

  it('has actions that change no row, but no refused requests, dry runs and queries', async () => {
    assert.equal((await post('/admin/v1/sessions/close', { account: 'acme' })).status, 200);
    const entry = await newest();
    assert.deepEqual([entry.operation, entry.account, entry.changes], ['session.close', 'acme', []]);
    assert.equal((await post('/admin/v1/sessions/close', { account: 'nobody' })).status, 404);
    assert.equal((await post('/admin/v1/messages/cancel', { all: true, dryRun: true })).status, 200);
    assert.equal((await call('GET', '/admin/v1/accounts')).status, 200);
    assert.equal((await newest()).entry, entry.entry);
  });

  it('has each disclosure of personal data once, and none if the role sees no personal data', async () => {
    const sent = await post('/admin/v1/messages', {
      account: 'acme',
      sender: 'Shop',
      receiver: '+33612345678',
      text: 'for nobody else',
    });
    assert.equal(sent.status, 200, sent.text);
    const id = String(sent.body['msgId']);
    const support = await addOperator(gateway, 'support', 'sue');
    const others = await newest();
    assert.ok((await support.client.message.show({ id })).ok);
    assert.equal((await call('GET', '/admin/v1/messages/1')).status, 404);
    assert.equal((await newest()).entry, others.entry);
    for (let time = 0; time < 3; time++) assert.equal((await call('GET', `/admin/v1/messages/${id}`)).status, 200);
    const shown = await newest();
    assert.deepEqual([shown.operation, shown.operator, shown.given], ['message.show', 'operator', { id }]);
    const olga = { authorization: `Bearer ${owner.key}` };
    for (const after of ['message', 'inbound', 'rest']) {
      const path = `/admin/v1/privacy/export?receiver=%2B33612345678&after=${after}/0`;
      assert.equal((await call('GET', path, { headers: olga })).status, 200);
    }
    const list = await calls().audit.list({ limit: 3 });
    assert.ok(list.ok);
    const [exported, ...earlier] = list.value.items;
    assert.deepEqual(
      [exported?.operation, exported?.operator, exported?.given],
      ['privacy.export', 'olga', '{"receiver":"+3361*****78","after":"message/0"}'],
    );
    assert.deepEqual(
      earlier.map(({ operation }) => operation),
      ['message.show', 'operatorKey.add'],
    );
  });

  it('has only the count and one hash of many changed rows', async () => {
    const list = Array.from({ length: 50 }, (_, at) => ({ receiver: `+4179${1_000_000 + at}`, reason: 'list' }));
    assert.equal((await post('/admin/v1/opt-outs/import', { account: 'acme', list })).status, 200);
    const { given, changes } = await newest();
    assert.match(given.list, /^\(50 items, SHA-256 [0-9a-f]{64}\)$/);
    const { sha256, ...counts } = changes.find(({ table }: { table: string }) => table === 'opt_out');
    assert.deepEqual(counts, { table: 'opt_out', added: 50, changed: 0, removed: 0 });
    assert.match(sha256, /^[0-9a-f]{64}$/);
  });
});
