import assert from 'node:assert/strict';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { addOperator } from '../support/gateway/operators.ts';
import { toJson } from '../support/json.ts';
import { folder, morsel, served } from '../support/gateway/morsel.ts';

/* The command line on a machine without a data directory: it has the gateway's URL and an operator key. */

const pems = join(import.meta.dirname, '../../../smpp/vectors/tls');
const ca = join(pems, 'ca.pem');

describe('morsel login', () => {
  let gateway: Gateway;
  let key: string;
  let url: string;
  const environment = { MORSEL_DATA_DIR: '', XDG_CONFIG_HOME: join(folder, 'config') };
  const file = join(folder, 'config', 'morsel', 'login.json');
  const remote = (...words: string[]) => morsel(words, { environment, input: `${key}\n` });

  before(async () => {
    const tls = { MORSEL_ADMIN_TLS_CERT: join(pems, 'carrier.pem'), MORSEL_ADMIN_TLS_KEY: join(pems, 'carrier.key') };
    gateway = await served({ environment: { ...tls, MORSEL_ADMIN_TLS_PORT: '0' } });
    ({ key } = await addOperator(gateway, 'support', 'jane'));
    url = `https://127.0.0.1:${gateway.adminTlsPort}`;
  });
  after(() => gateway.stop());

  const refusals: readonly (readonly [words: string, status: number, says: RegExp])[] = [
    ['ftp://localhost', 2, /url must be a URL such as https/],
    ['http://192.0.2.7:8081', 2, /http:\/\/ is allowed only to localhost/],
    ['https://jane:secret@localhost', 2, /url must be a URL/],
    ['http://localhost:65534 --key-stdin', 3, /no gateway runs at http:\/\/localhost:65534/],
    ['https://localhost', 2, /give the key with --key-file or --key-stdin/],
  ];
  for (const [words, status, says] of refusals) {
    it(`refuses ${words}`, async () => {
      const done = await remote('login', ...words.split(' '));
      assert.match(done.errors, says);
      assert.equal(done.status, status);
      assert.equal(existsSync(file), false);
    });
  }

  it('refuses a certificate of an unknown authority, and an invalid operator key', async () => {
    // This must be the first login: a later one would find that this process trusts the authority already.
    const unknown = await remote('login', url, '--key-stdin');
    assert.match(unknown.errors, /cannot be verified \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).*--ca-file/);
    const wrong = join(folder, 'wrong.txt');
    writeFileSync(wrong, 'morsel_abc\n');
    assert.match((await remote('login', url, '--key-file', wrong)).errors, /which begins with morselop_/);
    writeFileSync(wrong, `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}\n`);
    const refused = await remote('login', url, '--ca-file', ca, '--key-file', wrong);
    assert.match(refused.errors, /refused the operator key: the key is wrong, revoked or expired/);
    assert.doesNotMatch(refused.errors, new RegExp(key.slice(22, 40)));
  });

  it('stores the key in a file that only its user can read, and later commands use the key', async () => {
    const done = await remote('login', `${url}/`, '--ca-file', ca, '--key-stdin');
    assert.equal(done.status, 0, done.errors);
    assert.match(done.out, new RegExp(`^logged in to ${url} as jane, with the role support\n`));
    assert.doesNotMatch(done.out, new RegExp(key));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const self = await remote('whoami', '--json');
    assert.equal(toJson(JSON.parse(self.out))['operator'], 'jane');
    const refused = await remote('account', 'add', 'acme', '--currency', 'EUR');
    assert.match(refused.errors, /^morsel: this needs the role owner, and operator jane has the role support\n$/);
    assert.equal(refused.status, 1);
    const named = await remote('carrier', 'pause', 'alpha', '--actor', 'joe');
    assert.match(named.errors, /a name \(--actor\) can be given only with the operator key of the data directory/);
    assert.equal((await remote('message', 'find')).status, 0);
  });

  it('shows messages without their text, and numbers with most digits hidden', async () => {
    const { account, carrier, route, price, message } = operatorCalls(gateway.operator);
    for (const done of [
      await account.add({ name: 'acme', currency: 'EUR', balance: '10' }),
      await carrier.add({ name: 'alpha', host: '127.0.0.1', port: 1, systemId: 'us', password: '' }),
      await route.add({ prefix: '41', carrier: 'alpha' }),
      await price.set({ list: 'default', prices: [{ prefix: '41', price: toMicros(10_000n) }] }),
    ]) {
      assert.ok(done.ok, done.ok ? '' : done.error.code);
    }
    const draft = { account: 'acme', sender: '+41790000001', receiver: '+41791112233', text: 'a one-time code: 5678' };
    const sent = await message.send(draft);
    assert.ok(sent.ok);
    const id = String(sent.value.msgId);
    for (const words of [
      ['message', 'show', id],
      ['message', 'find'],
      ['message', 'show', id, '--json'],
    ]) {
      const { out, errors } = await remote(...words);
      assert.equal(errors, '');
      assert.match(out, /\+4179\*{5}33/);
      assert.doesNotMatch(out, /one-time|5678|1112233|0000001|undefined/);
    }
    const local = await morsel(`message show ${id}`);
    assert.match(local.out, /one-time code: 5678/);
  });

  it('stores a key that commands refuse if other users can read its file', async () => {
    chmodSync(file, 0o644);
    assert.match((await remote('whoami')).errors, /other users can read .*login\.json: protect it with chmod 600/);
    chmodSync(file, 0o600);
  });

  it('warns that it has no effect while a data directory is named', async () => {
    const here = { environment: { XDG_CONFIG_HOME: environment.XDG_CONFIG_HOME }, input: key };
    const { errors } = await morsel(`login ${url} --ca-file ${ca} --key-stdin`, here);
    assert.match(errors, /MORSEL_DATA_DIR is set: commands use the gateway of that directory/);
  });

  it('is undone by logout', async () => {
    assert.match((await remote('logout')).out, /^the login is removed: /);
    assert.equal(existsSync(file), false);
    assert.match((await remote('logout')).out, /^there is no login\n$/);
  });
});
