import { optional, pick } from '../../fields/compose.ts';
import { place, rowId, text } from '../../fields/fields.ts';
import { page, post, remove, resource } from '../resource.ts';
import { secretFields, webhookId, webhookSecretField } from './webhook.ts';

const fields = { webhook: webhookId, ...secretFields };

export const webhookSecret = resource('webhookSecret', {
  changes: ['webhook'],
  summary: 'Secrets of a webhook, which sign its notifications',
  command: 'webhook secret',
  operations: {
    add: post('/webhooks/{webhook}/secrets', {
      repeat: 'key',
      summary: 'Add a secret to a webhook; the new secret is shown only once',
      role: 'owner',
      input: { webhook: webhookId, secret: optional(webhookSecretField) },
      answer: {
        ...pick(fields, 'webhook', 'id'),
        secret: text({ summary: 'the new secret; no later answer shows it again', isSecret: true, example: 'whsec_…' }),
      },
      command: {
        examples: { 'webhook secret add 3': 'add a secret; the old secret also signs until it is removed' },
        says: ({ webhook, id, secret }) =>
          `webhook ${webhook} now also signs with secret ${id}, which is shown only this once:\n${secret}`,
      },
    }),
    list: page('/webhooks/{webhook}/secrets', {
      summary: 'List the ids of a webhook’s secrets',
      input: pick(fields, 'webhook'),
      after: place(/^\d{1,16}$/),
      answer: pick(fields, 'id', 'createdAt'),
      command: { examples: { 'webhook secret list 3': 'show the ids and dates of the secrets of webhook 3' } },
    }),
    remove: remove('/webhooks/{webhook}/secrets/{secret}', {
      summary: 'Remove a secret of a webhook',
      role: 'owner',
      input: { webhook: webhookId, secret: rowId({ summary: 'id of the secret, as webhook secret list shows it' }) },
      answer: pick(fields, 'webhook', 'id'),
      command: {
        examples: { 'webhook secret remove 3 1': 'remove secret 1 after the client has switched to the new secret' },
        says: ({ webhook, id }) => `secret ${id} of webhook ${webhook} is removed`,
      },
    }),
  },
});
