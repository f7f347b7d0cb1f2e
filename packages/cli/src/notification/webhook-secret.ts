import { ok } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from '../admin-client.ts';
import type { Command } from '../command.ts';
import { column, table, timeColumn, toRow, toRows, word } from '../table.ts';
import { webhookArgument } from './webhook.ts';
import { secretIn } from './webhook-template.ts';

export const webhookSecretCommands: readonly Command[] = [
  {
    words: 'webhook secret add',
    summary:
      'Have one more secret sign, shown this once: to change secrets add one, give it to the client, remove the other',
    arguments: [webhookArgument],
    options: [{ flags: '--secret-file <file>', summary: 'one of your own, whsec_..., in the first line of a file' }],
    examples: [['webhook secret add 3', 'both sign until one is removed']],
    run: async ({ values: { secretFile, ...values } }, shell) => {
      const secret = secretFile === undefined ? ok(undefined) : await secretIn(secretFile, shell);
      if (!secret.ok) return secret;
      const given = secret.value === undefined ? {} : { secret: secret.value };
      const reply = await call(shell, 'addWebhookSecret', { ...values, ...given });
      if (!reply.ok) return reply;
      return ok(
        reportOf(reply.value, (value) => {
          const row = toRow(value);
          return `secret ${word(row, 'id')} of webhook ${word(row, 'webhook')} signs from now on, shown this once:\n${word(row, 'secret')}`;
        }),
      );
    },
  },
  {
    words: 'webhook secret list',
    summary: 'List which secrets sign, by their ids',
    arguments: [webhookArgument],
    examples: [['webhook secret list 3', 'how many there are, and since when']],
    run: asking('webhookSecrets', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'there are none' }, hasColour),
    ),
  },
  {
    words: 'webhook secret remove',
    summary: 'Have a secret sign no more',
    arguments: [webhookArgument, { name: 'secret', summary: 'its id, as webhook secret list shows it' }],
    examples: [['webhook secret remove 3 1', 'the client verifies with the other one']],
    run: asking('removeWebhookSecret', (value) => {
      const row = toRow(value);
      return `secret ${word(row, 'id')} of webhook ${word(row, 'webhook')} signs no more`;
    }),
  },
];

const columns = [column('ID', 'id'), timeColumn('MADE', 'createdAt')];
