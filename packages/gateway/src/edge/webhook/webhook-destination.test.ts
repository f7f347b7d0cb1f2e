import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRange } from '@morsel/api/values/address-range.ts';
import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import { sampleOf } from '../../core/notification/sample.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import { badReceivers, receiver, testCa } from '../../../test/support/clients/bad-receivers.ts';
import { WebhookEar } from '../../../test/support/clients/webhook-ear.ts';
import type { Lookup } from './lookup.ts';
import { retryAfterMs, WebhookDestination } from './webhook-destination.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { machineClock } from '../../runtime/clock.ts';

/* Answers and failures of a client's system, and the outcome of each try, on real sockets. */

const limitMs = 1_500;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const loopback = [parseRange('127.0.0.0/8') ?? assert.fail()];

function webhookTo(url: string, more: Partial<Webhook> = {}): Webhook {
  return {
    id: 1,
    account: 1,
    url,
    method: 'post-json',
    kinds: ['inbound'],
    number: null,
    keyword: null,
    template: null,
    concurrency: 4,
    allowed: loopback,
    status: 'active',
    secrets: [secret],
    ...more,
  };
}

function notification(id: number): Notification {
  const frame = { id, account: 1, tries: 0, createdAt: 1_700_000_000_000, triedFrom: 1_700_000_000_000 };
  return { ...frame, ...sampleOf('inbound', { now: 1_700_000_000_000, currency: 'EUR' }) };
}

const nobody: Lookup = (name) => assert.fail(`${name} was looked up`);

async function tryOnce(webhook: Webhook, lookup: Lookup = nobody, ca?: string): Promise<TryOutcome> {
  const destination = new WebhookDestination(webhook, { clock: machineClock, lookup, ca, limitMs });
  try {
    return await destination.deliver(notification(1));
  } finally {
    destination.destroy();
  }
}

const statusLine = 'HTTP/1.1 100 Continue\r\n\r\n';

const detailOf = (outcome: TryOutcome) => (outcome.kind === 'untried' ? '' : outcome.detail);

describe('a client’s system that', { concurrency: 8 }, () => {
  for (const { name, behave, becomes, says, notBeforeMs } of badReceivers) {
    it(`${name}: ${becomes}`, async () => {
      await using bad = await receiver(behave);
      const begun = performance.now();
      const outcome = await tryOnce(webhookTo(`http://127.0.0.1:${bad.port}/`));
      assert.equal(outcome.kind, becomes, JSON.stringify(outcome));
      assert.match(detailOf(outcome), says);
      if (notBeforeMs !== undefined) assert.equal('notBeforeMs' in outcome && outcome.notBeforeMs, notBeforeMs);
      assert.ok(performance.now() - begun < limitMs * 5, 'it took too long');
      assert.equal(bad.requests(), 1, 'it was asked once');
    });
  }

  it('cannot be reached: later', async () => {
    const bad = await receiver(() => undefined);
    await bad[Symbol.asyncDispose]();
    const outcome = await tryOnce(webhookTo(`http://127.0.0.1:${bad.port}/`));
    assert.match(detailOf(outcome), /^nothing listens at the address of the webhook \(ECONNREFUSED\)$/);
  });

  it('sends a body without end costs little, and its connection is soon given up', async () => {
    await using bad = await receiver(
      badReceivers.find(({ name }) => name === 'answers with a body without end')?.behave ?? assert.fail(),
    );
    const needs = { clock: machineClock, lookup: nobody, limitMs };
    const destination = new WebhookDestination(webhookTo(`http://127.0.0.1:${bad.port}/`, { concurrency: 1 }), needs);
    const before = process.memoryUsage().rss;
    for (let id = 1; id <= 20; id++) {
      assert.equal((await destination.deliver(notification(id))).kind, 'delivered');
      assert.equal(destination.room(), 1);
    }
    assert.ok(process.memoryUsage().rss - before < 200 * 1024 ** 2);
    destination.destroy();
  });
});

const named: Lookup = () => Promise.resolve(['127.0.0.1']);
const sometimes: Lookup = () => Promise.resolve(['127.0.0.2', '127.0.0.1']);
const answerOk = (socket: { write(text: string): unknown }) =>
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');

describe('TLS', () => {
  const rows = [
    ['for the name in the URL, from a trusted authority', 'carrier.test', 'carrier', testCa, /^200$/],
    ['for the IP address in the URL', '127.0.0.1', 'carrier', testCa, /^200$/],
    ['from an unknown authority', 'carrier.test', 'carrier', undefined, /certificate of the webhook is not trusted/],
    ['for another name', 'other.example', 'carrier', testCa, /certificate of the webhook is for another name/],
    ['that has expired', 'carrier.test', 'expired', testCa, /certificate of the webhook has expired/],
  ] as const;
  for (const [what, name, key, ca, says] of rows) {
    it(`is checked: a certificate ${what}`, async () => {
      await using server = await receiver(answerOk, key);
      const outcome = await tryOnce(webhookTo(`https://${name}:${server.port}/`), named, ca);
      assert.match(detailOf(outcome), says);
      assert.equal(server.requests(), says.test('200') ? 1 : 0, 'nothing is said to whom nobody trusts');
    });
  }

  it('fails with a reason if the receiver speaks no TLS', async () => {
    await using server = await receiver(answerOk);
    const outcome = await tryOnce(webhookTo(`https://localhost:${server.port}/`), named);
    assert.match(detailOf(outcome), /no TLS|closed the connection|no answer/);
  });
});

describe('the host name of a webhook', () => {
  it('is checked for all of its addresses: one private address refuses the connection', async () => {
    await using good = await WebhookEar.open();
    for (const addresses of [
      ['127.0.0.1'],
      ['93.184.215.14', '10.0.0.1'],
      ['::1'],
      ['::ffff:169.254.169.254'],
      ['64:ff9b::a00:1'],
    ]) {
      const outcome = await tryOnce(webhookTo(`http://client.example:${good.port}/`, { allowed: [] }), () =>
        Promise.resolve(addresses),
      );
      assert.equal(outcome.kind, 'later');
      assert.match(
        detailOf(outcome),
        /^the host name client\.example has the address \S+, which is /,
        addresses.join(),
      );
    }
    assert.equal(good.told.length, 0);
  });

  it('is checked for each new connection: a later private address (DNS rebinding) is refused', async () => {
    await using good = await WebhookEar.open();
    let asked = 0;
    const rebinding: Lookup = () => Promise.resolve(asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
    const webhook = webhookTo(`http://client.example:${good.port}/`, { concurrency: 1 });
    assert.equal((await tryOnce(webhook, rebinding)).kind, 'delivered');
    assert.equal(asked, 1, 'one look for one connection');
    const second = await tryOnce(webhook, rebinding);
    assert.match(detailOf(second), /has the address 10\.0\.0\.1, which is private/);
    assert.equal(good.told.length, 1);
  });

  it('is looked up once for many connections that open together', async () => {
    await using good = await WebhookEar.open();
    let asked = 0;
    const lookup: Lookup = () => Promise.resolve((asked++, ['127.0.0.1']));
    const destination = new WebhookDestination(webhookTo(`http://client.example:${good.port}/`), {
      clock: machineClock,
      lookup,
    });
    const outcomes = await Promise.all([1, 2, 3, 4].map((id) => destination.deliver(notification(id))));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['delivered', 'delivered', 'delivered', 'delivered'],
    );
    assert.equal(asked, 1);
    destination.destroy();
  });

  it('has another address tried if the first one does not answer', async () => {
    await using good = await WebhookEar.open();
    const outcome = await tryOnce(webhookTo(`http://client.example:${good.port}/`), sometimes);
    assert.equal(outcome.kind, 'delivered', detailOf(outcome));
  });

  it('is given up if no name server answers in time', async () => {
    const outcome = await tryOnce(webhookTo('http://client.example/'), () => new Promise(() => undefined));
    assert.match(detailOf(outcome), /no connection within/);
  });
});

for (const key of [undefined, 'carrier'] as const) {
  it(`unrequested 100 answers before each answer on one connection${key ? ' of TLS' : ''}: all are delivered`, async () => {
    const both = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ${statusLine.length}\r\n\r\n${statusLine}`;
    await using server = await receiver((socket) => socket.write(both), key);
    const url = `${key ? 'https' : 'http'}://carrier.test:${server.port}/`;
    const needs = { clock: machineClock, lookup: named, ca: testCa, limitMs };
    const destination = new WebhookDestination(webhookTo(url, { concurrency: 1 }), needs);
    for (let id = 1; id <= 5; id++) {
      const outcome = await destination.deliver(notification(id));
      assert.equal(outcome.kind, 'delivered', detailOf(outcome));
      assert.equal(server.open(), 1);
    }
    destination.destroy();
  });
}

it('a connection is kept after an answer that is not plain, unless the receiver closes it', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
  const rows: readonly (readonly [answer: string, connections: number])[] = [
    [chunked, 1],
    [chunked.replace('\r\n', '\r\nKeep-Alive: timeout=5\r\n'), 1],
    [chunked.replace('\r\n', '\r\nKeep-Alive: timeout=1\r\n'), 3],
    [chunked.replace('\r\n', '\r\nConnection: close\r\n'), 3],
    [chunked + chunked, 3],
    ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', 3],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=1\r\n\r\n', 3],
  ];
  for (const [answer, connections] of rows) {
    const sockets = new Set<unknown>();
    await using server = await receiver((socket) => {
      sockets.add(socket);
      socket.write(answer);
    });
    const needs = { clock: machineClock, lookup: nobody, limitMs };
    const destination = new WebhookDestination(webhookTo(`http://127.0.0.1:${server.port}/`), needs);
    for (let id = 1; id <= 3; id++) assert.equal((await destination.deliver(notification(id))).kind, 'delivered');
    assert.equal(sockets.size, connections, answer);
    destination.destroy();
  }
});

it('idle connections are kept, up to the limit', async () => {
  let open = 0;
  let most = 0;
  await using server = await receiver((socket) => {
    open += 1;
    most = Math.max(most, server.open());
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), 10);
  });
  const destination = new WebhookDestination(webhookTo(`http://127.0.0.1:${server.port}/`), {
    clock: machineClock,
    lookup: nobody,
  });
  for (let round = 0; round < 5; round++) {
    assert.equal(destination.room(), 4);
    const told = Promise.all([1, 2, 3, 4].map((id) => destination.deliver(notification(id))));
    assert.equal(destination.room(), 0);
    await told;
  }
  assert.deepEqual([open, most], [20, 4]);
  destination.close();
  assert.deepEqual(await destination.deliver(notification(9)), { kind: 'untried' });
  for (const end = Date.now() + 3_000; server.open() > 0 && Date.now() < end;)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(server.open(), 0, 'connections that nobody uses are closed with it');
});

it('Retry-After is read as seconds or as a date, up to a limit; invalid values are ignored', () => {
  const now = Date.UTC(2026, 0, 1);
  const rows: readonly (readonly [string | undefined, number | undefined])[] = [
    [undefined, undefined],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['999999999', 4 * hourMs],
    ['99999999999999', undefined],
    ['Thu, 01 Jan 2026 00:10:00 GMT', 600_000],
    ['Thu, 01 Jan 2026 00:00:00 GMT', undefined],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 4 * hourMs],
    ['2026-01-01T00:10:00Z', undefined],
  ];
  for (const [header, wait] of rows) assert.equal(retryAfterMs(header, now), wait, header);
});
