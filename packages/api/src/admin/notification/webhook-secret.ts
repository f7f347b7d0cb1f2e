import { optional, pick } from '../compose.ts';
import { place, rowId, text } from '../fields.ts';
import { page, post, remove, resource } from '../resource.ts';
import { secretFields, webhookId, webhookSecretField } from './webhook.ts';

const fields = { webhook: webhookId, ...secretFields };

export const webhookSecret = resource('webhookSecret', {
  summary: 'Secrets of a webhook: what its notifications are signed with',
  command: 'webhook secret',
  operations: {
    add: post('/webhooks/{webhook}/secrets', {
      summary:
        'Sign with one more secret, shown this once: to change secrets add one, give it to the client, remove the other',
      role: 'owner',
      input: { webhook: webhookId, secret: optional(webhookSecretField) },
      answer: {
        ...pick(fields, 'webhook', 'id'),
        secret: text({ summary: 'the secret: this answer alone ever shows it', isSecret: true, example: 'whsec_…' }),
      },
      command: {
        examples: [['webhook secret add 3', 'both sign until one is removed']],
        says: ({ webhook, id, secret }) =>
          `secret ${id} of webhook ${webhook} signs from now on, shown this once:\n${secret}`,
      },
    }),
    list: page('/webhooks/{webhook}/secrets', {
      summary: 'List the secrets that sign, by their ids',
      input: pick(fields, 'webhook'),
      after: place(/^\d{1,16}$/),
      answer: pick(fields, 'id', 'createdAt'),
      command: { examples: [['webhook secret list 3', 'how many there are, and since when']] },
    }),
    remove: remove('/webhooks/{webhook}/secrets/{secret}', {
      summary: 'Sign with a secret no more',
      role: 'owner',
      input: { webhook: webhookId, secret: rowId({ summary: 'id of the secret, as webhook secret list shows it' }) },
      answer: pick(fields, 'webhook', 'id'),
      command: {
        examples: [['webhook secret remove 3 1', 'the client verifies with the other one']],
        says: ({ webhook, id }) => `secret ${id} of webhook ${webhook} signs no more`,
      },
    }),
  },
});
