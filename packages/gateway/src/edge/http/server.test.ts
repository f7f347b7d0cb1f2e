import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { endpoints, pathsOf } from '@morsel/api/endpoints.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { refused } from '@morsel/api/values/result.ts';
import { startTestSite, token, type TestSite } from '../../../test/support/clients/http-site.ts';
import { ask, places, request, type Bytes, type RequestParts } from '../../../test/support/clients/raw-http.ts';

const text = 'the very secret text';
const fields = { auth: token, sender: '+41791112233', receiver: '+41791112234', text, dcs: 'GSM' };
const nothing = { clientRef: undefined, tags: undefined, validity: undefined, sendAt: undefined };
const draft = { ...fields, auth: undefined, ...nothing, flash: false, storeText: true };
const query = new URLSearchParams(fields).toString();
const id = '1023456789012345';

let site: TestSite;
before(async () => {
  site = await startTestSite();
});
after(() => site.close());
beforeEach(() => {
  site.calls.length = 0;
  site.log.length = 0;
  site.submit = undefined;
});

function post(body: Bytes, headers: readonly string[] = [], path = '/sms/send'): Buffer {
  return request(`POST ${path}`, { body, headers });
}

function json(changes: Record<string, unknown> = {}): string {
  return JSON.stringify({ ...fields, ...changes });
}

/** The draft that the API gets, without undefined members. */
function draftOf(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...draft, ...changes }).filter(([, value]) => value !== undefined));
}

describe('a send', () => {
  const form = ['Content-Type: application/x-www-form-urlencoded'];
  const bearer = [`Authorization: Bearer ${token}`];
  const rows: readonly (readonly [string, Buffer, Record<string, unknown>])[] = [
    ['flat JSON', post(json()), {}],
    ['JSON under data', post(JSON.stringify({ data: fields })), {}],
    ['data wins over fields beside data', post(JSON.stringify({ ...fields, text: 'other', data: fields })), {}],
    ['data that is no object is ignored', post(json({ data: [fields] })), {}],
    ['the token beside data', post(JSON.stringify({ auth: token, data: { ...fields, auth: undefined } })), {}],
    ['JSON declared as a form', post(json(), form), {}],
    ['JSON with a byte order mark', post(`\ufeff${json()}`), {}],
    ['charset utf-8', post(json(), ['Content-Type: application/json; charset="UTF-8"']), {}],
    ['chunked', chunked(json()), {}],
    ['a form', post(query, form), {}],
    ['with Expect', post(json(), ['Expect: a-miracle']), {}],
    ['a form with a byte order mark', post(`\ufeff${query}`, form), {}],
    ['GET', request(`GET /sms/send?${query}`), {}],
    [
      'GET that offers HTTP/2',
      request(`GET /sms/send?${query}`, {
        headers: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      }),
      {},
    ],
    ['GET by HTTP/1.0', Buffer.from(`GET /sms/send?${query} HTTP/1.0\r\nHost: x\r\n\r\n`), {}],
    ['GET with unencoded pluses', request(`GET /sms/send?${query.replaceAll('%2B', '+')}`), {}],
    ['a form with unencoded pluses', post(query.replaceAll('%2B', '+'), form), {}],
    ['JSON with blanks around a receiver', post(json({ receiver: '\u00a0+41791112234 ' })), {}],
    [
      'numbers as integers',
      post(json({ sender: 12345, receiver: 41791112234 })),
      { sender: '12345', receiver: '41791112234' },
    ],
    ['options', post(json({ clientRef: 'a', validity: 3600 })), { clientRef: 'a', validity: 3600 }],
    ['JSON with spaces in front', post(` \r\n\t${json()}`), {}],
    ['tags', post(json({ tags: ['a', 'b:1'] })), { tags: 'a,b:1' }],
    ['tags in a query', request(`GET /sms/send?${query}&tags=a,%20b:1`), { tags: 'a, b:1' }],
    ['the token as bearer', post(json({ auth: undefined }), bearer), {}],
    ['null for nothing', post(json({ clientRef: null, validity: null, data: null })), {}],
    ['unknown fields', post(json({ foo: [1], constructor: 1, hasOwnProperty: 2 })), {}],
    ['__proto__', post(json().replace('{', '{"__proto__":{"clientRef":"x","auth":"y"},')), {}],
    ['every character', post(json({ text: '\u0000\ud800😀"\\' })), { text: '\u0000\ud800😀"\\' }],
    ['the token as bearer in lower case', post(json({ auth: '' }), [`authorization: bearer   ${token} `]), {}],
    ['the same token three times', post(json(), [...bearer, ...bearer]), {}],
    ['a token beside another scheme of Authorization', post(json(), ['Authorization: Basic eDp5']), {}],
    ['POST with the token in the query', request(`POST /sms/send?auth=${token}`, { body: json({ auth: null }) }), {}],
  ];
  for (const [name, bytes, changes] of rows) {
    for (const [which, place] of places)
      it(`is read from ${name}, ${which} on its connection`, async () => {
        const { status, headers, body } = await ask(site.port, bytes, place);
        assert.equal(
          body,
          `{"msgId":"${id}","numParts":2,"totalCost":0.015001,"clientBalance":9007199254740993.000001,"clientCurrency":"EUR"}`,
        );
        assert.equal(status, 200);
        assert.equal(headers['content-type'], 'application/json; charset=utf-8');
        assert.equal(headers['cache-control'], 'no-store');
        assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{12}-[0-9a-z]+$/);
        assert.deepEqual(
          JSON.parse(JSON.stringify(site.calls)),
          JSON.parse(JSON.stringify([['submit', 7, draftOf(changes)]])),
        );
      });
  }
});

function getOf(path: string, headers: readonly string[] = []): Buffer {
  return request(`GET ${path}`, { headers });
}

describe('a refusal', () => {
  const invalid = Buffer.concat([Buffer.from(json().slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')]);
  const big = json({ text: 'x'.repeat(256 * 1024) });
  const long = 'x'.repeat(64 * 1024);
  const malformed: readonly (readonly [string, Buffer, string?])[] = [
    ['no body', request('POST /sms/send')],
    ['an empty body', post('')],
    ['broken JSON', post(json().slice(0, -1))],
    ['a JSON array', post(`[${json()}]`)],
    ['deep JSON', post(`{"a":${'['.repeat(200_000)}`)],
    ['JSON in UTF-16', post(Buffer.from(json(), 'utf16le'))],
    ['invalid UTF-8 in JSON', post(invalid)],
    ['invalid UTF-8 behind percent signs', request(`GET /sms/send?${query}%E9`)],
    ['a parameter twice', request(`GET /sms/send?${query}&dcs=GSM`), 'dcs'],
    ['a broken path', request(`GET /sms/%ff?${query}`)],
    ['a JSON member twice', post(json().replace('{', '{"text":"first",')), 'text'],
    ['a JSON member twice, once with an escape', post(json().replace('{', '{"\\u0064cs":"GSM",')), 'dcs'],
    ['half a surrogate pair in clientRef', post(json({ clientRef: 'a\ud800' })), 'clientRef'],
    ['half a surrogate pair deep in an unknown member', post(json({ x: [[{ y: ['\ud800'] }]] }))],
    ['half a surrogate pair in the name of a member', post(json({ x: { '\ud800': 1 } }))],
    ['half a surrogate pair in a query', request(`GET /sms/send?${query}&x=%ED%A0%80`)],
    ['a key that is not UTF-8', post(json(), ['Idempotency-Key: \u00ed\u00a0\u0080']), 'idempotencyKey'],
    ['a text that is a number', post(json({ text: 1 })), 'text'],
    ['a token that is a number', post(json({ auth: 1 })), 'auth'],
    ['a receiver that is a list', post(json({ receiver: ['+41791112234'] })), 'receiver'],
    ['a sender below zero', post(json({ sender: -12345 })), 'sender'],
    ['a clientRef that is a number', post(json({ clientRef: 5 })), 'clientRef'],
    ['a byte order mark alone', post('\ufeff')],
    ['a JSON string', post('"x"', ['Content-Type: application/json'])],
    ['a form that is not declared', post(query)],
    ['an unknown parameter twice', request(`GET /sms/send?${query}&x=1&x=1`)],
    ['a receiver below zero', post(json({ receiver: -41791112233 })), 'receiver'],
    ['a receiver beyond exact integers', post(json({ receiver: 1e21 })), 'receiver'],
    ['tags that are a number', post(json({ tags: 5 })), 'tags'],
    ['a token that is a number, beside data', post(JSON.stringify({ auth: 1, data: fields })), 'auth'],
    ['two tokens, in two headers', post(json({ auth: null }), ['Authorization: Bearer x', 'Authorization: Bearer y'])],
    ['one token as members of one name', post(json().replace('{', `{"auth":"${token}",`)), 'auth'],
    ['a tag with a comma', post(json({ tags: ['a,b'] })), 'tags'],
    ['two tokens, in header and body', post(json(), ['Authorization: Bearer x'])],
    ['two tokens, in data and beside data', post(JSON.stringify({ auth: 'x', data: fields }))],
    ['two tokens, in query and body', request('POST /sms/send?auth=x', { body: json() })],
    ['two tokens in members of one name, with an escaped quote', post(json().replace('{', '{"auth":"\\"x",')), 'auth'],
    ['two tokens in a query', request(`GET /sms/send?${query}&auth=x`), 'auth'],
    ['two tokens, in header and query', request(`GET /sms/send?${query}`, { headers: ['Authorization: Bearer x'] })],
    ['no Host', Buffer.from('GET /health HTTP/1.1\r\n\r\n')],
    ['HTTP/0.9 by its number', Buffer.from(`GET /sms/send?${query} HTTP/0.9\r\nHost: x\r\n\r\n`)],
    ['two Hosts', request('GET /health', { headers: ['Host: localhost'] })],
    ...['sender', 'receiver', 'text', 'dcs', 'auth', 'clientRef', 'tags', 'validity', 'sendAt', 'flash'].flatMap(
      (field) =>
        ['toString', '__proto__', 'hasOwnProperty'].map((member): readonly [string, Buffer, string] => {
          const odd = `{"${member}":"x"}`;
          const body = json({ [field]: undefined }).replace('{', `{"${field}":${odd},`);
          return [`a ${field} of ${odd}`, post(body), field];
        }),
    ),
  ];
  const sent = (changes: Record<string, unknown>) => post(json(changes));
  const multipart = '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nHi\r\n--x--\r\n';
  const others: { readonly [answer: string]: readonly (readonly [string, Buffer, string?])[] } = {
    '401 unauthorized': [
      ['no token', sent({ auth: undefined })],
      ['an empty token', getOf(`/sms/send?auth=&${query.slice(query.indexOf('&') + 1)}`)],
      ['a wrong token', sent({ auth: 'x' })],
      ['a wrong token before a missing field', post('{"auth":"x"}')],
      ['bearer without a token', post(json({ auth: null }), ['Authorization: Bearer'])],
      ['dlr without a token', getOf('/sms/dlr?messageId=1')],
      ['balance without a token', getOf('/sms/balance')],
    ],
    '400 missing_parameter': [
      ['no sender', sent({ sender: undefined }), 'sender'],
      ['no receiver', sent({ receiver: null }), 'receiver'],
      ['no text', sent({ text: '' }), 'text'],
      ['a sender of blanks', sent({ sender: ' \t' }), 'sender'],
      ['no dcs', sent({ dcs: undefined }), 'dcs'],
      ['fields beside data', sent({ data: { auth: token } }), 'sender'],
      ['no message id', getOf(`/sms/dlr?auth=${token}`), 'messageId'],
    ],
    '400 invalid_parameter': [
      ['a validity in words', sent({ validity: 'long' }), 'validity'],
      ['an endless validity', sent({ validity: '9'.repeat(400) }), 'validity'],
      ['details of another kind', getOf(`/sms/dlr?auth=${token}&messageId=1&details=2`), 'details'],
    ],
    '404 message_not_found': [['an unknown message id', getOf(`/sms/dlr?auth=${token}&messageId=x`)]],
    '404 not_found': [
      ['an unknown path with a large body', request('POST /x', { body: big })],
      ['a path with a slash too many', getOf(`/sms/send/?${query}`)],
      ['an unknown version', getOf(`/v2/sms/send?${query}`)],
    ],
    '413 too_large': [
      ['a large body', post(big)],
      ['a large body in chunks', chunked(big)],
    ],
    '414 too_large': [
      ['a long request line', getOf(`/sms/send?${query}${long}`)],
      ['a very long request line', getOf(`/sms/send?${query}${long}${long}${long}`)],
    ],
    '431 too_large': [
      ['a long header', getOf('/health', [`X-Long: ${long}`])],
      [
        'very many headers',
        getOf(
          '/health',
          Array.from({ length: 30_000 }, (_, n) => `X-${n}: 1`),
        ),
      ],
    ],
    '415 unsupported_media_type': [
      ['another charset', post(json(), ['Content-Type: application/json; charset=iso-8859-1'])],
      ['a multipart body', post(multipart, ['Content-Type: multipart/form-data; boundary=x'])],
      ['a compressed body', post(json(), ['Content-Encoding: gzip'])],
    ],
  };
  const rows = Object.entries({ '400 malformed_request': malformed, ...others }).flatMap(([answer, requests]) => {
    const [status, code] = answer.split(' ');
    return requests.map(([name, bytes, field]) => [name, bytes, Number(status), code, field] as const);
  });
  for (const [name, bytes, status, code, field] of rows) {
    for (const [which, place] of places)
      it(`of ${name} is ${status} ${code}, ${which} on its connection`, async () => {
        const reply = await ask(site.port, bytes, place);
        const problem: Record<string, unknown> = JSON.parse(reply.body);
        assert.deepEqual([reply.status, problem['code'], problem['field']], [status, code, field]);
        assert.equal(problem['status'], status);
        assert.equal(problem['requestId'], reply.headers['x-request-id']);
        assert.equal(reply.headers['content-type'], 'application/problem+json');
        assert.equal(reply.headers['cache-control'], 'no-store');
        assert.equal(reply.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined);
        if (code !== 'message_not_found') assert.deepEqual(site.calls, []);
        assertSecret(JSON.stringify(reply));
      });
  }

  it('of the API is passed to the client, and an exception of the API becomes an internal_error', async () => {
    const rejections: readonly (readonly [Rejection, number])[] = [
      [{ code: 'text_not_encodable', detail: 'd', character: 'Ж', position: 2 }, 400],
      [{ code: 'no_price', receiver: '+41791112234' }, 422],
      [{ code: 'unavailable', detail: 'd' }, 503],
    ];
    for (const [rejection, status] of rejections) {
      site.submit = async () => refused(rejection);
      for (const [, place] of places) {
        const reply = await ask(site.port, post(json()), place);
        assert.equal(reply.status, status);
        assert.equal(JSON.parse(reply.body).code, rejection.code);
        assert.equal(reply.headers['retry-after'], status === 503 ? '5' : undefined);
      }
    }
    site.submit = async ({ text: given }) => {
      throw new TypeError(`cannot read ${given}\n    at ${token}`);
    };
    const reply = await ask(site.port, post(json()));
    assert.equal(reply.status, 500);
    assert.equal(site.log.length, 1);
    const [line = ''] = site.log;
    assert.match(line, /"error":"TypeError"/);
    assert.match(line, /server\.test\.ts/);
    assert.ok(line.includes(reply.headers['x-request-id'] ?? 'none'));
    assertSecret(line + JSON.stringify(reply));
  });
});

describe('methods', () => {
  const methods = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'];
  for (const endpoint of Object.values(endpoints)) {
    const allow = endpoint.methods.join(', ');
    const served: readonly string[] = endpoint.methods;
    const refusedMethods = [...methods, 'POST'].filter((method) => !served.includes(method));
    for (const path of pathsOf(endpoint)) {
      it(`other than ${allow} are refused at ${path}`, async () => {
        for (const method of refusedMethods) {
          const parts: RequestParts = method === 'PUT' ? { body: 'x'.repeat(300_000) } : {};
          const reply = await ask(site.port, request(`${method} ${path}?${query}`, parts));
          assert.deepEqual([method, reply.status, reply.headers['allow']], [method, 405, allow]);
          assert.equal(reply.body === '', method === 'HEAD');
          const long = await ask(site.port, request(`${method} ${path}?${'x'.repeat(70_000)}`));
          assert.deepEqual([method, long.status, long.headers['allow']], [method, 405, allow]);
        }
        assert.deepEqual(site.calls, []);
      });
    }
  }
});

describe('other endpoints', () => {
  const short = `{"msgId":"${id}","event":"undelivered","numParts":2,"sendTime":"2026-01-02T03:04:05Z","dlrTime":"2026-01-02T03:04:06Z"`;
  const long =
    `${short},"errorCode":"0\\"B","clientRef":"Grüße 😀","parts":[` +
    '{"part":1,"event":"delivered","dlrTime":"2026-01-02T03:04:06Z"},' +
    '{"part":2,"event":"undelivered","dlrTime":"2026-01-02T03:04:06Z","errorCode":"0\\"B"}]}';
  const balance = '{"clientBalance":-2.5,"clientCurrency":"EUR"}';
  const rows: readonly (readonly [string, Buffer, string])[] = [
    ['dlr', request(`GET /sms/dlr?auth=${token}&messageId=${id}`), `${short}}`],
    ['dlr of version 1', request(`GET /v1/sms/dlr?auth=${token}&messageId=${id}`), `${short}}`],
    ['dlr by msgId', request(`GET /sms/dlr?auth=${token}&msgId=${id}&details=0`), `${short}}`],
    ['dlr with details', request(`GET /sms/dlr?auth=${token}&messageId=${id}&details=1`), long],
    ['dlr by POST', request('POST /sms/dlr', { body: JSON.stringify({ auth: token, messageId: id }) }), `${short}}`],
    [
      'dlr by POST under data',
      request('POST /sms/dlr', { body: JSON.stringify({ data: { auth: token, msgId: Number(id), details: true } }) }),
      long,
    ],
    [
      'dlr by bearer',
      request(`GET /sms/dlr?messageId=${id}`, { headers: [`Authorization: Bearer ${token}`] }),
      `${short}}`,
    ],
    ['balance', request(`GET /sms/balance?auth=${token}`), balance],
    ['balance by POST', request('POST /v1/sms/balance', { body: JSON.stringify({ auth: token }) }), balance],
    ['health', request('GET /health'), '{"status":"ok"}'],
    ['ready', request('GET /ready'), '{"status":"ready"}'],
  ];
  for (const [name, bytes, body] of rows) {
    for (const [which, place] of places)
      it(`answer a request for ${name}, ${which} on its connection`, async () => {
        const reply = await ask(site.port, bytes, place);
        assert.equal(reply.body, body);
        assert.equal(reply.status, 200);
        assert.ok(reply.headers['x-request-id']);
      });
  }

  it('answer HEAD for /health and /ready, with the headers of GET and no body', async () => {
    for (const path of ['/health', '/ready']) {
      for (const ready of [true, false]) {
        site.ready = ready;
        const [get, head] = [
          await ask(site.port, request(`GET ${path}`)),
          await ask(site.port, request(`HEAD ${path}`)),
        ];
        const of = ({ status, headers }: typeof get) => [status, headers['content-type'], headers['retry-after']];
        assert.deepEqual(of(head), of(get), path);
        assert.deepEqual([head.body, Object.keys(head.headers)], ['', Object.keys(get.headers)]);
      }
    }
    site.ready = true;
  });

  it('answer /health and /ready over HTTP/1.0 without Host, as load balancers need', async () => {
    for (const path of ['/health', '/ready']) {
      for (const method of ['GET', 'HEAD'])
        assert.equal((await ask(site.port, `${method} ${path} HTTP/1.0\r\n\r\n`)).status, 200, `${method} ${path}`);
    }
    const two = await ask(site.port, 'GET /ready HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n');
    assert.equal(two.status, 400);
  });

  it('report that no messages are accepted, and refusals of probes are not logged', async () => {
    site.ready = false;
    site.refused.length = 0;
    const reply = await ask(site.port, request('GET /ready'));
    site.ready = true;
    assert.deepEqual(site.refused, []);
    await ask(site.port, request('GET /nothing'));
    assert.equal(site.refused.length, 1);
    assert.equal(reply.status, 503);
    assert.equal(JSON.parse(reply.body).code, 'unavailable');
  });

  it('have a page at / with links to other paths, and every link works', async () => {
    const reply = await ask(site.port, request('GET /'));
    assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'text/html; charset=utf-8']);
    const links = [...reply.body.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    assert.deepEqual([...new Set(links)], ['/health', '/ready', '/openapi.json']);
    for (const link of links) assert.equal((await ask(site.port, request(`GET ${link}`))).status, 200);
    for (const { path } of Object.values(endpoints)) assert.ok(reply.body.includes(path), path);
  });

  it('describe the API as OpenAPI', async () => {
    const reply = await ask(site.port, request('GET /openapi.json'));
    const document: { openapi: string; paths: object } = JSON.parse(reply.body);
    assert.equal(document.openapi, '3.1.0');
    assert.ok('/sms/send' in document.paths);
  });
});

function chunked(body: string): Buffer {
  const half = body.length >> 1;
  const chunks = [body.slice(0, half), body.slice(half), ''].map(
    (chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`,
  );
  const head = request('POST /sms/send', { headers: ['Transfer-Encoding: chunked'] });
  return Buffer.concat([head, Buffer.from(chunks.join(''))]);
}

function assertSecret(shown: string): void {
  for (const secret of [token, text, encodeURIComponent(text), text.replaceAll(' ', '+')]) {
    assert.ok(!shown.includes(secret), 'a secret was shown');
  }
}
