import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { start as startHere } from '@morsel/cli/running/start.ts';
import { openOperatorKey } from '../../src/edge/admin/operator-files.ts';
import type { Child } from '../support/gateway/child.ts';
import { testConfig } from '../support/gateway/gateway.ts';
import { toJson } from '../support/json.ts';
import { answer, answered, bound, dataDir, folder, morsel, running, start } from '../support/gateway/morsel.ts';
import { waitUntil } from '../support/wait-until.ts';

/*
 * The commands of an operator, with a running gateway and carrier. The tests are independent: each has its own accounts
 * and carriers, or its own gateway if it reads whole lists.
 */

type Of = { readonly dataDir: string };

const pems = join(import.meta.dirname, '../../../smpp/vectors/tls');
const httpTls = {
  MORSEL_HTTP_TLS_CERT: join(pems, 'carrier.pem'),
  MORSEL_HTTP_TLS_KEY: join(pems, 'carrier.key'),
  MORSEL_HTTP_TLS_PORT: '0',
};

describe('the commands', () => {
  let gateway: Child;
  let carrier: Child;
  const journal = join(folder, 'carrier.jsonl');
  const password = 'pa55-phrase';

  before(async () => {
    const words = `simulate --port 0 --system-id us --password ${password} --receipt-delay-ms 10 --journal`;
    carrier = await running([...words.split(' '), journal]);
    rmSync(dataDir, { recursive: true, force: true });
    gateway = await running(['serve'], { environment: httpTls });
    await prepare({ dataDir });
  });

  after(async () => {
    const { status, errors } = await gateway.stop();
    assert.equal(status, 0);
    assert.equal(existsSync(join(dataDir, 'admin-address')), false);
    assert.equal((await carrier.stop()).status, 0);
    assert.doesNotMatch(errors, new RegExp(`${password}|hush`), 'no password and no text is in the log');
    assert.doesNotMatch(readFileSync(journal, 'utf8'), new RegExp(password));
  });

  async function addCarrier(name: string, of: Of = { dataDir }): Promise<void> {
    const address = `--host 127.0.0.1 --port ${String(carrier.ready['port'])}`;
    await answer(`carrier add ${name} ${address} --system-id us --password ${password}`, of);
  }

  /** Adds an account acme, and a carrier with a route for 41. */
  async function prepare(of: Of): Promise<void> {
    await answer('account add acme --currency EUR --balance 100', of);
    await addCarrier('base', of);
    await answer('route add --prefix 41 --carrier base', of);
    await answer('price set --currency EUR --prefix 41 --price 0.0075', of);
    await bound('base', of);
  }

  it('serve and simulate print the ports on which they listen', () => {
    assert.equal(gateway.ready['ready'], true);
    const { httpPort, httpTlsPort, adminPort } = gateway.ready;
    for (const port of [httpPort, httpTlsPort, adminPort, carrier.ready['port']]) {
      assert.ok(typeof port === 'number' && port > 0);
    }
    assert.equal(gateway.ready['dataDir'], dataDir);
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    for (const file of ['operator-key', 'morsel.db', 'morsel.db-wal', 'admin-address']) {
      assert.equal(statSync(join(dataDir, file)).mode & 0o077, 0, file);
    }
  });

  it('serves clients over TLS, too', async () => {
    const asked = get(`https://127.0.0.1:${String(gateway.ready['httpTlsPort'])}/ready`, { rejectUnauthorized: false });
    const [ready]: IncomingMessage[] = await once(asked, 'response');
    assert.equal(ready?.statusCode, 200);
    ready.destroy();
  });

  it('account remove lists the things that an account still has', async () => {
    await answer('account add slip --currency EUR');
    await answer('token add slip');
    await answer('smpp-login add slip --system-id slip');
    await answer('number add +41791110000 --account slip');
    await answer('number add +41791110001 --shared');
    await answer('keyword add +41791110001 taxi --account slip');
    await answer('webhook add slip http://127.0.0.1:8099/ --allow 127.0.0.0/8');
    const refused = await morsel('account remove slip');
    const left =
      'account slip still has 1 token (token revoke), 1 SMPP login (smpp-login remove), 1 number (number remove), 1 keyword (keyword remove), 1 webhook (webhook remove): remove these first';
    assert.deepEqual([refused.status, refused.errors], [1, `morsel: ${left}\n`]);
    const problem = toJson(JSON.parse((await morsel('account remove slip --json')).errors));
    assert.deepEqual([problem['code'], problem['title']], ['in_use', 'The resource is in use']);
    // An account with a ledger entry can never be removed.
    assert.match((await morsel('account remove acme')).errors, /must be kept: use account suspend acme instead\n$/);
  });

  it('carrier add takes the password from an option, a file and standard input, and shows it nowhere', async () => {
    const file = join(folder, 'password');
    writeFileSync(file, `${password}\n`);
    const port = String(carrier.ready['port']);
    const common = `--host 127.0.0.1 --port ${port} --system-id us`;
    await answer(`carrier add by-option ${common} --password ${password}`);
    const limits = '--links 2 --window 20 --throughput 500';
    await answer(`carrier add by-file ${common} --password-file ${file} ${limits}`);
    await answer(
      `carrier add by-stdin ${common} --password-stdin --in-doubt hold --id-rule hex-answer --system-type x`,
      { input: `${password}\r\nmore` },
    );
    for (const words of ['carrier list', 'carrier show by-file', 'carrier show by-stdin --json', 'status --json']) {
      const { status, out } = await morsel(words);
      assert.equal(status, 0);
      assert.doesNotMatch(out, new RegExp(password));
    }
    const shown = await answered('carrier show by-stdin');
    assert.deepEqual([shown['inDoubt'], shown['idRule'], shown['systemType']], ['hold', 'hex-answer', 'x']);
    assert.match((await morsel('carrier show by-file')).out, /LINK +STATE[^]* 1 +bound[^]* 2 +bound/);
  });

  const refusals: readonly (readonly [words: string, code: string, sentence: RegExp])[] = [
    ['account add acme --currency EUR', 'already_exists', /an account named acme exists already/],
    ['account add b --currency euro', 'invalid_parameter', /^morsel: currency must be a currency code/],
    ['account top-up acme much', 'invalid_parameter', /^morsel: amount: an amount is digits/],
    ['carrier remove base', 'in_use', /has a route for prefix 41/],
    ['send --account acme --sender Shop --receiver +491711234567 --text hush', 'no_route', /no carrier is set up for/],
    [
      'send --account acme --sender Shop --receiver +41791112233 --text hush-ж --dcs GSM',
      'text_not_encodable',
      /outside the GSM alphabet/,
    ],
  ];
  for (const [words, code, sentence] of refusals) {
    it(`refuses morsel ${words}`, async () => {
      const [plain, json] = await Promise.all([morsel(words), morsel(`${words} --json`)]);
      const status = code === 'invalid_parameter' ? 2 : 1;
      assert.deepEqual([plain.status, plain.out], [status, '']);
      assert.match(plain.errors, sentence);
      assert.doesNotMatch(plain.errors, /hush/);
      assert.deepEqual([json.status, json.out], [status, '']);
      assert.match(json.errors, /^[^\n]+\n$/);
      assert.equal(toJson(JSON.parse(json.errors))['code'], code);
      assert.doesNotMatch(json.errors, /hush/);
    });
  }

  it('behaves like a process of its own: arguments, streams and exit status', async () => {
    const rows = ['account list --json', 'account show nobody', 'acount', '--help'].map((words) => words.split(' '));
    await Promise.all(rows.map(async (words) => assert.deepEqual(await alone(words), await morsel(words))));
    const carrierOf = ['--host', '127.0.0.1', '--port', String(carrier.ready['port']), '--system-id', 'us'];
    const piped = await alone(['carrier', 'add', 'piped', ...carrierOf, '--password-stdin'], `${password}\n`);
    assert.equal(piped.status, 0);
    await bound('piped');
    await answer('carrier remove piped');
  });

  it('a second gateway on the same data directory is refused', async () => {
    const child = start(['serve']);
    const { status, out, errors } = await child.ended;
    assert.deepEqual([status, out], [1, '']);
    assert.match(errors, /^morsel: another morsel is using .*MORSEL_DATA_DIR to a folder of its own\n$/);
    assert.equal((await morsel('status')).status, 0);
  });

  it('a port that is in use is reported with the setting that names it', async () => {
    for (const [setting, port] of [
      ['MORSEL_HTTP_PORT', gateway.ready['httpPort']],
      ['MORSEL_HTTP_TLS_PORT', gateway.ready['httpTlsPort']],
      ['MORSEL_ADMIN_PORT', gateway.ready['adminPort']],
    ] as const) {
      const config = testConfig(join(folder, 'other'), { ...httpTls, [setting]: String(port) });
      const detail = `another program already listens on 127.0.0.1:${String(port)}: stop that program, or change ${setting}`;
      assert.deepEqual(await startHere(config), { ok: false, error: { kind: 'refused', detail } });
    }
  });

  it('a wrong operator key is reported differently from a gateway that does not run', async () => {
    const other = join(folder, 'stale');
    assert.equal((await morsel('account list', { dataDir: other })).status, 3);
    mkdirSync(other, { mode: 0o700 });
    assert.ok(openOperatorKey(other).ok);
    writeFileSync(join(other, 'admin-address'), `127.0.0.1:${String(gateway.ready['adminPort'])}\n`);
    const { status, errors } = await morsel('account list', { dataDir: other });
    assert.equal(status, 3);
    assert.match(errors, /refused the operator key of this data directory/);
  });

  it('ends at once at the second signal, even with requests under way, and logs no secret and no text', async () => {
    const own = { dataDir: join(folder, 'signals') };
    const ends = await running(['serve'], { environment: { MORSEL_DATA_DIR: own.dataDir } });
    await prepare(own);
    const token = String((await answered('token add acme', own))['token']);
    const asked = await fetch(`http://127.0.0.1:${String(ends.ready['httpPort'])}/sms/balance?auth=${token}`);
    assert.equal(asked.status, 200);
    const waiting = 'send --account acme --sender Shop --receiver +41791119942 --text hush';
    await answer(waiting, own);
    await waitUntil('the carrier has it', async () => {
      const { linkStates: links } = await answered('carrier show base', own);
      return Array.isArray(links) && links.some((link: unknown) => toJson(link)['windowUsed'] === 1);
    });
    ends.signal('SIGTERM');
    // At Ctrl-C, a child of npm gets the signal twice, from the terminal and from npm, which must count as one.
    ends.signal('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(ends.isEnded, false);
    const again = setInterval(() => ends.signal('SIGTERM'), 100);
    const { status, errors } = await ends.ended;
    clearInterval(again);
    assert.equal(status, 130);
    assert.doesNotMatch(errors, new RegExp(`${password}|${token}|hush`));
  });
});

/** Runs a command as a process of its own. */
async function alone(words: readonly string[], input = '') {
  const child = start(words);
  child.streams.stdin?.end(input);
  const { status, out, errors } = await child.ended;
  return { status, out, errors };
}
