import assert from 'node:assert/strict';

import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { Child } from '../support/gateway/child.ts';
import { command, morsel, start } from '../support/gateway/morsel.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
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

function ownNumber(tour: Tour): Promise<string> {
  return command(tour, 'number', 'add', number, '--account', 'acme');
}

/** Waits until the listener has printed this, as its output or beside it. */
async function says(listener: Child, text: RegExp): Promise<void> {
  const said = () => listener.out + listener.errors;
  await waitUntil(said, () => text.test(said()));
}

it('listen shows the notifications of an account without a destination, even after a restart, and ends with Ctrl-C', async () => {
  await using tour = await Tour.open();
  await ownNumber(tour);
  await using listener = await listen(tour);
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'Hello\nfrom a phone' });
  await says(listener, /inbound/);
  assert.match(
    listener.out,
    /^\S+Z {2}inbound {2}\d{16} {2}\+41791230001 -> \+41790000002 {2}"Hello\\u\{a\}from a phone"\n$/,
  );
  const msgId = await tour.accept({ receiver: phone, text: 'out' });
  await says(listener, new RegExp(`${msgId} {2}delivered`));
  await tour.stop();
  await says(listener, /waiting for the gateway/);
  await tour.start();
  await tour.bound();
  await says(listener, /answers again/);
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'after' });
  await says(listener, /"after"/);
  assert.equal((await listener.stop('SIGINT')).status, 0);
});

it('listen forwards each notification as a webhook would get it, signed, and shows the result', async () => {
  await using tour = await Tour.open();
  await using ear = await WebhookEar.open();
  await ownNumber(tour);
  ear.status = 500;
  await using listener = await listen(tour, '--forward', ear.url, '--json', '--on', 'inbound');
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'one' });
  await says(listener, /500 in \d+ ms: after this answer of a webhook, the event would be sent again/);
  ear.status = 204;
  // A receipt is of another kind, so it is not shown.
  await tour.event(await tour.accept({ receiver: phone, text: 'out' }), 'delivered');
  await tour.simulator.sendInbound({ from: phone, to: number, text: 'two' });
  await says(listener, /204 in \d+ ms/);
  const secret = /signed with the secret (whsec_\S+)/.exec(listener.errors)?.[1] ?? '';
  for (const { headers, body } of ear.told) new Webhook(secret).verify(body, { ...headers });
  const texts = ear.told.map(({ body }): unknown => JSON.parse(body).text);
  assert.deepEqual(texts, ['one', 'two']);
  assert.equal(
    listener.out,
    ear.told.map(({ body }) => `${body}\n`).join(''),
    'one JSON object a line, as it was sent',
  );
});

const mistakes = [
  [['--on', 'inbound,nonsense'], /--on must be a list in which each item is one of inbound, receipt, alert\n/],
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
