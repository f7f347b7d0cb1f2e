/* Misbehaving webhook receivers do not delay the notifications of others. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { done } from '../support/done.ts';
import { badReceivers as all, receiver } from '../support/clients/bad-receivers.ts';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Receivers that hold a connection or the gateway's time, each in its own way. */
const names = [
  'hangs before its headers',
  'answers 500',
  'redirects to a private address',
  'answers with a body without end',
  'sends its headers octet by octet, without end',
  'answers 100 again and again',
];
const badReceivers = all.filter(({ name }) => names.includes(name));

/** The number of messages of each client, including misbehaving ones. */
const messagesEach = 3;
const messagesOfGood = 60;

/** The limit for good receivers: shorter than the 15 s after which a receiver that hangs is given up. */
const goodMaxMs = 10_000;

const numberOf = (client: number) => `+4179000${String(client).padStart(4, '0')}`;

it('receivers that hang, refuse, flood and drip do not delay others, and no notification is lost or has two ids', async () => {
  await using tour = await Tour.open();
  await using open = new AsyncDisposableStack();
  const { operator } = tour.gateway;
  const client = async (number: number, port: number) => {
    const account = `client-${number}`;
    assert.ok((await tour.operator.account.add({ name: account, currency: 'EUR' })).ok);
    assert.ok((await tour.operator.number.add({ account, number: numberOf(number) })).ok);
    const url = `http://127.0.0.1:${port}/`;
    done(await tour.operator.webhook.add({ account, url, allow: '127.0.0.1', concurrency: 4 }));
  };
  const good = open.use(await WebhookEar.open());
  await client(0, good.port);
  for (const [at, { behave }] of badReceivers.entries()) {
    const bad = open.use(await receiver(behave));
    await client(at + 1, bad.port);
  }
  const send = (to: string, text: string) => tour.simulator.sendInbound({ from: '+41791230001', to, text });
  for (let number = 0; number < messagesEach; number++) {
    await Promise.all(badReceivers.map((_bad, at) => send(numberOf(at + 1), `Message ${number}`)));
  }
  const begun = performance.now();
  for (let number = 0; number < messagesOfGood; number++) await send(numberOf(0), `Message ${number}`);
  await waitUntil(
    () => `the good one gets ${messagesOfGood}, but ${good.told.length}`,
    () => good.told.length >= messagesOfGood,
    goodMaxMs,
  );
  assert.ok(performance.now() - begun < goodMaxMs, 'it had to wait for others');
  assert.equal(new Set(good.told.map(({ headers }) => headers['webhook-id'])).size, messagesOfGood, 'each once');
  // Bad receivers that count as successful have their notifications. The others' wait, each with its own id.
  let left: string[] = [];
  const states = await waitUntil(
    () => `all is delivered, but ${left.join('; ')}`,
    async () => {
      const found = await operator.reader.ask('notification.list', { limit: 1_000 });
      assert.ok(found.ok && found.value.ok);
      const { items } = found.value.value;
      left = items
        .filter(({ webhook, state }) => becomesOf(webhook) === 'delivered' && state !== 'delivered')
        .map(({ webhook, outcome }) => `${nameOf(webhook)}: ${outcome}`);
      return left.length === 0 ? items : undefined;
    },
    30_000,
  );
  assert.equal(states.length, messagesOfGood + messagesEach * badReceivers.length, 'nothing is lost');
  assert.equal(new Set(states.map(({ msgId }) => msgId)).size, states.length, 'nothing is there twice');
  for (const { webhook, state } of states) {
    assert.equal(state, becomesOf(webhook) === 'delivered' ? 'delivered' : 'waiting', nameOf(webhook));
  }
});

/** The bad receiver of a webhook: webhooks were added in the order of receivers, the good receiver first. */
function badOf(webhook: number | null) {
  return badReceivers[(webhook ?? 0) - 2];
}

function becomesOf(webhook: number | null): string {
  return badOf(webhook)?.becomes ?? 'delivered';
}

function nameOf(webhook: number | null): string {
  return badOf(webhook)?.name ?? 'the good one';
}
