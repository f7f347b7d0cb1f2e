import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Morsel, type CallOptions, type MorselError, type MorselOptions } from '../src/index.ts';
import { accepted, answerText, problemText, RawServer } from './raw-server.ts';
import { rejection } from './rejection.ts';

/* Faults between a client and the service, or answers of another server: each row writes the bytes of an answer. */

const token = 'morsel_secretsecretsecret';
const message = { sender: 'SHOP', receiver: '+41791230001', text: 'the text of nobody else' };
const html = '<html><body>Bad Gateway</body></html>';

const says = (text: string) => (socket: Socket) => void socket.end(text);
const never = { timeoutMs: 1_500 };
const unreadable = { kind: 'unreadable', code: 'unreadable_answer', isInDoubt: true } as const;
const network = { kind: 'network', code: 'network_error', isInDoubt: true, isTransient: true } as const;
const oddFields = { field: 7, detail: {}, totalCost: 'much', rule: null };

/** A fault, and its error. `tries` is 3 if the client retries after this fault, and 1 if not. */
type Row = readonly [
  what: string,
  answer: (socket: Socket) => void,
  tries: 1 | 3,
  expected: Partial<MorselError>,
  options?: Partial<MorselOptions>,
];

const rows: readonly Row[] = [
  ['never answers', () => undefined, 3, { kind: 'timeout', code: 'timeout', isInDoubt: true }, never],
  [
    'never ends its answer',
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n${accepted}`),
    3,
    { kind: 'timeout', isInDoubt: true, isTransient: true },
    never,
  ],
  ['hangs up', (socket) => void socket.destroy(), 3, network],
  ['resets the connection', (socket) => void socket.resetAndDestroy(), 3, network],
  ['hangs up within the body', says(`HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n${accepted}`), 3, network],
  ['hangs up within a chunk', says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"msgId"'), 3, network],
  ['answers half of the JSON', says(answerText(200, accepted.slice(0, 40))), 1, { ...unreadable, isTransient: false }],
  ['speaks no HTTP', says('550 5.7.1 go away\r\n'), 3, network],
  ['answers a login page with 200', says(answerText(200, html, { 'Content-Type': 'text/html' })), 1, unreadable],
  ['answers an empty 204', says('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'), 1, unreadable],
  ['answers 200 without a message id', says(answerText(200, '{"numParts":1,"totalCost":1}')), 1, unreadable],
  ['answers 500 as a page', says(answerText(500, html)), 1, { ...unreadable, status: 500, isTransient: false }],
  [
    'answers 500 as the service does',
    says(answerText(500, problemText('internal_error', 500))),
    1,
    { kind: 'refused', code: 'internal_error', status: 500, isInDoubt: false, requestId: 'r-1' },
  ],
  ['is a proxy whose service is away', says(answerText(502, html)), 3, { ...unreadable, status: 502 }],
  [
    'is a service that drains',
    says(answerText(503, problemText('unavailable', 503))),
    3,
    { kind: 'refused', code: 'unavailable', status: 503, isInDoubt: false, isTransient: true },
  ],
  ['is a proxy that forbids', says(answerText(403, html)), 1, { ...unreadable, status: 403, isInDoubt: false }],
  [
    'answers a code of another year, with fields of another form',
    says(answerText(422, problemText('moon_is_full', 422, oddFields))),
    1,
    { kind: 'refused', code: 'moon_is_full', status: 422, isTransient: false },
  ],
  [
    'redirects',
    says('HTTP/1.1 307 Temporary\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'),
    1,
    { kind: 'unreadable', code: 'redirected', status: 307, isInDoubt: false },
  ],
  ['sends without an end', sendForever, 1, { kind: 'unreadable', code: 'answer_too_large', isInDoubt: true }],
];

function sendForever(socket: Socket): void {
  const more = (): void => {
    while (socket.writable && socket.write('x'.repeat(65_536)));
  };
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  socket.on('drain', more);
  more();
}

describe('a client whose server', () => {
  for (const [what, answer, tries, expected, options] of rows) {
    it(`${what}: rejects as ${expected.code ?? expected.kind}, after ${tries} with one key`, async () => {
      await using server = await RawServer.open(answer);
      const morsel = clientOf(server, options);
      const error = await rejection(morsel.send(message));
      for (const [member, value] of Object.entries(expected)) {
        assert.equal(
          Object.entries(error).find(([name]) => name === member)?.[1],
          value,
          `${member} of ${error.message}`,
        );
      }
      assert.deepEqual(new Set(server.bodies().map((body) => body['idempotencyKey'])), new Set([error.idempotencyKey]));
      assert.equal(server.requests.length, tries);
      const shown = `${JSON.stringify(error)} ${error.message} ${error.stack}`;
      for (const secret of [token, message.text]) assert.ok(!shown.includes(secret));
    });
  }

  it('echoes token and text gets an error that contains neither', async () => {
    const detail = `not ${token}: ${message.text}`;
    const echo = problemText('invalid_parameter', 400, { detail, field: token, requestId: token, rule: message.text });
    await using server = await RawServer.open(says(answerText(400, echo, { 'X-Request-Id': token })));
    const error = await rejection(clientOf(server).send(message));
    assert.deepEqual([error.code, error.problem?.detail, error.field], ['invalid_parameter', undefined, undefined]);
    const shown = `${JSON.stringify(error)} ${error.message} ${error.stack}`;
    for (const secret of [token, message.text]) assert.ok(!shown.includes(secret));
  });

  it('gets the token in a header, and neither token nor text in a URL', async () => {
    await using server = await RawServer.open(says(answerText(503, '')));
    const morsel = clientOf(server, { retries: 0 });
    for (const call of [
      () => morsel.send(message),
      () => morsel.quote(message),
      () => morsel.dlr('1', { details: true }),
      () => morsel.cancel('1'),
      () => morsel.balance(),
    ]) {
      await rejection(call());
    }
    assert.deepEqual(
      server.requests.map((request) => request.split(' HTTP/')[0]),
      [
        'POST /sms/send',
        'POST /sms/quote',
        'GET /sms/dlr?messageId=1&details=1',
        'POST /sms/cancel',
        'GET /sms/balance',
      ],
    );
    for (const request of server.requests)
      assert.ok(new RegExp(`^authorization: Bearer ${token}$`, 'im').test(request));
  });
});

describe('a service that asks for a pause', () => {
  const full = problemText('rate_limited', 429, { rule: 'rate' });
  const waits: readonly (readonly [string, () => Readonly<Record<string, string>>])[] = [
    ['in seconds', () => ({ 'Retry-After': '1' })],
    ['as a date', () => ({ 'Retry-After': later(1_000) })],
    [
      'as a date, by a clock that is an hour behind',
      () => ({ 'Retry-After': later(-3_599_000), Date: later(-3_600_000) }),
    ],
  ];
  for (const [what, headers] of waits) {
    it(`${what}: the client pauses, and then sends the message`, async () => {
      await using server = await RawServer.open((socket, _request, nth) =>
        socket.end(nth === 0 ? answerText(429, full, headers()) : answerText(200, accepted)),
      );
      const beganAt = performance.now();
      const sent = await clientOf(server).send(message);
      assert.equal(sent.msgId, '1021343289970688');
      // A date has whole seconds, so a date one second ahead may be nearer than a second.
      assert.ok(performance.now() - beganAt > 900);
      assert.equal(server.requests.length, 2);
    });
  }

  it('beyond the deadline gets no retry: the error has the length of the pause', async () => {
    await using server = await RawServer.open(says(answerText(429, full, { 'Retry-After': '120' })));
    const beganAt = performance.now();
    const error = await rejection(clientOf(server).send(message));
    assert.deepEqual([error.code, error.retryAfterMs, server.requests.length], ['rate_limited', 120_000, 1]);
    assert.ok(performance.now() - beganAt < 30_000);
  });
});

describe('a call', () => {
  it('whose first try is in doubt stays in doubt, whatever the next answer is', async () => {
    await using server = await RawServer.open((socket, _request, nth) =>
      nth === 0 ? socket.destroy() : socket.end(answerText(403, problemText('forbidden', 403))),
    );
    const error = await rejection(clientOf(server).send(message));
    assert.deepEqual([error.code, error.isInDoubt], ['forbidden', true]);
  });

  it('that only reads is never in doubt', async () => {
    await using server = await RawServer.open((socket) => socket.destroy());
    const morsel = clientOf(server, { retries: 0 });
    for (const call of [() => morsel.balance(), () => morsel.dlr('1'), () => morsel.quote(message)]) {
      assert.deepEqual([(await rejection(call())).isInDoubt], [false]);
    }
  });

  it('to a port without a listener is not in doubt', async () => {
    const server = await RawServer.open(() => undefined);
    const morsel = clientOf(server);
    await server[Symbol.asyncDispose]();
    const error = await rejection(morsel.send(message));
    assert.deepEqual([error.kind, error.isInDoubt], ['network', false]);
    assert.match(error.message, /\(ECONNREFUSED\)$/);
  });

  const stops: readonly (readonly [string, CallOptions & { readonly abortMs?: number }, string])[] = [
    ['is stopped by its signal within a try', { abortMs: 50 }, 'aborted'],
    ['ends with its deadline, however many tries it may have', { deadlineMs: 150, retries: 1_000 }, 'timeout'],
  ];
  for (const [what, { abortMs, ...options }, code] of stops) {
    it(what, async () => {
      await using server = await RawServer.open(() => undefined);
      const stop = new AbortController();
      if (abortMs !== undefined) setTimeout(() => stop.abort(), abortMs);
      const error = await rejection(clientOf(server).send(message, { ...options, signal: stop.signal }));
      assert.deepEqual([error.code, error.isInDoubt], [code, true]);
    });
  }

  it('is stopped by its signal between two tries; if stopped before the first, it sends nothing', async () => {
    const stop = new AbortController();
    await using server = await RawServer.open((socket) => {
      socket.destroy();
      // At that time the client waits for its next try.
      setTimeout(() => stop.abort(), 200);
    });
    const morsel = clientOf(server, { backoffMs: 60_000, deadlineMs: 600_000 });
    assert.equal((await rejection(morsel.send(message, { signal: stop.signal }))).code, 'aborted');
    assert.equal(server.requests.length, 1);
    const none = await rejection(morsel.send(message, { signal: stop.signal }));
    assert.deepEqual([none.code, none.isInDoubt, server.requests.length], ['aborted', false, 1]);
  });

  it('ends in time even if fetch ignores its signal', async () => {
    const morsel = new Morsel({ baseUrl: 'http://127.0.0.1', token, fetch: deaf, timeoutMs: 20, retries: 0 });
    assert.equal((await rejection(morsel.send(message))).code, 'timeout');
  });
});

function clientOf(server: RawServer, options: Partial<MorselOptions> = {}): Morsel {
  return new Morsel({ baseUrl: server.baseUrl, token, retries: 2, backoffMs: 1, ...options });
}

/** An HTTP date, which has whole seconds. */
function later(ms: number): string {
  return new Date(Math.ceil((Date.now() + ms) / 1_000) * 1_000).toUTCString();
}

function deaf(): Promise<never> {
  return new Promise(() => undefined);
}
