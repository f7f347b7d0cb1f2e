import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startSimulator, type Simulator } from '@morsel/simulator';
import { faultOf } from '../support/carriers/carrier-faults.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient, textIn, type HttpAnswer, type HttpRequest } from '../support/clients/http-client.ts';
import { exchangeRaw } from '../support/clients/raw-http.ts';
import { waitUntil } from '../support/wait-until.ts';

/*
 * Whatever the request, no token, password or text is in an answer, in the log at its finest level, or in the output of
 * a process that ends.
 */

const word = 'Xylophon7Quartz';
const password = 'PwZebra9';
const wrongToken = `morsel_0123456789ab_${'Kiwi'.repeat(10)}abc01234567`;
const receiver = '+41791230001';

/** A size above the limits of a body and of a request line with headers. */
const tooManyOctets = 300 * 1024;
const tooLongHead = 70 * 1024;
const farTooLongHead = 140 * 1024;

describe('secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'morsel-secrets-'));
  const dataDir = join(folder, 'data');
  const answers: string[] = [];
  /** The secrets of webhooks. */
  const secrets: string[] = [];
  let simulator: Simulator;
  let gateway: GatewayProcess;
  let client: HttpClient;
  let port = 0;
  let token = '';

  before(async () => {
    simulator = await startSimulator({ port: 0, password, receiptDelayMs: 30, retryMs: 100, behaviourOf: faultOf });
    gateway = await GatewayProcess.start({ dataDir, logLevel: 'trace' });
    port = gateway.httpPort;
    client = new HttpClient(port);
    token = await setUp(gateway, simulator.port);
    await waitUntil('the link is bound', () => simulator.sessions === 1);
  });

  after(async () => {
    client.close();
    await gateway[Symbol.asyncDispose]();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await client.ask(request);
    answers.push(
      `${request.method ?? 'GET'} ${request.path.slice(0, 30)} ${JSON.stringify(answer.headers)} ${answer.text}`,
    );
    return answer;
  }

  /** Checks that a text contains no secret, in any likely encoding. */
  function assertNoneIn(what: string, said: string, also: readonly string[] = []): void {
    for (const secret of [token, wrongToken, token.slice(-30, -9), 'KiwiKiwiKiwi', word, password, ...also]) {
      const octets = Buffer.from(secret, 'utf8');
      for (const spelling of [
        secret,
        octets.toString('hex'),
        octets.toString('base64').replace(/=+$/, ''),
        encodeURIComponent(secret),
      ]) {
        const at = said.indexOf(spelling);
        assert.equal(at, -1, `${what} say ${JSON.stringify(said.slice(Math.max(0, at - 200), at + 100))}`);
      }
    }
  }

  function assertNoneSaid(): void {
    assertNoneIn('answers', answers.join('\n'));
    assertNoneIn('the standard output', gateway.out);
    assertNoneIn('the log', gateway.errors);
  }

  it('stay hidden when messages are delivered, and when the carrier misbehaves', async () => {
    for (const lastDigits of ['0001', '9902', '9914', '9930', '9933', '9939', '9944', '9948']) {
      const to = { sender: 'Shop', receiver: `+4179123${lastDigits}`, text: `${word} ${lastDigits}`, dcs: 'GSM' };
      const sent = await ask({ method: 'POST', path: '/sms/send', body: JSON.stringify({ auth: token, ...to }) });
      assert.equal(sent.status, 200, sent.text);
      await ask({ path: `/sms/dlr?auth=${token}&messageId=${textIn(sent.body, 'msgId')}&details=1` });
    }
    const long = await ask({
      path: `/sms/send?auth=${token}&sender=Shop&receiver=41791230002&text=${`${word}+`.repeat(30)}&dcs=GSM`,
    });
    assert.equal(long.status, 200, long.text);
    for (const path of ['/sms/balance', '/health', '/ready', '/openapi.json', '/metrics'])
      await ask({ path: `${path}?auth=${token}` });
    await waitUntil('the log tells of links that ended', () => /link ended/.test(gateway.errors));
    assertNoneSaid();
  });

  it('are found by this check if they are in a text', () => {
    const hidden = Buffer.from(`a PDU with ${word} in it`).toString('hex');
    assert.throws(() => assertNoneIn('a control', `{"bytes":"${hidden}"}`));
  });

  it('are not in the answers to wrong requests', async () => {
    for (const request of wrongRequests(token)) {
      const answer = await ask(request);
      assert.notEqual(answer.status, 200, `${request.method} ${request.path.slice(0, 40)}`);
    }
    assertNoneSaid();
  });

  it('are not in the log of refused requests, of decisions and of PDUs', () => {
    const lines = logged(gateway);
    const refused = lines.filter(({ msg }) => msg === 'request refused');
    const codes = new Set(refused.map(({ code }) => code));
    for (const code of ['unauthorized', 'malformed_request', 'text_not_encodable', 'not_found', 'too_large'])
      assert.ok(codes.has(code), `no line for ${code}`);
    const ofAccount = refused.find(({ code }) => code === 'text_not_encodable');
    assert.deepEqual([ofAccount?.['account'], ofAccount?.['field']], ['acme', 'text']);
    for (const { requestId } of refused) assert.ok(answers.some((answer) => answer.includes(String(requestId))));
    const events = new Set(lines.map(({ msg }) => msg));
    for (const event of ['message accepted', 'part given to a link', 'part has an outcome', 'link state', 'pdu'])
      assert.ok(events.has(event), `no line for ${event}`);
    const pdu = lines.find(({ msg, command }) => msg === 'pdu' && command === 'submit_sm');
    assert.equal(
      Object.keys(pdu ?? {}).join(' '),
      'level time carrier link direction command command_length command_status sequence_number msg',
    );
    assert.doesNotMatch(gateway.errors, /4179123\d{4}/, 'no number is whole');
  });

  it('are not in the answers to octets that are not HTTP', async () => {
    for (const octets of noRequests(token)) answers.push(await exchangeRaw(port, octets));
    assertNoneSaid();
  });

  it('are shown to the operator only when they are generated', async () => {
    const operatorKey = readFileSync(join(dataDir, 'operator-key'), 'utf8').trim();
    for (const name of ['accounts', 'tokens', 'carriers', 'status', 'totals', 'routes', 'price-lists']) {
      const shown = await gateway.administer('GET', `/v1/${name}`);
      assertNoneIn(`the operator's ${name}`, shown.text, [operatorKey]);
    }
    const admin = new HttpClient(gateway.adminPort);
    const open = { Authorization: `Bearer ${operatorKey}` };
    const carrier = { name: 'again', host: '127.0.0.1', port: '1', systemId: 'us' };
    const message = { account: 'acme', sender: 'Shop', receiver, text: `${word} я`, dcs: 'GSM' };
    const halfBody = {
      headers: { ...open, 'Content-Type': 'application/json' },
      body: `{"name":"${token}","text":"${word}`,
    };
    const refused = [
      await admin.ask({ path: `/admin/v1/accounts?key=${operatorKey}` }),
      await admin.ask({ path: '/admin/v1/accounts', headers: { Authorization: `Bearer ${operatorKey}x` } }),
      await admin.ask({ path: `/admin/${word}/${token}`, headers: open }),
      await admin.ask({ path: `/admin/v1/accounts?${word}=${token}`.replace(word, 'nonsense'), headers: open }),
      await admin.ask({ path: `/admin/v1/tokens/${token}/revoke`, method: 'POST', headers: open }),
      await admin.ask({ path: '/admin/v1/accounts', method: 'POST', ...halfBody }),
      await admin.post('/admin/v1/carriers', { ...carrier, password: `${password}é` }, open),
      await admin.post('/admin/v1/carriers', { ...carrier, password: [password] }, open),
      await admin.post('/admin/v1/messages', message, open),
      await admin.post('/admin/v1/messages', { ...message, account: 'nobody' }, open),
    ];
    admin.close();
    for (const answer of refused) {
      assert.ok(answer.status >= 400, answer.text);
      assertNoneIn('the operator’s refusals', answer.text + JSON.stringify(answer.headers), [operatorKey]);
    }
    assertNoneIn('the log', gateway.errors, [operatorKey]);
  });

  it('of webhooks are shown once, and texts of notifications nowhere', async () => {
    const constant = 'Okapi5Walnut';
    await gateway.administer('POST', '/v1/numbers', { account: 'acme', number: '+41791112233' });
    const made = await gateway.administer('POST', '/v1/webhooks', {
      account: 'acme',
      url: `http://127.0.0.1:${port}/nowhere?key=${constant}`,
      allow: '127.0.0.1',
      template: { constants: { key: constant } },
    });
    const secret = textIn(made.body, 'secret');
    assert.match(secret, /^whsec_/);
    secrets.push(secret, secret.slice('whsec_'.length));
    const once = made.text.replace(secret, '');
    await simulator.sendInbound({ from: receiver, to: '+41791112233', text: `${word} ${password}` });
    const shown = await waitUntil('it was tried', async () => {
      const answer = await gateway.administer('GET', '/v1/notifications/1');
      return /"outcome":"404"/.test(answer.text) && answer.text;
    });
    const others = ['/v1/webhooks', '/v1/webhooks/1', '/v1/webhooks/1/secrets', '/v1/notifications'];
    const answered = await Promise.all(others.map(async (path) => (await gateway.administer('GET', path)).text));
    for (const said of [once, shown, ...answered, gateway.out, gateway.errors]) {
      assertNoneIn('what is said of webhooks', said, [constant, secret, secret.slice('whsec_'.length)]);
    }
  });

  it('and texts are in no file of the data directory, and not in the output when the process ends', async () => {
    const kept = [...secrets, token, token.slice(-51, -8)];
    const look = () => {
      for (const name of readdirSync(dataDir)) {
        assertNoneIn(`the file ${name}`, readFileSync(join(dataDir, name)).toString('latin1'), kept);
      }
    };
    assert.ok(readdirSync(dataDir).includes('morsel.db-wal'));
    look();
    await gateway.stop();
    assertNoneSaid();
    look();
  });
});

function logged(gateway: GatewayProcess): Readonly<Record<string, unknown>>[] {
  const lines = gateway.errors.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
}

async function setUp(gateway: GatewayProcess, carrierPort: number): Promise<string> {
  await gateway.addCarrier({ name: 'good', prefix: '41', port: carrierPort, password, inDoubt: 'hold' });
  // The carrier refuses this login again and again, and the log reports that.
  await gateway.addCarrier({ name: 'bad', prefix: '43', port: carrierPort, password: `${password}x` });
  return gateway.addAccount({ name: 'acme', balance: '100' });
}

function wrongRequests(token: string): HttpRequest[] {
  const good = { auth: token, sender: 'Shop', receiver, text: word, dcs: 'GSM' };
  const query = `auth=${token}&sender=Shop&receiver=41791230001&text=${word}&dcs=GSM`;
  const wrong = (fields: object) => JSON.stringify({ ...good, ...fields });
  const bodies: readonly (string | Uint8Array)[] = [
    JSON.stringify(good).slice(0, -1),
    `[${JSON.stringify(good)}]`,
    `"${token} ${word}"`,
    `{${token}:${word}}`,
    JSON.stringify({ data: JSON.stringify(good) }),
    wrong({ auth: wrongToken }),
    wrong({ auth: `${token}${word}` }),
    wrong({ text: `${word} я` }),
    wrong({ text: `${word} \ud800`, dcs: 'UCS' }),
    wrong({ text: word.repeat(200) }),
    wrong({ sender: `${word} ${token}` }),
    wrong({ receiver: `${word} ${token}` }),
    wrong({ auth: wrongToken, data: good }),
    wrong({ text: word.repeat(tooManyOctets / word.length) }),
    Buffer.concat([Buffer.from(JSON.stringify(good).slice(0, -2)), Buffer.from([0xff, 0x22, 0x7d])]),
  ];
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const json = { 'Content-Type': 'application/json' };
  const posts = bodies.map((body) => ({ method: 'POST', path: '/sms/send', headers: json, body }));
  const forms = [
    query.replace('auth', '%zz&auth'),
    `${query}&auth=${token}`,
    `${query}&text=%ff${word}`,
    query.replace(word, `%E2%82${word}`),
  ];
  const paths: readonly string[] = [
    ...forms.map((each) => `/sms/send?${each}`),
    `/sms/sent?${query}`,
    `/${token}`,
    `/sms/send?${query}${word.repeat(tooLongHead / word.length)}`,
    `/sms/dlr?auth=${token}&messageId=${word}`,
    `/sms/dlr?auth=${token}&messageId=1&details=${word}`,
    `/sms/balance?auth=${token}&auth=${wrongToken}`,
  ];
  const path = `/sms/send?${query}`;
  const headers: readonly Readonly<Record<string, string>>[] = [
    { Authorization: `Bearer ${wrongToken}` },
    { 'Content-Type': `application/json; charset=${word}` },
    { 'Content-Encoding': word },
    { 'X-Long': word.repeat(tooLongHead / word.length) },
  ];
  return [
    ...posts,
    ...forms.map((body) => ({ method: 'POST', path: '/sms/send', headers: form, body })),
    ...paths.map((each) => ({ path: each })),
    ...['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND'].map((method) => ({ method, path })),
    ...headers.map((each) => ({ method: 'POST', path, headers: each, body: JSON.stringify(good).slice(1) })),
    { path: '/sms/balance', headers: { Authorization: `Basic ${Buffer.from(`${word}:${token}`).toString('base64')}` } },
    { path: '/sms/balance', headers: { Cookie: `auth=${token}` } },
  ];
}

function noRequests(token: string): (string | Uint8Array)[] {
  const host = 'Host: x\r\n';
  return [
    `${token} ${word}\r\n\r\n`,
    `GET /sms/send?auth=${token}&text=${word} HTTP/9.9\r\n${host}\r\n`,
    `GET /sms/send?auth=${token} HTTP/1.1\r\n${word}\r\n\r\n`,
    `GET /sms/send?auth=${token} HTTP/1.1\r\n${host}${token}: ${word}\u0000\r\n\r\n`,
    `GET /sms/send?auth=${token} HTTP/1.1\r\n${host}Authorization: Bearer ${token}\u0001\r\n\r\n`,
    `CONNECT ${word}:1 HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n\r\n`,
    `POST /sms/send HTTP/1.1\r\n${host}Content-Length: ${word}\r\n\r\n{"auth":"${token}"}`,
    `POST /sms/send HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n{"auth":"${token}"}`,
    `POST /sms/send HTTP/1.1\r\n${host}Content-Length: 4\r\n\r\n{"auth":"${token}","text":"${word}"}`,
    // The connection is closed in the middle of the body.
    `POST /sms/send HTTP/1.1\r\n${host}Content-Length: 400\r\n\r\n{"auth":"${token}","text":"${word}`,
    `GET /sms/send?auth=${token}&text=${word.repeat(farTooLongHead / word.length)} HTTP/1.1\r\n${host}\r\n`,
    Buffer.concat([
      Buffer.from(`GET /sms/send?auth=${token}&text=`),
      Buffer.from([0xff, 0x00]),
      Buffer.from(`${word} HTTP/1.1\r\n\r\n`),
    ]),
  ];
}
