import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startGateway } from '../../app.ts';
import type { Gateway } from '../../app.ts';
import { readConfig } from '../../config.ts';
import { makeLog } from '../../runtime/log.ts';
import { adminEndpointNames, adminEndpoints, fillPath } from './endpoints.ts';
import { readAdminAddress } from './operator-files.ts';

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  readonly body: unknown;
}

const folder = mkdtempSync(join(tmpdir(), 'morsel-admin-'));
let gateway: Gateway;
let key = '';

before(async () => {
  const config = readConfig({ MORSEL_DATA_DIR: folder, MORSEL_HTTP_PORT: '0', MORSEL_ADMIN_PORT: '0' });
  assert.ok(config.ok);
  gateway = await startGateway(config.value, { log: makeLog('silent') });
  key = readFileSync(join(folder, 'operator-key'), 'utf8').trim();
});

after(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

function call(
  method: string,
  path: string,
  options: { readonly body?: string; readonly headers?: { readonly [name: string]: string } } = {},
): Promise<Answer> {
  const { body, headers } = options;
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: gateway.adminPort,
      method,
      path,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: text === '' ? undefined : JSON.parse(text),
        });
      });
    });
    sent.end(body);
  });
}

function post(path: string, fields: object): Promise<Answer> {
  return call('POST', path, { body: JSON.stringify(fields) });
}

function setPrices(prices: readonly unknown[], more: object = {}): Promise<Answer> {
  return post('/admin/prices', { list: 'exports', prices, ...more });
}

function codeOf(answer: Answer): unknown {
  return typeof answer.body === 'object' && answer.body !== null && 'code' in answer.body
    ? answer.body.code
    : undefined;
}

describe('the operator key', () => {
  it('opens everything, and nothing opens without it', async () => {
    for (const name of adminEndpointNames) {
      const { method, path } = adminEndpoints[name];
      const at = fillPath(path, { account: 'a', carrier: 'c', id: '1' }).path;
      for (const authorization of ['', 'Bearer ', `Bearer ${key}x`, `bearer${key}`, key, `Basic ${key}`]) {
        const answer = await call(method, at, { headers: { authorization } });
        assert.equal(answer.status, 401, `${method} ${path}`);
        assert.equal(codeOf(answer), 'unauthorized');
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
      }
    }
  });

  it('lies in a file of its owner alone, as does the address', () => {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'operator-key')).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'admin-address')).mode & 0o777, 0o600);
    assert.deepEqual(readAdminAddress(folder), { host: '127.0.0.1', port: gateway.adminPort });
  });
});

describe('requests that no endpoint takes', () => {
  const rows: readonly (readonly [method: string, path: string, status: number, code: string])[] = [
    ['GET', '/', 404, 'not_found'],
    ['GET', '/admin', 404, 'not_found'],
    ['GET', '/admin/accounts/', 400, 'invalid_parameter'],
    ['GET', '/admin/accounts/%ff', 400, 'malformed_request'],
    ['PUT', '/admin/accounts', 405, 'method_not_allowed'],
    ['HEAD', '/admin/status', 405, ''],
    ['GET', '/admin/send', 405, 'method_not_allowed'],
    ['GET', '/admin/tokens?account=a&account=b', 400, 'malformed_request'],
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
    ['[]', 'application/json', 400, 'malformed_request'],
    ['"x"', 'application/json', 400, 'malformed_request'],
    ['null', 'application/json', 400, 'malformed_request'],
    ['name=x', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['{"name":{"a":1},"currency":"EUR"}', 'application/json', 400, 'invalid_parameter'],
    ['{"name":"a","currency":"EUR","balanse":1}', 'application/json', 400, 'invalid_parameter'],
    [`{"name":"${'x'.repeat(1024 * 1024)}"}`, 'application/json', 413, 'too_large'],
  ];
  for (const [body, type, status, code] of bodies) {
    it(`answers the body ${body.slice(0, 40)} with ${status}`, async () => {
      const answer = await call('POST', '/admin/accounts', { body, headers: { 'content-type': type } });
      assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
    });
  }

  it('names the nearest field of one that does not exist', async () => {
    const answer = await post('/admin/accounts', { name: 'a', currency: 'EUR', balanse: 1 });
    assert.match(answer.text, /"detail":"there is no such field; the nearest is balance"/);
    assert.match(answer.text, /"field":"balanse"/);
  });
});

describe('accounts', () => {
  it('are made with exact balances, and shown', async () => {
    const made = await call('POST', '/admin/accounts', {
      body: '{"name":"exact","currency":"EUR","balance":12345678901.123456}',
    });
    assert.equal(made.status, 200);
    assert.match(made.text, /"balance":12345678901\.123456,/);
    const shown = await call('GET', '/admin/accounts/exact');
    assert.equal(shown.text, made.text);
    assert.match((await call('GET', '/admin/accounts')).text, /"name":"exact"/);
  });

  const refusals: readonly (readonly [fields: object, status: number, code: string, field: string])[] = [
    [{ name: 'x y', currency: 'EUR' }, 400, 'invalid_parameter', 'name'],
    [{ name: '', currency: 'EUR' }, 400, 'invalid_parameter', 'name'],
    [{ currency: 'EUR' }, 400, 'missing_parameter', 'name'],
    [{ name: 'a1', currency: 'eur' }, 400, 'invalid_parameter', 'currency'],
    [{ name: 'a1' }, 400, 'missing_parameter', 'currency'],
    [{ name: 'a1', currency: 'EUR', balance: '-1' }, 400, 'invalid_parameter', 'balance'],
    [{ name: 'a1', currency: 'EUR', balance: '1.0000001' }, 400, 'invalid_parameter', 'balance'],
    [{ name: 'a1', currency: 'EUR', balance: '1e3' }, 400, 'invalid_parameter', 'balance'],
    [{ name: 'a1', currency: 'EUR', balance: '100000000000.000001' }, 400, 'invalid_parameter', 'balance'],
    [{ name: 'a1', currency: 'EUR', creditLimit: -1 }, 400, 'invalid_parameter', 'creditLimit'],
    [{ name: 'a1', currency: 'EUR', partsMax: 0 }, 400, 'invalid_parameter', 'partsMax'],
    [{ name: 'a1', currency: 'EUR', partsMax: 256 }, 400, 'invalid_parameter', 'partsMax'],
    [{ name: 'a1', currency: 'EUR', partsMax: 1.5 }, 400, 'invalid_parameter', 'partsMax'],
    [{ name: 'a1', currency: 'EUR', receiptWaitSeconds: 0 }, 400, 'invalid_parameter', 'receiptWaitSeconds'],
    [{ name: 'a1', currency: 'EUR', refundPolicy: 'always' }, 400, 'invalid_parameter', 'refundPolicy'],
    [{ name: 'a1', currency: 'EUR', priceList: 'no list' }, 400, 'invalid_parameter', 'priceList'],
    [{ name: 'exact', currency: 'EUR' }, 409, 'already_exists', ''],
    [{ name: 'a1', currency: 'USD' }, 400, 'invalid_parameter', 'currency'],
  ];
  for (const [fields, status, code, field] of refusals) {
    it(`refuses ${JSON.stringify(fields)}`, async () => {
      const answer = await post('/admin/accounts', fields);
      assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
      if (field !== '') assert.match(answer.text, new RegExp(`"field":"${field}"`));
      assert.equal((await call('GET', '/admin/accounts/a1')).status, 404);
    });
  }

  it('are topped up, in both directions, and their ledger agrees', async () => {
    await post('/admin/accounts', { name: 'ledger', currency: 'EUR', balance: '10' });
    assert.match(
      (await post('/admin/accounts/ledger/top-up', { amount: '0.000001', reason: 'gift' })).text,
      /"balance":10\.000001[,}]/,
    );
    assert.match((await post('/admin/accounts/ledger/top-up', { amount: '-3' })).text, /"balance":7\.000001[,}]/);
    assert.equal(codeOf(await post('/admin/accounts/ledger/top-up', { amount: '0' })), 'invalid_parameter');
    assert.equal(
      codeOf(await post('/admin/accounts/ledger/top-up', { amount: '1', reason: 'a\u001b[31m' })),
      'invalid_parameter',
    );
    assert.equal(codeOf(await post('/admin/accounts/nobody/top-up', { amount: '1' })), 'does_not_exist');
    assert.match((await call('GET', '/admin/totals')).text, /"unbalanced":\[\]/);
  });

  it('are suspended and resumed, for the operator too', async () => {
    await post('/admin/accounts', { name: 'pause', currency: 'EUR' });
    assert.match((await post('/admin/accounts/pause/suspend', {})).text, /"status":"suspended"/);
    const message = { account: 'pause', sender: 'Shop', receiver: '+41791112233', text: 'secret words' };
    assert.equal(codeOf(await post('/admin/send', message)), 'forbidden');
    assert.match((await post('/admin/accounts/pause/resume', {})).text, /"status":"active"/);
    const answer = await post('/admin/send', message);
    assert.equal(codeOf(answer), 'no_route');
    assert.doesNotMatch(answer.text, /secret/);
  });
});

describe('tokens', () => {
  it('are shown once, open at once, and are of no use once they are revoked', async () => {
    await post('/admin/accounts', { name: 'client', currency: 'EUR', balance: 5 });
    const made = await post('/admin/accounts/client/tokens', {});
    assert.ok(typeof made.body === 'object' && made.body !== null && 'token' in made.body && 'id' in made.body);
    const { token, id } = made.body;
    const balance = () => fetch(`http://127.0.0.1:${gateway.httpPort}/sms/balance?auth=${String(token)}`);
    assert.equal((await balance()).status, 200);
    const list = await call('GET', '/admin/tokens?account=client');
    assert.match(list.text, new RegExp(`"id":"${String(id)}"`));
    assert.doesNotMatch(list.text, new RegExp(String(token)));
    const wrong = await call('POST', `/admin/tokens/${String(token)}/revoke`);
    assert.equal(codeOf(wrong), 'invalid_parameter');
    assert.doesNotMatch(wrong.text, new RegExp(String(token)));
    assert.equal((await call('POST', `/admin/tokens/${String(id)}/revoke`)).status, 200);
    assert.equal((await balance()).status, 401);
    assert.equal(codeOf(await call('GET', '/admin/tokens?account=nobody')), 'does_not_exist');
    assert.equal(codeOf(await call('POST', '/admin/tokens/0123456789ab/revoke')), 'does_not_exist');
  });
});

describe('carriers, routes and prices', () => {
  const carrier = { name: 'one', host: '127.0.0.1', port: 1, systemId: 'us', password: 'pa55word' };

  it('are made, shown without the password, paused, resumed and removed', async () => {
    const made = await post('/admin/carriers', carrier);
    assert.equal(made.status, 200);
    assert.doesNotMatch(made.text, /pa55word|password/);
    assert.match(made.text, /"linkStates":\[\{"link":1,/);
    assert.equal(codeOf(await post('/admin/carriers', carrier)), 'already_exists');
    assert.equal((await post('/admin/routes', { prefix: '+41', carrier: 'one' })).status, 200);
    assert.equal(codeOf(await post('/admin/routes', { prefix: '41', carrier: 'one' })), 'already_exists');
    assert.equal(codeOf(await post('/admin/routes', { prefix: '42', carrier: 'two' })), 'does_not_exist');
    assert.equal((await post('/admin/routes', { prefix: '', carrier: 'one' })).status, 200);
    assert.equal(codeOf(await call('DELETE', '/admin/carriers/one')), 'already_exists');
    assert.match((await post('/admin/carriers/one/pause', {})).text, /"status":"paused"/);
    assert.match((await post('/admin/carriers/one/resume', {})).text, /"status":"active"/);
    assert.match((await call('GET', '/admin/routes')).text, /^\[\{"prefix":"","carrier":"one",.*"prefix":"41"/);
    assert.equal((await call('DELETE', '/admin/routes?prefix=')).status, 200);
    assert.equal((await call('DELETE', '/admin/routes?prefix=41')).status, 200);
    assert.equal(codeOf(await call('DELETE', '/admin/routes?prefix=41')), 'does_not_exist');
    assert.equal((await call('DELETE', '/admin/carriers/one')).status, 200);
    assert.equal(codeOf(await call('GET', '/admin/carriers/one')), 'does_not_exist');
    assert.equal((await call('GET', '/admin/carriers')).text, '[]');
  });

  const refusals: readonly (readonly [change: object, field: string])[] = [
    [{ name: '-' }, 'name'],
    [{ host: 'a b' }, 'host'],
    [{ port: 0 }, 'port'],
    [{ port: 65536 }, 'port'],
    [{ systemId: '' }, 'systemId'],
    [{ systemId: 'ö' }, 'systemId'],
    [{ password: 'x'.repeat(65) }, 'password'],
    [{ systemType: 'a\nb' }, 'systemType'],
    [{ window: 0 }, 'window'],
    [{ window: 1001 }, 'window'],
    [{ throughput: -1 }, 'throughput'],
    [{ links: 0 }, 'links'],
    [{ inDoubt: 'drop' }, 'inDoubt'],
    [{ idRule: 'hex' }, 'idRule'],
  ];
  for (const [wrong, field] of refusals) {
    it(`refuses a carrier with ${JSON.stringify(wrong).slice(0, 40)}`, async () => {
      const answer = await post('/admin/carriers', { ...carrier, ...wrong });
      assert.equal(codeOf(answer), 'invalid_parameter');
      assert.match(answer.text, new RegExp(`"field":"${field}"`));
      assert.doesNotMatch(answer.text, /pa55word|xxxx/);
    });
  }

  it('keeps prices exactly, and the others of the list as they were', async () => {
    assert.equal(codeOf(await setPrices([{ prefix: '41', price: '0.0075' }])), 'does_not_exist');
    assert.match(
      (
        await setPrices(
          [
            { prefix: '41', price: '0.0075' },
            { prefix: '', price: 1 },
          ],
          { currency: 'EUR' },
        )
      ).text,
      /"version":1/,
    );
    assert.match((await setPrices([{ prefix: '41', price: '0.000001' }])).text, /"version":2/);
    assert.equal(
      (await call('GET', '/admin/prices?list=exports')).text,
      '[{"list":"exports","currency":"EUR","prefix":"","price":1},{"list":"exports","currency":"EUR","prefix":"41","price":0.000001}]',
    );
    for (const wrong of [
      [],
      [1],
      [{ prefix: '4x', price: 1 }],
      [{ prefix: '4' }],
      [{ prefix: '4', price: -1 }],
      [{ prefix: '4', price: 1_000_000_001 }],
      [
        { prefix: '4', price: 1 },
        { prefix: '+4', price: 2 },
      ],
    ]) {
      assert.equal((await setPrices(wrong)).status, 400, JSON.stringify(wrong));
    }
    assert.equal(codeOf(await setPrices([{ prefix: '4', price: 1 }], { currency: 'USD' })), 'invalid_parameter');
  });
});

describe('messages', () => {
  it('are sent as everybody sends them, found by their numbers, and shown with their text', async () => {
    await post('/admin/carriers', { name: 'two', host: '127.0.0.1', port: 1, systemId: 'us', password: '' });
    await post('/admin/routes', { prefix: '41', carrier: 'two' });
    await post('/admin/prices', { currency: 'EUR', prices: [{ prefix: '41', price: '0.0075' }] });
    await post('/admin/accounts', { name: 'sender', currency: 'EUR', balance: '0.01' });
    const draft = {
      account: 'sender',
      sender: 'Shop',
      receiver: '0041 79 111 22 33',
      text: 'private words',
      clientRef: 'r1',
    };
    const sent = await post('/admin/send', draft);
    assert.equal(sent.status, 200, sent.text);
    assert.match(
      sent.text,
      /^\{"msgId":"\d+","numParts":1,"totalCost":0\.0075,"clientBalance":0\.0025,"clientCurrency":"EUR"\}$/,
    );
    const again = await post('/admin/send', draft);
    assert.equal(codeOf(again), 'insufficient_balance');
    const msgId = /"msgId":"(\d+)"/.exec(sent.text)?.[1] ?? '';
    const shown = await call('GET', `/admin/messages/${msgId}`);
    assert.match(shown.text, /"text":"private words"/);
    assert.match(shown.text, /"source":"operator"/);
    assert.match(shown.text, /"acceptedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
    for (const query of [
      'account=sender',
      'sender=Shop',
      'receiver=%2B41791112233',
      'receiver=41791112233',
      'clientRef=r1',
      'event=queued',
      'since=2020-01-01',
      'until=2999-01-01T00:00:00Z',
    ]) {
      const found = await call('GET', `/admin/messages?${query}`);
      assert.match(found.text, new RegExp(msgId), query);
      assert.doesNotMatch(found.text, /private/);
    }
    for (const query of [
      'account=exact',
      'sender=Other',
      'receiver=41791112234',
      'clientRef=r2',
      'event=delivered',
      'since=2999-01-01',
      'until=2020-01-01',
      `before=${msgId}`,
    ]) {
      assert.equal((await call('GET', `/admin/messages?${query}`)).text, '{"messages":[],"next":null}', query);
    }
    for (const query of [
      'event=gone',
      'since=yesterday',
      'limit=0',
      'limit=1001',
      'before=x',
      'receiver=x',
      'account=a+b',
      'text=private',
    ]) {
      assert.equal((await call('GET', `/admin/messages?${query}`)).status, 400, query);
    }
    assert.equal(codeOf(await call('GET', '/admin/messages/1')), 'message_not_found');
    assert.equal(codeOf(await call('GET', '/admin/messages/x')), 'message_not_found');
  });
});

it('says how it runs: commits are on disk before they are answered', async () => {
  const status = await call('GET', '/admin/status');
  assert.match(status.text, /"journalMode":"wal","synchronous":"FULL"/);
  assert.match(status.text, /"version":"\d+\.\d+\.\d+"/);
});

describe('a key that others can read', () => {
  it('stops the start with a sentence', async () => {
    const open = mkdtempSync(join(tmpdir(), 'morsel-open-'));
    const config = readConfig({ MORSEL_DATA_DIR: open, MORSEL_HTTP_PORT: '0', MORSEL_ADMIN_PORT: '0' });
    assert.ok(config.ok);
    const first = await startGateway(config.value, { log: makeLog('silent') });
    await first.stop();
    assert.equal(readAdminAddress(open), undefined);
    chmodSync(join(open, 'operator-key'), 0o640);
    await assert.rejects(
      startGateway(config.value, { log: makeLog('silent') }),
      /others can read the operator key .*: close it with chmod 600/,
    );
    chmodSync(join(open, 'operator-key'), 0o600);
    await (await startGateway(config.value, { log: makeLog('silent') })).stop();
    rmSync(open, { recursive: true });
  });
});
