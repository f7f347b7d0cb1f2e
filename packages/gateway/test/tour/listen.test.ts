import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Child } from '../support/gateway/child.ts';
import { morsel, start } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* `morsel listen` in its own process, beside a gateway with traffic. */

const phone = '+41791230001';
const number = '+41790000002';

/** Starts `morsel listen`, and waits until it prints that it listens. */
async function listen(tour: Tour, ...words: string[]): Promise<Child> {
  const child = start(['listen', 'acme', ...words], { environment: { MORSEL_DATA_DIR: tour.dataDir } });
  await waitUntil(
    () => child.errors,
    () => child.errors.includes('listening to events of account acme') || child.isEnded,
  );
  return child;
}

async function ownNumber(tour: Tour): Promise<void> {
  const added = await morsel(['number', 'add', number, '--account', 'acme'], { dataDir: tour.dataDir });
  assert.equal(added.status, 0, added.errors);
}

it('listen shows the notifications of an account without a destination, even after a restart, and ends with Ctrl-C', async () => {
  await using tour = await Tour.open();
  await ownNumber(tour);
  await using listener = await listen(tour);
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'Hello\nfrom a phone' });
  await waitUntil(
    () => listener.out,
    () => listener.out.includes('inbound'),
  );
  assert.match(
    listener.out,
    /^\S+Z {2}inbound {2}\d{16} {2}\+41791230001 -> \+41790000002 {2}"Hello\\u\{a\}from a phone"\n$/,
  );
  const msgId = await tour.accept({ receiver: phone, text: 'out' });
  await waitUntil(
    () => listener.out,
    () => listener.out.includes(`${msgId}  delivered`),
  );
  await tour.stop();
  await waitUntil(
    () => listener.errors,
    () => listener.errors.includes('waiting for the gateway'),
  );
  await tour.start();
  await tour.bound();
  await waitUntil(
    () => listener.errors,
    () => listener.errors.includes('answers again'),
  );
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'after' });
  await waitUntil(
    () => listener.out,
    () => listener.out.includes('"after"'),
  );
  assert.equal((await listener.stop('SIGINT')).status, 0);
});

it('listen forwards each notification as a webhook would get it, signed, and shows the result', async () => {
  await using tour = await Tour.open();
  await ownNumber(tour);
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const site = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ headers: request.headers, body });
      response.writeHead(requests.length === 1 ? 500 : 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const address = site.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`;
  await using listener = await listen(tour, '--forward', url, '--json', '--on', 'inbound');
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'one' });
  await waitUntil(
    () => listener.errors,
    () => /500 in \d+ ms: after this answer of a webhook, the event would be sent again/.test(listener.errors),
  );
  // A receipt is of another kind, so it is not shown.
  await tour.event(await tour.accept({ receiver: phone, text: 'out' }), 'delivered');
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'two' });
  await waitUntil(
    () => listener.errors,
    () => /204 in \d+ ms/.test(listener.errors),
  );
  const secret = /signed with the secret (whsec_\S+)/.exec(listener.errors)?.[1] ?? '';
  const texts = requests.map(({ headers, body }) => {
    const signed = {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    };
    const told: unknown = new Webhook(secret).verify(body, signed);
    return typeof told === 'object' && told !== null && 'text' in told ? told.text : undefined;
  });
  assert.deepEqual(texts, ['one', 'two']);
  assert.equal(
    listener.out,
    requests.map(({ body }) => `${body}\n`).join(''),
    'one JSON object a line, as it was sent',
  );
  site.close();
});

const mistakes = [
  [['--on', 'inbound,nonsense'], /--on must be a list in which each item is one of inbound, receipt, alert\n/],
  [['--on', ''], /^morsel: --on must be a list of 1 to 3 items\n/],
  [['--forward', 'file:///etc/passwd'], /--forward must be a URL such as/],
  [['--secret-file', 'nowhere'], /--secret-file needs --forward/],
  [['--forward', 'http://127.0.0.1:1/', '--secret-file', '/nowhere'], /the file \/nowhere cannot be read: ENOENT/],
] as const;

it('listen reports mistakes in its options', async () => {
  for (const [words, message] of mistakes) {
    const { status, errors } = await morsel(['listen', 'acme', ...words]);
    assert.equal(status, 2);
    assert.match(errors, message);
  }
});
