import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../../app.ts';
import { done } from '../../../../test/support/done.ts';
import { startOn } from '../../../../test/support/gateway/gateway.ts';
import { HttpClient, type HttpAnswer } from '../../../../test/support/clients/http-client.ts';
import { addOperator } from '../../../../test/support/gateway/operators.ts';
import { operatorCalls } from '../handlers.ts';

/*
 * If the answer to an operator's change is lost, the change may be repeated with its idempotency key: it is made once.
 */

const folder = mkdtempSync(join(tmpdir(), 'morsel-repeats-'));
let gateway: Gateway;
let client: HttpClient;
const calls = () => operatorCalls(gateway.operator);

async function start(): Promise<void> {
  gateway = await startOn(folder);
  client = new HttpClient(gateway.adminPort);
}

async function stop(): Promise<void> {
  client.close();
  await gateway.stop();
}

before(async () => {
  await start();
  done(await calls().account.add({ name: 'acme', currency: 'EUR', balance: '50' }));
});
after(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

const builtIn = () => readFileSync(join(folder, 'operator-key'), 'utf8').trim();

function post(path: string, fields: object, idempotencyKey: string, operatorKey = builtIn()): Promise<HttpAnswer> {
  const headers = {
    authorization: `Bearer ${operatorKey}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  };
  return client.ask({ method: 'POST', path: `/admin/v1${path}`, headers, body: JSON.stringify(fields) });
}

const tokenOf = (operatorKey: string) => post('/accounts/acme/tokens', {}, 'same', operatorKey);
const tokens = async () => done(await calls().token.list({ account: 'acme' })).items.length;
const balance = async () => done(await calls().account.show({ account: 'acme' })).balance;
const webhook = { account: 'acme', url: 'https://hooks.example.com/sms', on: ['receipt'] };

describe('a repeated change', () => {
  it('gets the first answer again, with the secret in it', async () => {
    const first = await post('/accounts/acme/tokens', {}, 'token-1');
    assert.match(first.text, /"token":"morsel_/);
    assert.deepEqual((await post('/accounts/acme/tokens', {}, 'token-1')).text, first.text);
    assert.equal(await tokens(), 1);
    assert.notEqual((await post('/accounts/acme/tokens', {}, 'token-2')).text, first.text);
    assert.equal(await tokens(), 2);
  });

  it('is made once, even if several repeats arrive at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => post('/webhooks', webhook, 'hook-1')));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(done(await calls().webhook.list({})).items.length, 1);
  });

  it('of a top-up or a message is made once, with the key in a field or in the header', async () => {
    const by = { amount: '5', reason: 'invoice 7' };
    const [first, again] = [
      await post('/accounts/acme/top-up', by, 'top-1'),
      await post('/accounts/acme/top-up', by, 'top-1'),
    ];
    assert.deepEqual([first.body['replayed'], again.body['replayed']], [false, true]);
    assert.equal(again.body['entry'], first.body['entry']);
    assert.equal((await post('/accounts/acme/top-up', { ...by, key: 'top-1' }, 'top-1')).body['replayed'], true);
    const two = await post('/accounts/acme/top-up', { ...by, key: 'top-2' }, 'top-1');
    assert.deepEqual([two.status, two.body['code']], [400, 'malformed_request']);
    assert.equal(await balance(), 55_000_000n);
  });

  it('is refused if the same key comes with a different request', async () => {
    const other = await post('/accounts/acme/tokens', { scopes: ['dlr'] }, 'token-1');
    assert.deepEqual([other.status, other.body['code']], [409, 'idempotency_conflict']);
    assert.equal((await post('/accounts/acme/suspend', {}, 'token-1')).body['code'], 'idempotency_conflict');
  });

  it('has a key that is unique for its operator; the key of a top-up is unique for its account', async () => {
    done(await calls().account.add({ name: 'initech', currency: 'EUR' }));
    const { key } = await addOperator(gateway, 'owner', 'kate');
    const by = { amount: '1', reason: 'invoice 8' };
    const first = (await post('/accounts/acme/top-up', by, 'top-3')).body;
    assert.equal((await post('/accounts/initech/top-up', by, 'top-3')).body['replayed'], false);
    const again = (await post('/accounts/acme/top-up', by, 'top-3', key)).body;
    assert.deepEqual([again['replayed'], again['entry']], [true, first['entry']]);
    const other = await post('/accounts/acme/top-up', { ...by, amount: '2' }, 'top-3', key);
    assert.equal(other.body['code'], 'already_exists');
    const own = await post('/accounts/initech/tokens', {}, 'token-1', key);
    assert.equal(own.status, 200, 'another operator may have the same key');
  });

  it('is made if the first request was refused, because that changed nothing', async () => {
    assert.equal((await post('/accounts/nobody/tokens', {}, 'token-3')).body['code'], 'does_not_exist');
    assert.equal((await post('/accounts/acme/tokens', {}, 'token-3')).status, 200);
    assert.equal(await tokens(), 3);
  });

  it('of an apply of settings is made once, although its steps are changes, too', async () => {
    const { config, version } = done(await calls().config.show());
    const text = config.replace('"accounts":[', '"accounts":[{"name":"globex","currency":"EUR"},');
    const first = await post('/config/apply', { config: text, version }, 'config-1');
    assert.equal(first.status, 200, first.text);
    assert.equal((await post('/config/apply', { config: text, version }, 'config-1')).text, first.text);
  });

  it('does not get the answer of a removed operator with the same name', async () => {
    const first = await addOperator(gateway, 'owner', 'jane');
    const answer = await tokenOf(first.key);
    assert.equal((await tokenOf(first.key)).text, answer.text);
    done(await calls().operator.remove({ operator: 'jane' }));
    const second = await addOperator(gateway, 'owner', 'jane');
    const other = await tokenOf(second.key);
    assert.equal(other.status, 200, other.text);
    assert.notEqual(other.text, answer.text);
    const { key } = done(await calls().operatorKey.add({ operator: 'jane' }));
    assert.match(
      (await tokenOf(key)).text,
      /was done at .*audit list/,
      'another key changes nothing, and sees no secret',
    );
  });

  it('must have a key of printable characters', async () => {
    const answer = await post('/accounts/acme/tokens', {}, 'x'.repeat(256));
    assert.deepEqual([answer.status, answer.body['code']], [400, 'malformed_request']);
  });

  it('is not made again after a restart', async () => {
    const former = await balance();
    await stop();
    await start();
    const again = await post('/accounts/acme/tokens', {}, 'token-1');
    assert.deepEqual([again.status, again.body['code']], [409, 'conflict']);
    assert.match(String(again.body['detail']), /was done at .*audit list/);
    assert.equal(
      (await post('/accounts/acme/tokens', { scopes: ['dlr'] }, 'token-1')).body['code'],
      'idempotency_conflict',
    );
    const posted = await post('/accounts/acme/top-up', { amount: '5', reason: 'invoice 7' }, 'top-1');
    assert.equal(posted.body['replayed'], true);
    assert.deepEqual([await tokens(), await balance()], [5, former]);
  });
});
