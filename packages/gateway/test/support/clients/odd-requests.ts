import type { Chance } from '../chance.ts';
import { token } from './http-site.ts';

/* Requests by chance: valid and odd ones, pipelined, with changed octets, and cut into pieces anywhere. */

const fields = { auth: token, sender: '+41791112233', receiver: '+41791112234', dcs: 'GSM' };
const query = new URLSearchParams({ ...fields, text: 'Hi you' }).toString();
const dlr = `/sms/dlr?auth=${token}&messageId=1023456789012345`;

const targets = [
  '/sms/send',
  '/sms/send',
  '/sms/send',
  '/v1/sms/send',
  '/sms/dlr',
  `/sms/send?auth=${token}`,
  `/sms/send?${query}`,
  dlr,
  dlr,
  `${dlr}&details=1`,
  `/v1${dlr}`,
  `${dlr}#x`,
  `${dlr}"<>`,
  `${dlr}&x=%zz`,
  '/sms/dlr?',
  '/sms/dlr?auth=x',
  '/health',
  '/sms/quote',
  '/x',
  '/',
  '*',
  'http://localhost/sms/send',
  '/sms//send',
  '/sms/send/',
  '/%73ms/send',
  '',
];

const oddHeaders = [
  'Accept: */*',
  'accept-encoding: gzip, deflate',
  'User-Agent: x/1 (y)',
  'Connection: keep-alive',
  'X-Odd: 1',
  'Connection: close',
  'connection: Keep-Alive',
  'Connection: Upgrade',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Host: b',
  'Host:',
  'hOST: c',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'TE: trailers',
  'Content-Length: 2',
  'Content-Length: 0',
  'content-length: 1, 1',
  'Content-Encoding: gzip',
  'Content-Length: +3',
  'Content-Type: application/json',
  'Content-Type: text/plain; charset=latin1',
  'content-type: multipart/x',
  'Content-Type: application/x-www-form-urlencoded',
  `Authorization: Bearer ${token}`,
  'Authorization: Bearer x',
  'Idempotency-Key: a',
  'Idempotency-Key: b',
  'Idempotency-Key: \u00e9',
  'X-Forwarded-For: 192.0.2.1',
  'Accept:',
  'Accept:  a',
  'Accept: a ',
  'Accept:\ta',
  'Accept : a',
  ' Accept: a',
  'Accept',
  ': a',
  'Accept: a\u0000',
  'Via: 1.1 \u00e9',
  'Accept: a\n b',
  'Accept: a\rb',
  'Accept: a\n',
  'Proxy-Connection: keep-alive',
  'Keep-Alive: timeout=5',
  'Trailer: x',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  `User-Agent: ${'x'.repeat(4_200)}`,
];

const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'http/1.1',
];
const methods = ['GET', 'HEAD', 'PUT', 'OPTIONS', 'FOO', 'post', 'CONNECT'];

/** Octets as Latin-1. The message has a text by which the API decides when and how it answers. */
function oddRequest(chance: Chance, oddness: number): string {
  const isOdd = () => chance.happens(oddness);
  let target = isOdd() ? chance.pick(targets) : chance.pick(['/sms/send', '/sms/send', dlr]);
  const isGet = target.startsWith('/sms/dlr?') || target.includes('text=');
  const method = isOdd() ? chance.pick(methods) : isGet ? 'GET' : 'POST';
  const text = `Hi ${chance.between(0, 99)}${chance.happens(0.05) ? 'é\r\n\r\n'.repeat(20) : ''}`;
  if (chance.happens(0.02)) target += `&x=${'y'.repeat(chance.between(1, 9_000))}`;
  const long = chance.happens(0.01) ? ' '.repeat(chance.between(1, 80_000)) : '';
  const json = JSON.stringify({ ...fields, text }) + long;
  const body =
    isGet && !isOdd()
      ? ''
      : Buffer.from(isOdd() ? chance.pick([query, '{}', '', `[${json}]`, '\u00ff']) : json).toString('latin1');
  const isChunked = body !== '' && isOdd() && chance.happens(0.3);
  const length = isOdd()
    ? chance.pick([body.length - 1, body.length + 1, 0, `0${body.length}`, 'x', '-1', '99999999999'])
    : body.length;
  const headers = [
    isOdd()
      ? chance.pick(['Host: x', 'host:x', 'HOST: localhost:80', 'Host: x\r\nHost: x', 'X-Host: x'])
      : 'Host: localhost',
    ...(isChunked ? ['Transfer-Encoding: chunked'] : []),
    ...(body === '' || isChunked ? [] : [`${chance.pick(['Content-Length', 'content-length'])}: ${length}`]),
  ];
  while (chance.happens(oddness)) headers.splice(chance.between(0, headers.length), 0, chance.pick(oddHeaders));
  const lineEnd = isOdd() && chance.happens(0.2) ? chance.pick(['\n', '\r', '\r\r\n', ' \r\n']) : '\r\n';
  const start = `${isOdd() ? chance.pick(['\r\n', '\r\n\r\n', ' ', '\n']) : ''}${method} ${target} ${isOdd() ? chance.pick(versions) : 'HTTP/1.1'}`;
  return [start, ...headers, '', isChunked ? inChunks(body, chance) : body].join(lineEnd);
}

function inChunks(body: string, chance: Chance): string {
  const at = chance.between(0, body.length);
  const parts = [body.slice(0, at), body.slice(at)].filter((part) => part !== '');
  return `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;
}

/** The pieces that a client writes on one connection, one after the other. */
export function oddPieces(chance: Chance): readonly Buffer[] {
  const oddness = chance.pick([0, 0.03, 0.1, 0.3]);
  let octets = Buffer.from(
    Array.from({ length: chance.between(1, 5) }, () => oddRequest(chance, oddness)).join(''),
    'latin1',
  );
  const changes = chance.happens(0.2) ? chance.between(1, 3) : 0;
  for (let count = 0; count < changes; count++) octets = changed(octets, chance);
  if (chance.happens(0.1)) octets = octets.subarray(0, chance.between(0, octets.length));
  const cuts = chance.happens(0.5) ? chance.between(1, 6) : 0;
  const places = Array.from({ length: cuts }, () => chance.between(0, octets.length)).toSorted(
    (one, other) => one - other,
  );
  return [0, ...places].map((from, index) => octets.subarray(from, places[index])).filter(({ length }) => length > 0);
}

function changed(octets: Buffer, chance: Chance): Buffer<ArrayBuffer> {
  const at = chance.between(0, octets.length);
  const end = chance.between(at, Math.min(octets.length, at + 20));
  const given = chance.pick([
    [],
    [chance.between(0, 255)],
    [13, 10],
    [13, 10, 13, 10],
    [...octets.subarray(at, end), ...octets.subarray(at, end)],
  ]);
  return Buffer.concat([octets.subarray(0, at), Buffer.from(given), octets.subarray(chance.pick([at, end]))]);
}
