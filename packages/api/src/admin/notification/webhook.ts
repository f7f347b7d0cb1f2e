import { fieldNames, notificationKinds, webhookStatuses } from '../../values/notification.ts';
import { allowList, changes, described, list, optional, orNone, pick, record, withDefaults } from '../compose.ts';
import type { Values } from '../field.ts';
import { count, flag, instant, name, oneOf, place, rowId, text, textThat } from '../fields.ts';
import { get, page, patch, post, remove, resource } from '../resource.ts';
import {
  template,
  templateLine,
  templateLines,
  webhookMatch,
  webhookMatchOrAny,
  webhookSettings,
} from './webhook-settings.ts';

/* Webhooks: addresses for the notifications of an account, with templates for the receiver's own names. */

const concurrencyDefault = 64;

export const webhookSecretField = textThat(
  { summary: 'a secret of your own, whsec_..., the first line', isSecret: true, typed: ['file'] },
  () => true,
  { placeholder: '<secret>', wants: '' },
  (given) => given.trim(),
);

export const webhookId = rowId({ summary: 'id of the webhook, as webhook list shows it', example: '3' });
const webhookKind = oneOf(notificationKinds, { summary: 'kind of the notification', placeholder: '<kind>' });

export const secretFields = {
  id: rowId({ summary: 'id of the secret, as webhook secret list shows it', example: '1' }),
  createdAt: instant({ summary: 'when it was added' }),
};

const fields = {
  id: described(webhookId, { title: 'WEBHOOK' }),
  account: name({ summary: 'account that it belongs to' }),
  status: oneOf(webhookStatuses, { summary: 'whether it is notified: off after its receiver answered 410' }),
  ...pick(webhookSettings, 'url', 'method', 'on'),
  number: orNone(webhookMatch.number),
  prefix: orNone(webhookMatch.prefix),
  keyword: orNone(webhookMatch.keyword),
  fields: allowList(templateLine, { summary: 'the fields that are sent, theirs=ours' }),
  constants: orNone(list(templateLine, { summary: 'names of what is always sent; their values are never shown' })),
  ...pick(webhookSettings, 'concurrency', 'allow'),
  waiting: count({ summary: 'notifications that wait for it' }),
  dead: count({ summary: 'its dead letters' }),
  failingSince: orNone(instant({ summary: 'since when it has only failed' })),
  lastAt: orNone(instant({ summary: 'when it was tried last' })),
  lastOutcome: orNone(text({ summary: 'result of the last try', title: 'LAST' })),
  secrets: list(record(secretFields, { summary: 'a secret' }), { summary: 'secrets that sign' }),
  createdAt: instant({ summary: 'when it was made' }),
};

const stoppedFields = { webhook: webhookId, status: fields.status };

const warning = optional(text({ summary: 'why it gets nothing at present' }));
const shown = { ...fields, warning };
const secret = text({ summary: 'signing secret: shown only in this answer', isSecret: true, example: 'whsec_…' });

/** A short description of its messages. */
const forColumn = {
  title: 'FOR',
  of: ({ number, prefix, keyword }: Values<typeof fields>) =>
    [number, prefix === null ? null : `${prefix}…`, keyword === null ? null : `"${keyword}"`]
      .filter((each) => each !== null)
      .join(' ') || 'all',
};

const cardColumns = [
  ...(['id', 'account', 'status', 'url', 'method', 'on'] as const),
  forColumn,
  ...(['fields', 'constants', 'concurrency'] as const),
  {
    title: 'MAY LEAD TO',
    of: (row: Values<typeof fields>) =>
      `public addresses${row.allow.length === 0 ? '' : `, ${webhookSettings.allow.cell(row.allow)}`}`,
  },
  ...(['waiting', 'dead', 'failingSince', 'lastAt', 'lastOutcome'] as const),
  {
    title: 'SECRET IDS',
    of: ({ secrets }: Values<typeof fields>) => secrets.map(({ id }) => String(id)).join(', '),
  },
];

const status = {
  input: { webhook: webhookId },
  says: (row: Values<typeof fields>) => `webhook ${row.id} is ${row.status}`,
};

export const webhook = resource('webhook', {
  summary: 'Webhooks: addresses that an account is notified at',
  operations: {
    add: post('/webhooks', {
      summary: 'Add a webhook to an account; the secret that signs is shown this once',
      role: 'owner',
      input: {
        account: fields.account,
        url: webhookSettings.url,
        ...withDefaults(pick(webhookSettings, 'method', 'on', 'concurrency', 'allow'), {
          method: 'post-json',
          on: ['inbound'],
          concurrency: concurrencyDefault,
          allow: [],
        }),
        number: optional(described(webhookMatchOrAny.number, { defaultText: 'any' }), null),
        prefix: optional(described(webhookMatchOrAny.prefix, { defaultText: 'any' }), null),
        keyword: optional(described(webhookMatchOrAny.keyword, { defaultText: 'any' }), null),
        fields: optional(described(templateLines.fields, { defaultText: 'any' })),
        constants: optional(described(templateLines.constants, { defaultText: 'none' })),
        template: optional(template),
        secret: optional(webhookSecretField),
      },
      answer: { ...fields, secret, warning },
      columns: [
        ...cardColumns,
        { title: 'SECRET', of: (made) => `${made.secret}  (shown this once: give it to the client)` },
      ],
      command: {
        arguments: ['account', 'url'],
        examples: [
          ['webhook add acme https://example.com/sms', 'every inbound message of acme'],
          ['webhook add acme https://example.com/dlr --on receipt,alert', 'receipts, and low balances'],
          [
            'webhook add acme http://10.1.2.3/sms --keyword win --allow 10.1.0.0/16',
            'in your own network, one keyword',
          ],
          [
            'webhook add acme https://example.com/in --method get --field from=sender --field message=text',
            'a receiver that exists already, by its own names',
          ],
        ],
        notes: `Fields, of which a notification has those of its kind: ${fieldNames.join(', ')}.`,
      },
    }),
    set: patch('/webhooks/{webhook}', {
      summary: 'Change what is named, and nothing else; what waits for its next try is tried soon',
      input: {
        webhook: webhookId,
        ...changes({ ...pick(webhookSettings, 'url', 'method', 'on', 'concurrency', 'allow'), ...webhookMatchOrAny }),
        fields: optional(
          described(templateLines.fields, {
            summary: 'one more field, or another for this name; any sends all; "" first: these are all there are',
          }),
        ),
        constants: optional(
          described(templateLines.constants, {
            summary: 'one more constant, or another value; none first: these are all there are',
          }),
        ),
        without: optional(
          list(templateLine, {
            summary: "field or constant that is sent no more, by the receiver's name",
            placeholder: '<name>',
            isRepeated: true,
          }),
        ),
        template: optional(template),
      },
      answer: shown,
      columns: cardColumns,
      command: {
        examples: [
          ['webhook set 3 --url https://example.com/new', 'the address has changed'],
          ['webhook set 3 --constant key=abc --without token', 'a constant in place of another'],
          ['webhook set 3 --field any', 'all fields, by our names; its constants stay'],
          ['webhook set 3 --constant none', 'no constants; its fields stay'],
        ],
        notes: 'To change secrets, see morsel webhook secret --help.',
      },
    }),
    list: page('/webhooks', {
      summary: 'List the webhooks of an account, or all, with how each does',
      input: { account: optional(described(fields.account, { summary: 'only its webhooks' })) },
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
        examples: [['webhook list', 'waiting notifications, and failures']],
        whenEmpty: 'there are no webhooks yet: use webhook add',
      },
    }),
    show: get('/webhooks/{webhook}', {
      summary: 'Show one webhook; never its secrets, nor the values of its constants',
      input: { webhook: webhookId },
      answer: shown,
      columns: cardColumns,
      command: { examples: [['webhook show 3', 'all that is set, and how it does']] },
    }),
    test: post('/webhooks/{webhook}/test', {
      summary: 'Send it a made-up event, marked "test": true, and show what it answers',
      input: {
        webhook: webhookId,
        kind: optional(
          described(webhookKind, {
            summary: 'kind of the event, one that the webhook gets',
            defaultText: 'the first of them',
          }),
        ),
      },
      answer: {
        id: webhookId,
        kind: webhookKind,
        isGood: flag({ summary: 'whether it acknowledged' }),
        status: orNone(count({ summary: 'HTTP status that it answered; null without an answer' })),
        detail: text({ summary: 'answer of the receiver, in words' }),
        tookMs: count({ summary: 'how long that took', unit: 'ms' }),
        warning,
      },
      command: {
        examples: [
          ['webhook test 3', 'whether it acknowledges an event, and if not why'],
          ['webhook test 3 --kind receipt', 'the same with a delivery receipt'],
        ],
      },
    }),
    pause: post('/webhooks/{webhook}/pause', {
      summary: 'Notify it of nothing until it is resumed; its notifications wait',
      input: status.input,
      answer: fields,
      command: { examples: [['webhook pause 3', 'while its system is down']], says: status.says },
    }),
    resume: post('/webhooks/{webhook}/resume', {
      summary: 'Notify it again, at once of what waits',
      input: status.input,
      answer: shown,
      command: { examples: [['webhook resume 3', 'its system is back']], says: status.says },
    }),
    replay: post('/notifications/replay', {
      summary: 'Replay dead letters, at the webhooks and sessions that get such notifications now',
      input: {
        notification: optional(
          rowId({ summary: 'one of them, by its id; without it, those that the options name', example: '4711' }),
        ),
        account: optional(described(fields.account, { summary: 'only of this account' })),
        webhook: optional(described(webhookId, { summary: 'only of this webhook, removed or not' })),
        kind: optional(described(webhookKind, { summary: 'only of this kind' })),
        since: optional(instant({ summary: 'only made at or after this time, such as 2026-01-31T12:00:00Z' })),
        until: optional(instant({ summary: 'only made before this time' })),
        all: optional(flag({ summary: 'all of them' }), false),
        after: optional(place(/^\d{1,16}$/, { typed: [] }), '0'),
      },
      answer: {
        replayed: count({ summary: 'how many are tried again' }),
        left: count({ summary: 'how many stay dead letters, because nothing gets such a notification now' }),
        stopped: list(record(stoppedFields, { summary: 'a webhook' }), {
          summary: 'webhooks that are stopped: what is for them waits until they are resumed',
        }),
        next: orNone(text({ summary: 'give it as `after`, with the same filter; null at the end' })),
      },
      command: {
        arguments: ['notification'],
        examples: [
          ['webhook replay 4711', 'one dead letter'],
          ['webhook replay --account acme --since 2026-01-31', 'all of acme since a day'],
        ],
      },
    }),
    remove: remove('/webhooks/{webhook}', {
      summary: 'Remove a webhook; what waits for it becomes dead letters, which can be replayed to another',
      input: status.input,
      answer: { id: webhookId },
      command: {
        examples: [['webhook remove 3', 'no more notifications go to it']],
        says: ({ id }) => `webhook ${id} is removed`,
      },
    }),
  },
});
