import { notificationKinds, notificationStates } from '../../values/notification.ts';
import { described, optional, orNone, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { count, flag, instant, name, oneOf, place, rowId, text } from '../../fields/fields.ts';
import { get, page, resource } from '../resource.ts';
import { webhookId } from './webhook.ts';

/* Notifications of inbound messages, receipts and alerts, and the results of their deliveries. */

const notificationId = rowId({ summary: 'id of the notification, as notification list shows it', example: '4711' });

export const notificationFields = {
  id: notificationId,
  createdAt: instant({ summary: 'when the notification was created' }),
  account: name({ summary: 'account that the notification is for' }),
  kind: oneOf(notificationKinds, { summary: 'kind of the notification' }),
  msgId: orNone(rowId({ summary: 'message of the notification; null for an alert', label: 'Message' })),
  event: orNone(text({ summary: 'event of the message; null if the notification is not a receipt' })),
  state: oneOf(notificationStates, {
    summary: 'state of the notification: waiting, delivered, dead (given up) or withdrawn (replaced by another)',
    placeholder: '<state>',
  }),
  webhook: orNone(described(webhookId, { summary: 'webhook that the notification goes to' })),
  bySession: flag({ summary: 'whether an SMPP session of the account may get the notification' }),
  isCallback: flag({
    label: 'Callback',
    summary: 'whether the callback URL of the message gets the notification, and nothing else',
  }),
  tries: count({ summary: 'number of delivery attempts so far' }),
  due: orNone(instant({ summary: 'time of the next delivery attempt' })),
  heldBy: orNone(
    oneOf(['paused', 'off', 'session'], {
      summary: 'why the notification is not tried now: the webhook is paused or off, or no session is bound',
    }),
  ),
  endedAt: orNone(instant({ summary: 'when the notification was delivered or given up' })),
  triedBy: orNone(text({ summary: 'webhook, session or callback of the last delivery attempt' })),
  outcome: orNone(text({ summary: 'result of the last delivery attempt', label: 'Last' })),
};

/** When the next attempt is. If there is none, the column shows the reason. */
export const nextColumn = {
  title: 'NEXT',
  of: ({ heldBy, due }: Pick<Values<typeof notificationFields>, 'heldBy' | 'due'>) => {
    if (heldBy === 'session') return 'when a session is bound';
    return heldBy === null ? notificationFields.due.cell(due) : `webhook is ${heldBy}`;
  },
};

export const failureFields = {
  try: count({ summary: 'number of the delivery attempt' }),
  at: instant({ summary: 'time of the delivery attempt' }),
  by: text({ summary: 'webhook, session or callback of the delivery attempt' }),
  outcome: text({ summary: 'result of the delivery attempt' }),
};

export const notification = resource('notification', {
  summary: 'Notifications to accounts, and the results of their deliveries',
  operations: {
    list: page('/notifications', {
      summary: 'List notifications, newest first',
      role: 'support',
      input: {
        account: optional(described(notificationFields.account, { summary: 'only notifications of this account' })),
        webhook: optional(described(webhookId, { summary: 'only notifications of this webhook' })),
        state: optional(described(notificationFields.state, { summary: 'only notifications in this state' })),
        kind: optional(
          described(notificationFields.kind, { summary: 'only notifications of this kind', placeholder: '<kind>' }),
        ),
      },
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: notificationFields,
      columns: [
        ...(['id', 'createdAt', 'account', 'kind', 'msgId', 'state', 'webhook', 'tries'] as const),
        nextColumn,
        'outcome',
      ],
      command: {
        examples: {
          'notification list --state dead': 'list dead letters, which the gateway gave up',
          'notification list --account acme --state waiting': 'list the waiting notifications of acme',
        },
        whenEmpty: 'there are no matching notifications',
      },
    }),
    show: get('/notifications/{notification}', {
      summary: 'Show one notification with its failed delivery attempts',
      role: 'support',
      input: { notification: notificationId },
      answer: {
        ...notificationFields,
        replayedAt: orNone(instant({ summary: 'when the notification was last replayed' })),
        failures: rows(failureFields, { summary: 'newest failed delivery attempts' }),
      },
      command: { examples: { 'notification show 4711': 'show when and where delivery was tried, and the results' } },
    }),
  },
});
