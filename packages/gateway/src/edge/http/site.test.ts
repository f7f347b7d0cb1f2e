import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ok, refused } from '@morsel/api/values/result.ts';
import { quietLog } from '../../../test/support/quiet-log.ts';
import { ask, request } from '../../../test/support/clients/raw-http.ts';
import { machineClock } from '../../runtime/clock.ts';
import { startClientListener } from '../clients/listener.ts';
import type { HttpRoute } from './routes.ts';
import type { HttpServer } from './server.ts';

/* What a route may do besides answering with a text: stream, refuse in a form of its own, and fail. */

const text = { 'Content-Type': 'text/plain' };
const gone = Promise.withResolvers<void>();

async function* failing(): AsyncGenerator<string> {
  yield 'half';
  throw new Error('the other half cannot be read');
}

async function* endless(): AsyncGenerator<string> {
  try {
    for (;;) yield 'more'.repeat(10_000);
  } finally {
    gone.resolve();
  }
}

const methods = ['GET'];
const buggy = () => {
  throw new Error('a bug');
};
const routes: readonly HttpRoute[] = [
  { path: '/failing', methods, run: async () => ok({ body: failing(), headers: text }) },
  { path: '/endless', methods, run: async () => ok({ body: endless(), headers: text }) },
  { path: '/buggy', methods, admit: buggy, run: async () => ok('') },
  {
    path: '/own',
    methods,
    run: async () => refused({ code: 'unauthorized' }),
    refuse: ({ code }) => ({ status: 409, body: `ERR ${code}`, headers: text }),
  },
];

const counted: [path: string, status: number][] = [];
const logged: object[] = [];
const errors: object[] = [];
let server: HttpServer;

before(async () => {
  server = await startClientListener({
    routes,
    clock: machineClock,
    log: { ...quietLog, info: (fields) => void logged.push(fields), error: (fields) => void errors.push(fields) },
    meters: { request: (path, status) => void counted.push([path, status]) },
    host: '127.0.0.1',
    port: 0,
    readiness: { ready: () => ok(undefined) },
    hasBoundLink: () => true,
    connectionsMax: 10,
  });
});

after(() => server.close());

it('a stream that fails ends its connection early, so that the caller sees it', async () => {
  const answer = await fetch(`http://127.0.0.1:${server.port}/failing`);
  assert.equal(answer.status, 200);
  await assert.rejects(answer.text(), { message: 'terminated' });
});

it('a stream ends when its caller goes away', async () => {
  const leaving = new AbortController();
  await fetch(`http://127.0.0.1:${server.port}/endless`, { signal: leaving.signal });
  leaving.abort();
  await gone.promise;
});

it('a route writes its refusals in its own form, and the log and the metrics have them, too', async () => {
  const { status, headers, body } = await ask(server.port, request('GET /own'));
  assert.deepEqual([status, headers['content-type'], body], [409, 'text/plain', 'ERR unauthorized']);
  assert.ok(headers['x-request-id']);
  assert.deepEqual(counted.at(-1), ['/own', 409]);
  assert.equal(Object(logged.at(-1)).code, 'unauthorized');
});

it('a bug in the check of a caller is answered, and does not end the process', async () => {
  const { status, body } = await ask(server.port, request('GET /buggy'));
  assert.deepEqual([status, JSON.parse(body).code, errors.length], [500, 'internal_error', 1]);
});
