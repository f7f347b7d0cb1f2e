import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseWebhook, type WebhookMatch } from './webhook.ts';

const everything: WebhookMatch = { id: 1, kinds: ['inbound', 'receipt'], number: null, keyword: null };
const alerts: WebhookMatch = { id: 2, kinds: ['alert'], number: null, keyword: null };
const prefix: WebhookMatch = { id: 3, kinds: ['inbound'], number: { kind: 'prefix', digits: '4179' }, keyword: null };
const number: WebhookMatch = {
  id: 4,
  kinds: ['inbound'],
  number: { kind: 'number', digits: '41791112233' },
  keyword: null,
};
const keyword: WebhookMatch = { id: 5, kinds: ['inbound'], number: null, keyword: 'pizza' };
const both: WebhookMatch = { id: 6, kinds: ['inbound'], number: { kind: 'number', digits: '20020' }, keyword: 'pizza' };
const all = [everything, alerts, prefix, number, keyword, both];

const choices = [
  ['a receipt', { kind: 'receipt' }, 1],
  ['an alert', { kind: 'alert' }, 2],
  ['a message to another number', { kind: 'inbound', receiver: '+4366012345', keyword: null }, 1],
  ['a message to a number of a prefix', { kind: 'inbound', receiver: '+41799999999', keyword: null }, 3],
  ['a message to the number of a webhook', { kind: 'inbound', receiver: '+41791112233', keyword: 'hello' }, 4],
  [
    'a webhook with a keyword precedes one with a number',
    { kind: 'inbound', receiver: '+41791112233', keyword: 'pizza' },
    5,
  ],
  [
    'a keyword with a number precedes a keyword without a number',
    { kind: 'inbound', receiver: '20020', keyword: 'pizza' },
    6,
  ],
  ['another keyword at a number does not match', { kind: 'inbound', receiver: '20020', keyword: 'pasta' }, 1],
] as const;

for (const [what, question, id] of choices) {
  test(`the webhook that matches closest gets the notification: ${what}`, () => {
    assert.equal(chooseWebhook(all, question)?.id, id);
    assert.equal(chooseWebhook(all.toReversed(), question)?.id, id, 'in whatever order the webhooks stand');
  });
}

test('a notification that matches no webhook goes to none', () => {
  assert.equal(chooseWebhook([alerts, number], { kind: 'inbound', receiver: '+4366012345', keyword: null }), undefined);
  assert.equal(chooseWebhook([], { kind: 'alert' }), undefined);
});
