import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startOn } from '../../../test/support/gateway/gateway.ts';
import { ask } from '../../../test/support/clients/raw-http.ts';
import { call, codeOf, folder, gateway, key, post } from '../../../test/support/gateway/admin-api.ts';
import { adminBase } from '@morsel/api/admin/client.ts';
import { bound } from './handlers.ts';
import { readAdminAddress } from './operator-files.ts';

describe('the operator key', () => {
  it('opens everything, and nothing opens without it', async () => {
    for (const { method, path } of bound.map(({ operation }) => operation)) {
      const at = `${adminBase}${path.replaceAll(/\{\w+\}/g, '1')}`;
      for (const authorization of ['', 'Bearer ', `Bearer ${key}x`, `bearer${key}`, key, `Basic ${key}`]) {
        const answer = await call(method, at, { headers: { authorization } });
        assert.equal(answer.status, 401, `${method} ${path}`);
        assert.equal(codeOf(answer), 'unauthorized');
        assert.equal(answer.headers['www-authenticate'], 'Bearer');
      }
    }
  });

  it('is in a file for its owner only, like the address', () => {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, 'operator-key')).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'admin-address')).mode & 0o777, 0o600);
    assert.deepEqual(readAdminAddress(folder), { host: '127.0.0.1', port: gateway.adminPort });
  });
});

describe('connections that never show the key', () => {
  it('make room for the operator, however many they are', async () => {
    const silent = Array.from({ length: 110 }, () => connect(gateway.adminPort, '127.0.0.1'));
    try {
      for (const socket of silent) {
        socket.on('error', () => undefined);
        socket.write('GET /admin/v1/status HTTP/1.1\r\nHost: x\r\n');
      }
      await Promise.all(silent.map(async (socket) => await once(socket, 'connect')));
      const answer = await new Promise((resolve, reject) => {
        // On a connection of its own: the others of this file are older.
        const headers = { authorization: `Bearer ${key}`, connection: 'close' };
        get({ port: gateway.adminPort, path: '/admin/v1/status', headers }, ({ statusCode }) => resolve(statusCode)).on(
          'error',
          reject,
        );
      });
      assert.equal(answer, 200);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });
});

it('answers health and ready without a key: to HTTP/1.0 without Host, to HEAD, and under any name', async () => {
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
    ['GET', '/admin', 404, 'not_found'],
    ['GET', '/admin/v1/accounts/', 400, 'invalid_parameter'],
    ['GET', '/admin/v1/accounts/%ff', 400, 'malformed_request'],
    ['PUT', '/admin/v1/accounts', 405, 'method_not_allowed'],
    ['HEAD', '/admin/v1/status', 405, ''],
    ['GET', '/admin/v1/messages/quote', 405, 'method_not_allowed'],
    ['GET', '/admin/v1/tokens?account=a&account=b', 400, 'malformed_request'],
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
    ['{"name":"a","currency":"EUR","currency":"EUR"}', 'application/json', 400, 'malformed_request'],
    ['name=x', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['{}', 'application/json; charset=utf-16', 415, 'unsupported_media_type'],
    ['{}', 'application/json; charset="UTF-8"', 400, 'missing_parameter'],
    ['{"name":{"a":1},"currency":"EUR"}', 'application/json', 400, 'invalid_parameter'],
    ['{"name":"a","currency":"EUR","balanse":1}', 'application/json', 400, 'invalid_parameter'],
    [`{"name":"${'x'.repeat(1024 * 1024)}"}`, 'application/json', 413, 'too_large'],
  ];
  for (const [body, type, status, code] of bodies) {
    it(`answers the body ${body.slice(0, 40)} with ${status}`, async () => {
      const answer = await call('POST', '/admin/v1/accounts', { body, headers: { 'content-type': type } });
      assert.deepEqual([answer.status, codeOf(answer)], [status, code]);
    });
  }

  it('refuses a compressed body', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await call('POST', '/admin/v1/accounts', { body: '{}', headers });
    assert.deepEqual([answer.status, codeOf(answer)], [415, 'unsupported_media_type']);
  });

  it('suggests a near field for an unknown one', async () => {
    const answer = await post('/admin/v1/accounts', { name: 'a', currency: 'EUR', balanse: 1 });
    assert.match(answer.text, /"detail":"unknown field balanse; did you mean balance\?"/);
    assert.match(answer.text, /"field":"balanse"/);
  });
});

describe('accounts', () => {
  it('are made with exact balances, and shown', async () => {
    const made = await call('POST', '/admin/v1/accounts', {
      body: '{"name":"exact","currency":"EUR","balance":12345678901.123456}',
    });
    assert.equal(made.status, 200);
    assert.match(made.text, /"balance":12345678901\.123456,/);
    assert.match(made.text, /"refundPolicy":"refused"/);
    const shown = await call('GET', '/admin/v1/accounts/exact');
    assert.equal(shown.text, made.text);
    assert.match((await call('GET', '/admin/v1/accounts')).text, /"name":"exact"/);
  });

  it('are topped up, in both directions, and their ledger agrees', async () => {
    await post('/admin/v1/accounts', { name: 'ledger', currency: 'EUR', balance: '10' });
    assert.match(
      (await post('/admin/v1/accounts/ledger/top-up', { amount: '0.000001', reason: 'gift' })).text,
      /"balance":10\.000001[,}]/,
    );
    const negative = await post('/admin/v1/accounts/ledger/top-up', { amount: '-3' });
    assert.equal(codeOf(negative), 'invalid_parameter');
    assert.match(negative.text, /account adjust/);
    assert.equal(codeOf(await post('/admin/v1/accounts/ledger/top-up', { amount: '0' })), 'invalid_parameter');
    assert.equal(
      codeOf(await post('/admin/v1/accounts/ledger/top-up', { amount: '1', reason: 'a\u001b[31m' })),
      'invalid_parameter',
    );
    assert.equal(codeOf(await post('/admin/v1/accounts/nobody/top-up', { amount: '1' })), 'does_not_exist');
    assert.match((await call('GET', '/admin/v1/totals')).text, /"unbalanced":\[\]/);
  });

  it('are suspended and resumed, also for messages of the operator', async () => {
    await post('/admin/v1/accounts', { name: 'pause', currency: 'EUR' });
    assert.match((await post('/admin/v1/accounts/pause/suspend', {})).text, /"status":"suspended"/);
    const message = { account: 'pause', sender: 'Shop', receiver: '+41791112233', text: 'secret words' };
    assert.equal(codeOf(await post('/admin/v1/messages', message)), 'forbidden');
    assert.match((await post('/admin/v1/accounts/pause/resume', {})).text, /"status":"active"/);
    const answer = await post('/admin/v1/messages', message);
    assert.equal(codeOf(answer), 'no_route');
    assert.doesNotMatch(answer.text, /secret/);
  });
});

describe('tokens', () => {
  it('are shown once, work at once, and stop working when they are revoked', async () => {
    await post('/admin/v1/accounts', { name: 'client', currency: 'EUR', balance: 5 });
    const made = await post('/admin/v1/accounts/client/tokens', {});
    assert.ok(typeof made.body === 'object' && made.body !== null && 'token' in made.body && 'id' in made.body);
    const { token, id } = made.body;
    const balance = () => fetch(`http://127.0.0.1:${gateway.httpPort}/sms/balance?auth=${String(token)}`);
    assert.equal((await balance()).status, 200);
    const list = await call('GET', '/admin/v1/tokens?account=client');
    assert.match(list.text, new RegExp(`"id":"${String(id)}"`));
    assert.doesNotMatch(list.text, new RegExp(String(token)));
    const wrong = await call('POST', `/admin/v1/tokens/${String(token)}/revoke`);
    assert.equal(codeOf(wrong), 'invalid_parameter');
    assert.doesNotMatch(wrong.text, new RegExp(String(token)));
    assert.equal((await call('POST', `/admin/v1/tokens/${String(id)}/revoke`)).status, 200);
    assert.equal((await balance()).status, 401);
    assert.equal(codeOf(await call('GET', '/admin/v1/tokens?account=nobody')), 'does_not_exist');
    assert.equal(codeOf(await call('POST', '/admin/v1/tokens/0123456789ab/revoke')), 'does_not_exist');
  });
});

it('reports how it runs: commits are on disk before they are answered', async () => {
  const status = await call('GET', '/admin/v1/status');
  assert.match(status.text, /"engine":"SQLite","commitSettings":"journal_mode wal, synchronous FULL"/);
  assert.match(status.text, /"version":"\d+\.\d+\.\d+"/);
});

describe('a key that others can read', () => {
  it('stops the start with a sentence', async () => {
    const open = mkdtempSync(join(tmpdir(), 'morsel-open-'));
    const first = await startOn(open);
    await first.stop();
    assert.equal(readAdminAddress(open), undefined);
    chmodSync(join(open, 'operator-key'), 0o640);
    await assert.rejects(startOn(open), /other users can read the operator key .*: protect it with chmod 600/);
    chmodSync(join(open, 'operator-key'), 0o600);
    await (await startOn(open)).stop();
    rmSync(open, { recursive: true });
  });
});
