import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { startOn } from '../../../test/support/gateway/gateway.ts';
import { ask } from '../../../test/support/clients/raw-http.ts';
import { call, codeOf, folder, gateway, key, post } from '../../../test/support/gateway/admin-api.ts';
import { adminBase, createAdminClient } from '@morsel/api/admin/client.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { done } from '../../../test/support/done.ts';
import { pricesOf } from '../../../test/support/store/prices.ts';
import { bound, operatorCalls } from './handlers.ts';
import { readAdminAddress } from './operator-files.ts';

describe('the operator key', () => {
  it('may call every operation, and without the key no operation may be called', async () => {
    const wrong = ['', 'Bearer ', `Bearer ${key}x`, `bearer${key}`, key, `Basic ${key}`];
    for (const [at, { operation }] of bound.entries()) {
      const path = `${adminBase}${operation.path.replaceAll(/\{\w+\}/g, '1')}`;
      // The first operation gets all wrong headers. Each other operation gets none and one of them.
      for (const authorization of at === 0 ? wrong : ['', wrong[at % wrong.length] ?? '']) {
        const answer = await call(operation.method, path, { headers: { authorization } });
        assert.equal(answer.status, 401, `${operation.method} ${path}`);
        assert.equal(codeOf(answer), 'unauthorized');
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
      }
    }
  });

  it('is in a file that only its owner can read, like the address', () => {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'operator-key')).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'admin-address')).mode & 0o777, 0o600);
    assert.deepEqual(readAdminAddress(folder), { host: '127.0.0.1', port: gateway.adminPort });
  });
});

it('answers health and ready without a key: to HTTP/1.0 without Host, to HEAD, and with any Host', async () => {
  for (const path of ['/health', '/ready']) {
    for (const method of ['GET', 'HEAD']) {
      for (const head of ['HTTP/1.0', 'HTTP/1.1\r\nHost: balancer.example']) {
        const answer = await ask(gateway.adminPort, `${method} ${path} ${head}\r\n\r\n`);
        assert.equal(answer.status, 200, `${method} ${path} ${head}`);
        assert.equal(answer.body, method === 'HEAD' ? '' : `{"status":"${path === '/health' ? 'ok' : 'ready'}"}`);
      }
    }
    assert.equal((await call('POST', path)).status, 405);
  }
  assert.equal((await ask(gateway.adminPort, 'GET /metrics HTTP/1.0\r\n\r\n')).status, 421);
});

describe('requests without an endpoint', () => {
  const rows: readonly (readonly [method: string, path: string, status: number, code: string])[] = [
    ['GET', '/', 404, 'not_found'],
    ['GET', '/admin/v1/accounts/', 400, 'invalid_parameter'],
    ['GET', '/admin/v1/accounts/%ff', 400, 'malformed_request'],
    ['PUT', '/admin/v1/accounts', 405, 'method_not_allowed'],
    ['HEAD', '/admin/v1/status', 405, ''],
    ['GET', '/console/sign-in', 405, 'method_not_allowed'],
    ['GET', '/admin/v1/messages/quote', 405, 'method_not_allowed'],
    ['GET', '/admin/v1/tokens?account=a&account=b', 400, 'malformed_request'],
    ['GET', '/admin/v1/messages?since=yesterday', 400, 'invalid_parameter'],
    ['GET', '/admin/v1/messages?text=private', 400, 'invalid_parameter'],
    ['GET', '/admin/v1/messages/x', 404, 'message_not_found'],
  ];
  for (const [method, path, status, code] of rows) {
    it(`answers ${method} ${path} with ${status}`, async () => {
      const answer = await call(method, path);
      assert.equal(answer.status, status);
      assert.equal(codeOf(answer) ?? '', code);
      if (status === 405) assert.ok(answer.headers.allow);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
      assert.ok(answer.headers['x-request-id']);
    });
  }

  const bodies: readonly (readonly [body: string, type: string, status: number, code: string])[] = [
    ['', 'application/json', 400, 'missing_parameter'],
    ['{', 'application/json', 400, 'malformed_request'],
    ['null', 'application/json', 400, 'malformed_request'],
    ['{"name":"a","currency":"EUR","currency":"EUR"}', 'application/json', 400, 'malformed_request'],
    ['name=x', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['{}', 'application/json; charset=utf-16', 415, 'unsupported_media_type'],
    ['{"name":"a","currency":"EUR","balanse":1}', 'application/json', 400, 'invalid_parameter'],
    [`{"name":"${'x'.repeat(1024 * 1024)}"}`, 'application/json', 413, 'too_large'],
  ];
  for (const [body, type, status, code] of bodies) {
    it(`answers the body ${body.slice(0, 40)} with ${status}`, async () => {
      const answer = await call('POST', '/admin/v1/accounts', { body, headers: { 'content-type': type } });
      assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
    });
  }

  it('refuses octets that are no request with a problem, a request id and the safety headers', async () => {
    for (const octets of [
      'noise\r\n\r\n',
      'GET /metrics HTTP/1.1\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      const answer = await ask(gateway.adminPort, octets);
      assert.match(answer.body, octets.startsWith('CONNECT') ? /"method_not_allowed"/ : /"malformed_request"/);
      assert.equal(answer.headers['x-frame-options'], 'DENY');
      assert.equal(JSON.parse(answer.body).requestId, answer.headers['x-request-id']);
    }
  });

  it('refuses a compressed body', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await call('POST', '/admin/v1/accounts', { body: '{}', headers });
    assert.deepEqual([answer.status, codeOf(answer)], [415, 'unsupported_media_type']);
  });

  it('suggests a similar name for an unknown field, and lists the settings if a change has none', async () => {
    const answer = await post('/admin/v1/accounts', { name: 'a', currency: 'EUR', balanse: 1 });
    assert.match(answer.text, /"detail":"unknown field balanse; did you mean balance\?".*"field":"balanse"/);
    const nothing = await call('PATCH', '/admin/v1/logins/nobody', { body: '{}' });
    assert.match(nothing.text, /"detail":"name a setting to change: password, from"/);
  });
});

describe('a field with a wrong value', () => {
  const carrier = { name: 'one', host: '127.0.0.1', port: 1, systemId: 'us', password: '' };
  before(async () => {
    for (const [path, given] of [
      ['accounts', { name: 'acme', currency: 'EUR' }],
      ['accounts', { name: 'beta', currency: 'EUR' }],
      ['carriers', carrier],
      ['numbers', { number: '0041 79 222 33 44', account: 'acme' }],
      ['price-lists/exports/prices', { currency: 'EUR', prices: [{ prefix: '41', price: 0.000001 }] }],
    ] as const)
      assert.equal((await post(`/admin/v1/${path}`, given)).status, 200, path);
  });

  const route = { prefix: '43', carrier: 'one' };
  const money = ['accounts/acme/top-up', { amount: '1' }] as const;
  const price = { prefix: '4', price: 1 };
  const rows: readonly (readonly [path: string, wrong: object, says: RegExp, code?: string])[] = [
    ['routes', { ...route, sender: '*' }, /"field":"sender"/],
    ['routes', { ...route, sender: '+0*' }, /"field":"sender"/],
    ['routes', { ...route, prefix: '999' }, /prefix must begin with a country code: no country has .* 999"/],
    ['routes', { ...route, prefix: '046' }, /"field":"prefix"/],
    ['numbers', { number: '079', kind: 'prefix', account: 'acme' }, /beginning with the country code/],
    ['numbers', { number: '8812', kind: 'keyword', account: 'acme' }, /one of number, prefix/],
    ['numbers', { number: '8812' }, /must name the account of the number, unless/],
    ['numbers', { number: '8812', account: 'acme', shared: 'true' }, /give one of the two/],
    ['numbers', { number: '+41792223344', account: 'acme' }, /already belongs to account acme"/, 'already_exists'],
    ['numbers', { number: '+41792223344', account: 'beta' }, /acme: use number set to give/, 'already_exists'],
    [money[0], { amount: '-3' }, /account adjust/],
    [money[0], { ...money[1], reason: 'a\u001b[31m' }, /"field":"reason"/],
    ...[[], [1], [{ prefix: '4x', price: 1 }], [{ prefix: '4' }], [{ ...price, price: -1 }], [price, price]].map(
      (prices) => ['price-lists/exports/prices', { prices }, /"field":"prices"/] as const,
    ),
    ['price-lists/exports/prices', { prices: [{ ...price, price: 1_000_000_001 }] }, /"field":"prices"/],
    ['price-lists/exports/prices', { prices: [price], currency: 'USD' }, /"field":"currency"/],
    ['inbound/replay', {}, /give message ids, or a filter/],
    ['inbound/replay', { ids: [] }, /ids must be a list/],
    ['inbound/replay', { ids: ['1'], unmatched: 'true' }, /give message ids or a filter/],
    ['inbound/replay', { account: 'acme', unmatched: 'true' }, /an unmatched message has no account/],
  ];
  for (const [path, wrong, says, code = 'invalid_parameter'] of rows) {
    it(`is refused: ${path} ${JSON.stringify(wrong).slice(0, 80)}`, async () => {
      const answer = await post(`/admin/v1/${path}`, wrong);
      assert.equal(codeOf(answer), code, answer.text);
      assert.match(answer.text, says);
    });
  }
});

it('a balance is exact to the millionth, and values of programs and of people are read in the same way', async () => {
  const body = '{"name":"exact","currency":"EUR","balance":12345678901.123456}';
  const made = await call('POST', '/admin/v1/accounts', { body });
  assert.match(made.text, /"balance":12345678901\.123456,.*"refundPolicy":"refused"/);
  assert.equal((await call('GET', '/admin/v1/accounts/exact')).text, made.text);
  const { token } = operatorCalls(gateway.operator);
  const expiresAt = Date.parse('2999-12-31');
  done(await token.add({ account: 'exact', scopes: 'dlr,send', expiresAt: '2999-12-31' }));
  done(await token.add({ account: 'exact', scopes: ['send', 'dlr'], expiresAt }));
  const client = createAdminClient(`http://127.0.0.1:${gateway.adminPort}`, { key });
  const listed = await client.token.list({ account: 'exact' });
  assert.ok(listed.ok);
  const rows = listed.value.items.map(({ scopes, expiresAt: ends, from }) => [scopes, ends, from]);
  assert.deepEqual(rows, [rows[0], [['send', 'dlr'], expiresAt, 'any']]);
  const twice = await call('POST', '/admin/v1/accounts/exact/tokens', { body: '{"account":"other"}' });
  assert.match(twice.text, /"code":"malformed_request"/);
});

const sendAs = (auth: string) => {
  const body = { auth, sender: 'Shop', receiver: '+41791112233', text: 'secret words', dcs: 'SMS' };
  return fetch(`http://127.0.0.1:${gateway.httpPort}/sms/send`, { method: 'POST', body: JSON.stringify(body) });
};

it('refused requests are found by request id, without texts and whole numbers, and all are counted', async () => {
  const { account, refusal, token } = operatorCalls(gateway.operator);
  done(await account.add({ name: 'refused', currency: 'EUR' }));
  const made = done(await token.add({ account: 'refused' }));
  const since = Date.now() - hourMs;
  const unknown = await sendAs('morsel_unknown');
  const answers = await Promise.all(Array.from({ length: 15 }, () => sendAs(made.token)));
  assert.deepEqual([unknown.status, ...new Set(answers.map(({ status }) => status))], [401, 422]);
  const requestId = answers[0]?.headers.get('x-request-id') ?? '';
  const [one] = done(await refusal.list({ requestId })).items;
  assert.deepEqual(
    [one?.account, one?.code, one?.operation, one?.field, one?.rule, one?.receiver],
    ['refused', 'no_route', '/sms/send', 'receiver', null, '+4179*****33'],
  );
  // Of fifteen equal refusals, ten are stored and all are counted.
  const kept = done(await refusal.list({ account: 'refused' })).items;
  assert.equal(kept.length, 10);
  assert.doesNotMatch(JSON.stringify(kept), /secret|91112233/);
  const sums = done(await refusal.summary({ since })).items;
  const counted = sums.filter((each) => each.account === 'refused').map(({ code, refusals }) => [code, refusals]);
  assert.deepEqual(counted, [['no_route', 15]]);
  assert.ok(sums.some((each) => each.account === null && each.code === 'unauthorized'));
});

const explain = async (receiver: string) => {
  const given = { account: 'shop', receiver, sender: 'Shop', text: 'ж'.repeat(71) };
  const answer = await call('GET', `/admin/v1/routes/explain?${new URLSearchParams(given).toString()}`);
  return answer.body;
};

it('route explain names the checked routes, and the reason why no carrier takes the message now', async () => {
  const { account, carrier, price, route } = operatorCalls(gateway.operator);
  const link = { host: '127.0.0.1', port: 1, systemId: 'us', password: '' };
  for (const name of ['near', 'far']) done(await carrier.add({ name, ...link }));
  done(await account.add({ name: 'shop', currency: 'EUR' }));
  done(await route.add({ prefix: '44', carrier: 'near' }));
  done(await route.add({ prefix: '44', carrier: 'far', rank: 2 }));
  done(await route.add({ prefix: '447', carrier: 'far', sender: 'ACME' }));
  done(await price.set({ list: 'default', currency: 'EUR', prices: pricesOf({ 447: '0.05' }) }));
  const explained = await explain('0044 7700 900123');
  const { receiver, encoding, numParts, unitPrice, chosen, refusal } = explained;
  assert.deepEqual(
    [receiver, encoding, numParts, unitPrice, chosen, refusal],
    ['+447700900123', 'ucs2', 2, 0.05, null, null],
  );
  assert.deepEqual(explained['routes'], [
    { prefix: '447', sender: 'ACME', account: null, encoding: null, verdict: 'the sender does not match' },
    { prefix: '44', sender: null, account: null, encoding: null, verdict: 'chosen' },
  ]);
  assert.match(
    JSON.stringify(explained['carriers']),
    /"carrier":"near","rank":1,.*"verdict":"not-bound","why":"no link is bound since .*"carrier":"far","rank":2/,
  );
  for (const [to, code] of [
    ['+33612345678', /"refusal":\{"code":"no_route"/],
    ['+442079460123', /"refusal":\{"code":"no_price"/],
    ['12', /"code":"invalid_parameter"/],
  ] as const)
    assert.match(JSON.stringify(await explain(to)), code);
});

it('the operator API is described at /admin/v1/openapi.json, for callers with the key', async () => {
  const path = '/admin/v1/openapi.json';
  const document = await call('GET', path);
  assert.match(document.text, /^\{"openapi":"3\.1\.0",.*"operationId":"token\.add"/);
  assert.equal((await call('GET', path, { headers: { authorization: '' } })).status, 401);
  assert.ok(!document.text.includes(key));
  const compressed = await call('GET', path, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(compressed.headers['content-encoding'], 'gzip');
  assert.equal((await call('POST', path, { body: '{}' })).status, 405);
});

it('the status says that commits are on disk before they are answered', async () => {
  const status = await call('GET', '/admin/v1/status');
  assert.match(status.text, /"engine":"SQLite","commitSettings":"journal_mode wal, synchronous FULL"/);
});

it('if other users can read the key file, the gateway does not start and says why', async () => {
  const open = mkdtempSync(join(tmpdir(), 'morsel-open-'));
  const first = await startOn(open);
  await first.stop();
  assert.equal(readAdminAddress(open), undefined);
  chmodSync(join(open, 'operator-key'), 0o640);
  await assert.rejects(startOn(open), /other users can read the operator key .*: protect it with chmod 600/);
  rmSync(open, { recursive: true });
});
