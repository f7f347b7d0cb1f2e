/* Callbacks of messages on real sockets: refused requests, and signed events. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { WebhookEar } from '../support/clients/webhook-ear.ts';
import { done } from '../support/done.ts';
import { Tour } from '../support/gateway/tour.ts';

const delivered = '+41791230001';

it('a callback needs a secret and an allowed address, and gets the events that it asks for, signed', async () => {
  await using tour = await Tour.open();
  await using ear = await WebhookEar.open();
  const { account } = tour.operator;
  const url = `${ear.url}?key=very-secret`;
  const refusal = async () => {
    const { status, body } = await tour.send({ receiver: delivered, callbackUrl: url });
    assert.deepEqual([status, body['code'], body['field']], [400, 'invalid_parameter', 'callbackUrl']);
    return String(body['detail']);
  };
  assert.match(await refusal(), /no callback secret/);
  const { secret } = done(await account.callbackSecret({ account: 'acme' }));
  const detail = await refusal();
  assert.match(detail, /127\.0\.0\.1, which is loopback/);
  assert.doesNotMatch(detail, /very-secret/);
  done(await account.set({ account: 'acme', callbackAllow: '127.0.0.1' }));
  const msgId = await tour.accept({ receiver: delivered, callbackUrl: url, callbackEvents: ['sent', 'delivered'] });
  const told = await ear.heard(2);
  const events = told.map(({ headers, body, query }) => {
    new Webhook(secret).verify(body, { ...headers });
    assert.equal(query, 'key=very-secret');
    const fields: Record<string, unknown> = JSON.parse(body);
    assert.deepEqual([fields['type'], fields['msgId']], ['receipt', msgId]);
    return String(fields['event']);
  });
  assert.deepEqual(events.toSorted(), ['delivered', 'sent']);
});
