import { fieldNames } from '../../shapes.ts';
import { notificationKinds, webhookStatuses } from '../../values/notification.ts';
import {
  advanced,
  allowList,
  changes,
  described,
  group,
  list,
  optional,
  orNone,
  pick,
  rows,
  withDefaults,
} from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { anyLength, durationIn } from '../../fields/duration.ts';
import { count, flag, instant, name, oneOf, place, rowId, text, textThat } from '../../fields/fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';
import { counted } from '../../fields/shown.ts';
import {
  template,
  templateLine,
  templateLines,
  webhookMatch,
  webhookMatchOrAny,
  webhookSettings,
} from './webhook-settings.ts';

/* Webhooks: URLs that get the notifications of an account. A template renames the fields for the receiver. */

const concurrencyDefault = 64;

export const webhookSecretField = textThat(
  { summary: 'secret of your choice, whsec_...: the first line of the file', isSecret: true, typed: ['file'] },
  () => true,
  { placeholder: '<secret>', wants: '' },
  (given) => given.trim(),
);

export const webhookId = rowId({ summary: 'id of the webhook, as webhook list shows it', example: '3' });
const webhookKind = oneOf(notificationKinds, { summary: 'kind of notification', placeholder: '<kind>' });

export const secretFields = {
  id: rowId({ summary: 'id of the secret, as webhook secret list shows it', example: '1' }),
  createdAt: instant({ summary: 'when the secret was added' }),
};

const fields = {
  id: described(webhookId, { label: 'Webhook' }),
  account: name({ summary: 'account that the webhook belongs to' }),
  status: oneOf(webhookStatuses, {
    summary: 'status of the webhook: active, paused, or off (the receiver answered 410)',
  }),
  ...pick(webhookSettings, 'url', 'method', 'on'),
  number: orNone(webhookMatch.number),
  prefix: orNone(webhookMatch.prefix),
  keyword: orNone(webhookMatch.keyword),
  fields: allowList(templateLine, { summary: 'fields that are sent, each as theirs=ours' }),
  constants: orNone(
    list(templateLine, { summary: 'names of the constants that are sent; their values are never shown' }),
  ),
  ...pick(webhookSettings, 'concurrency', 'allow'),
  waiting: count({ summary: 'number of notifications that wait for the webhook' }),
  dead: count({ summary: 'number of dead letters of the webhook' }),
  failingSince: orNone(instant({ summary: 'since when all delivery attempts have failed' })),
  lastAt: orNone(instant({ summary: 'time of the last delivery attempt', label: 'Last try' })),
  lastOutcome: orNone(text({ summary: 'result of the last delivery attempt', label: 'Last' })),
  secrets: rows(secretFields, { summary: 'secrets that sign the notifications' }),
  createdAt: instant({ summary: 'when the webhook was created' }),
};

const stoppedFields = { webhook: webhookId, status: fields.status };

const warning = optional(text({ summary: 'a warning why the webhook gets no notifications at present' }));
const shown = { ...fields, warning };
const secret = {
  ...text({ summary: 'signing secret; no later answer shows it again', isSecret: true, example: 'whsec_…' }),
  cell: (made: string) => `${made}  (shown only this once; give it to the client)`,
};

const forColumn = {
  title: 'FOR',
  of: ({ number, prefix, keyword }: Values<typeof fields>) =>
    [number, prefix === null ? null : `${prefix}…`, keyword === null ? null : `"${keyword}"`]
      .filter((each) => each !== null)
      .join(' ') || 'all',
};

const replayFields = {
  replayed: count({ summary: 'number of dead letters that are tried again' }),
  left: count({
    summary: 'number of dead letters that stay, because no webhook or session gets such a notification now',
  }),
  stopped: rows(stoppedFields, {
    summary: 'paused webhooks, whose replayed notifications wait until the webhook is resumed',
  }),
  next: orNone(text({ summary: 'value of `after` in the next request, with the same filter; null at the end' })),
};

function replayText({ replayed, left, stopped }: Values<typeof replayFields>): string {
  if (replayed + left === 0) return 'no dead letters match: nothing is replayed';
  const stay = counted(left, 'stays a dead letter', 'stay dead letters');
  return [
    counted(replayed, 'dead letter is replayed', 'dead letters are replayed'),
    ...stopped.map(
      (each) => `webhook ${each.webhook} is ${each.status}: its notifications wait until the webhook is resumed`,
    ),
    ...(left > 0
      ? [`${stay}, because no webhook or session gets such notifications now: add a webhook, then replay again`]
      : []),
  ].join('; ');
}

const status = {
  input: { webhook: webhookId },
  says: (row: Values<typeof fields>) => `webhook ${row.id} is ${row.status}`,
};

const tested = {
  id: webhookId,
  kind: webhookKind,
  isGood: flag({ label: 'Acknowledged', summary: 'whether the receiver acknowledged the test notification' }),
  status: orNone(count({ summary: 'HTTP status of the answer; null without an answer' })),
  detail: text({ summary: 'description of the answer' }),
  tookMs: durationIn('ms', { ...anyLength, summary: 'duration of the request', label: 'Took' }),
  warning,
};

/** The usual reasons, by the HTTP status that the webhook answered. */
const hints: { readonly [status: number]: string } = {
  301: ' (the URL has moved permanently: set the new URL)',
  302: ' (the URL redirects: set the URL to which it redirects)',
  307: ' (the URL redirects: set the URL to which it redirects)',
  308: ' (the URL has moved permanently: set the new URL)',
  400: ' (the webhook did not understand the request: check the names of the fields and --method)',
  401: ' (the webhook wants a key: give a key with --constant, or let the webhook verify the signature)',
  403: ' (the webhook refuses access, or wants a key)',
  404: ' (the server has nothing at this path)',
  405: ' (the webhook wants another --method)',
  415: ' (the webhook wants another --method)',
  429: ' (the webhook gets too many requests: a lower --concurrency may help)',
};

function testedText(row: Values<typeof tested>): string {
  const came = `${row.detail}, after ${row.tookMs} ms`;
  const sent = `the sample event was of kind ${row.kind}`;
  if (row.isGood) return `webhook ${row.id} acknowledged: ${came}\n${sent}`;
  const note = row.warning === undefined ? '' : `\n${row.warning}`;
  return `webhook ${row.id} did not acknowledge: ${came}${hints[row.status ?? 0] ?? ''}; ${sent}${note}`;
}

export const webhook = resource('webhook', {
  changes: ['notification', 'webhookSecret', 'inbound'],
  summary: 'Webhooks, which are URLs that get the notifications of an account',
  operations: {
    add: post('/webhooks', {
      repeat: 'same',
      summary: 'Add a webhook to an account; its signing secret is shown only once',
      role: 'owner',
      input: {
        ...group('Webhook', {
          account: fields.account,
          url: webhookSettings.url,
          ...withDefaults(pick(webhookSettings, 'method', 'on', 'concurrency', 'allow'), {
            method: 'post-json',
            on: ['inbound'],
            concurrency: concurrencyDefault,
            allow: [],
          }),
          secret: optional(webhookSecretField),
        }),
        ...group('Only some messages', {
          number: optional(described(webhookMatchOrAny.number, { defaultText: 'any' }), null),
          prefix: optional(described(webhookMatchOrAny.prefix, { defaultText: 'any' }), null),
          keyword: optional(described(webhookMatchOrAny.keyword, { defaultText: 'any' }), null),
        }),
        ...advanced('Form of the requests', {
          fields: optional(described(templateLines.fields, { defaultText: 'any' })),
          constants: optional(described(templateLines.constants, { defaultText: 'none' })),
          template: optional(template),
        }),
      },
      answer: { ...fields, secret, warning },
      command: {
        arguments: ['account', 'url'],
        examples: {
          'webhook add acme https://example.com/sms': 'notify of every inbound message of acme',
          'webhook add acme https://example.com/dlr --on receipt,alert': 'notify of delivery receipts and low balances',
          'webhook add acme http://10.1.2.3/sms --keyword win --allow 10.1.0.0/16':
            'call a server in your network for messages with one keyword',
          'webhook add acme https://example.com/in --method get --field from=sender --field message=text':
            'rename the fields for an existing receiver',
        },
        notes: `Names of all fields: ${fieldNames.join(', ')}. Each kind of notification has some of them.`,
      },
    }),
    set: patch('/webhooks/{webhook}', {
      summary: 'Change the given settings of a webhook; waiting notifications are then tried again soon',
      input: {
        webhook: webhookId,
        ...changes({
          ...group('Webhook', pick(webhookSettings, 'url', 'method', 'on', 'concurrency', 'allow')),
          ...group('Only some messages', webhookMatchOrAny),
        }),
        ...advanced('Form of the requests', {
          fields: optional(
            described(templateLines.fields, {
              summary: 'field to add or replace; any sends all fields; a first "" removes all other fields',
            }),
          ),
          constants: optional(
            described(templateLines.constants, {
              summary: 'constant to add or replace; a first none removes all other constants',
            }),
          ),
          without: optional(
            list(templateLine, {
              label: 'Remove',
              summary: 'field or constant to remove, by the receiver’s name for it',
              placeholder: '<name>',
              isRepeated: true,
            }),
          ),
          template: optional(template),
        }),
      },
      answer: shown,
      command: {
        examples: {
          'webhook set 3 --url https://example.com/new': 'change the URL',
          'webhook set 3 --constant key=abc --without token': 'replace the constant token by the constant key',
          'webhook set 3 --field any': 'send all fields by our names; the constants stay',
          'webhook set 3 --constant none': 'remove all constants; the fields stay',
        },
        notes: 'To change secrets, see morsel webhook secret --help.',
      },
    }),
    list: page('/webhooks', {
      summary: 'List the webhooks of one account or of all accounts, with their state',
      input: { account: optional(described(fields.account, { summary: 'only the webhooks of this account' })) },
      after: place(/^[A-Za-z0-9][\w.-]{0,63}\/\d{1,15}$/),
      answer: fields,
      columns: [
        { title: 'ID', of: ({ id }) => String(id) },
        ...(['account', 'status', 'on'] as const),
        forColumn,
        ...(['url', 'waiting', 'dead', 'failingSince', 'lastOutcome'] as const),
      ],
      command: {
        arguments: ['account'],
        examples: { 'webhook list': 'show all webhooks with their waiting notifications and failures' },
        whenEmpty: 'there are no webhooks yet; add a webhook with webhook add',
      },
    }),
    show: get('/webhooks/{webhook}', {
      summary: 'Show one webhook, without its secrets and the values of its constants',
      input: { webhook: webhookId },
      answer: shown,
      command: { examples: { 'webhook show 3': 'show the settings and the state of webhook 3' } },
    }),
    test: post('/webhooks/{webhook}/test', {
      repeat: 'key',
      summary: 'Send a test notification, marked "test": true, to a webhook and show the answer',
      input: {
        webhook: webhookId,
        kind: optional(
          described(webhookKind, {
            summary: 'kind of the test notification, which must be a kind that the webhook gets',
            defaultText: 'the first kind that the webhook gets',
          }),
        ),
      },
      answer: tested,
      command: {
        examples: {
          'webhook test 3': 'test whether the receiver acknowledges a notification',
          'webhook test 3 --kind receipt': 'test with a delivery receipt',
        },
        says: testedText,
        fails: (answer) => (answer.isGood ? undefined : testedText(answer)),
      },
    }),
    pause: post('/webhooks/{webhook}/pause', {
      repeat: 'same',
      summary: 'Stop deliveries to a webhook until it is resumed; its notifications wait',
      when: (row) => row['status'] === 'active',
      input: status.input,
      answer: fields,
      command: {
        examples: { 'webhook pause 3': 'stop deliveries while the client’s system is down' },
        says: status.says,
      },
    }),
    resume: post('/webhooks/{webhook}/resume', {
      repeat: 'same',
      summary: 'Resume deliveries to a webhook, starting with the waiting notifications',
      when: (row) => row['status'] !== 'active',
      input: status.input,
      answer: shown,
      command: {
        examples: { 'webhook resume 3': 'resume deliveries when the client’s system works again' },
        says: status.says,
      },
    }),
    replay: post('/notifications/replay', {
      repeat: 'same',
      summary: 'Deliver dead letters again, to the present webhooks and sessions of the account',
      input: {
        notification: optional(
          rowId({
            summary: 'id of one dead letter; without an id, the options select the dead letters',
            example: '4711',
          }),
        ),
        account: optional(described(fields.account, { summary: 'only dead letters of this account' })),
        webhook: optional(
          described(webhookId, { summary: 'only dead letters of this webhook, even a removed webhook' }),
        ),
        kind: optional(described(webhookKind, { summary: 'only dead letters of this kind' })),
        since: optional(
          instant({
            summary: 'only dead letters whose notification was created from this time on, such as 2026-01-31T12:00:00Z',
          }),
        ),
        until: optional(instant({ summary: 'only dead letters whose notification was created before this time' })),
        all: optional(flag({ label: 'All dead letters', summary: 'all dead letters' }), false),
        after: optional(place(/^\d{1,16}$/, { typed: [] }), '0'),
      },
      answer: replayFields,
      command: {
        arguments: ['notification'],
        examples: {
          'webhook replay 4711': 'replay one dead letter',
          'webhook replay --account acme --since 2026-01-31': 'replay all dead letters of acme since this day',
        },
        says: replayText,
      },
    }),
    remove: remove('/webhooks/{webhook}', {
      summary: 'Remove a webhook; its waiting notifications become dead letters',
      warning: 'Notifications for this webhook are given up. They can be replayed to another one.',
      input: status.input,
      answer: { id: webhookId },
      command: {
        examples: { 'webhook remove 3': 'remove webhook 3' },
        says: ({ id }) => `webhook ${id} is removed`,
      },
    }),
  },
});
