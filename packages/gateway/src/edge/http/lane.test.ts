import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { BothWays } from '../../../test/support/clients/both-ways.ts';
import { hi, hiBytes, holdMessages, startTestSite } from '../../../test/support/clients/http-site.ts';
import { request } from '../../../test/support/clients/raw-http.ts';
import { machineClock } from '../../runtime/clock.ts';
import { Lane } from './lane.ts';

const routes = [
  { path: '/sms/send', methods: ['GET', 'POST'], isPlain: true },
  { path: '/sms/quote', methods: ['POST'] },
];
const body = JSON.stringify(hi);

const post = (headers: readonly string[], of = body) => request('POST /sms/send', { headers, body: of });

describe('a request is plain', () => {
  const plain: readonly (readonly [string, Buffer])[] = [
    ['a POST', hiBytes],
    [
      'a POST with usual headers',
      post(['User-Agent: x', 'accept: */*', 'Connection: Keep-Alive', 'X-Forwarded-For: ::1']),
    ],
    ['a POST with a key', post(['Idempotency-Key: a', 'Authorization: Bearer x', 'Content-Type: application/json'])],
    ['a GET', request('GET /sms/send?auth=x&text=a%20b+c')],
  ];
  const lane = new Lane({ clock: machineClock, routes, run: () => assert.fail() });
  for (const [what, octets] of plain) it(what, () => assert.ok(lane.read(octets)));

  const others: readonly (readonly [string, Buffer | string])[] = [
    ['part of a head', hiBytes.subarray(0, 60)],
    ['part of a body', hiBytes.subarray(0, -1)],
    ['a route that is not for it', request('POST /sms/quote', { body })],
    ['an unknown path', request('GET /x')],
    ['another method', request('PUT /sms/send', { body })],
    ['a GET with a body', request('GET /sms/send', { body })],
    ['a POST without a length', request('POST /sms/send')],
    ['two lengths', post([`Content-Length: ${body.length}`])],
    ['a long body', post([], body + ' '.repeat(20_000))],
    ['a long head', post([`User-Agent: ${'x'.repeat(5_000)}`])],
    ['chunks', post(['Transfer-Encoding: chunked'])],
    ['Expect', post(['Expect: 100-continue'])],
    ['the end of the connection', post(['Connection: close'])],
    ['an unknown header', post(['X-Odd: 1'])],
    ['a header twice', post(['Accept: a', 'accept: b'])],
    ['no Host', 'GET /sms/send HTTP/1.1\r\nAccept: a\r\n\r\n'],
    ['a header without a value', post(['Accept:'])],
    ['a value with a tab', post(['Accept: a\tb'])],
    ['a header over two lines', post(['Accept: a\r\n b'])],
    ['HTTP/1.0', 'GET /sms/send HTTP/1.0\r\nHost: a\r\n\r\n'],
  ];
  for (const [what, octets] of others) {
    it(`never with ${what}`, () => assert.equal(lane.read(Buffer.from(octets)), undefined));
  }
});

it('both ways give the same answers to odd requests', async () => {
  await using ways = await BothWays.start();
  await ways.compare({ seed: 2, from: 0, to: 320 });
});

describe('the lane', () => {
  it('answers before it closes the connection of a client that has closed its half', async () => {
    await using site = await startTestSite();
    const socket = connect({ port: site.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write(hiBytes);
    await once(socket, 'data');
    const { came, letGo } = holdMessages(site);
    socket.end(hiBytes);
    await came;
    await new Promise(setImmediate);
    letGo();
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    assert.match(answer, /^HTTP\/1.1 200 OK\r\n/);
  });
});
