import { notificationKinds, notificationStates } from '../../values/notification.ts';
import { described, list, optional, orNone, record } from '../compose.ts';
import type { Values } from '../field.ts';
import { count, flag, instant, name, oneOf, place, rowId, text } from '../fields.ts';
import { get, page, resource } from '../resource.ts';
import { webhookId } from './webhook.ts';

/* Notifications of inbound messages, receipts and alerts, and their results. */

const notificationId = rowId({ summary: 'id of the notification, as notification list shows it', example: '4711' });

export const notificationFields = {
  id: notificationId,
  createdAt: instant({ summary: 'when it was made' }),
  account: name({ summary: 'account that is notified' }),
  kind: oneOf(notificationKinds, { summary: 'subject' }),
  msgId: orNone(rowId({ summary: 'message that it is about; null of an alert', title: 'MESSAGE' })),
  event: orNone(text({ summary: 'final event of its message; null where the notification is not a receipt' })),
  state: oneOf(notificationStates, {
    summary: 'whether it waits, was delivered, is a dead letter, or was withdrawn for another',
    placeholder: '<state>',
  }),
  webhook: orNone(described(webhookId, { summary: 'its webhook' })),
  bySession: flag({ summary: 'whether a session of its account may get it' }),
  tries: count({ summary: 'how often it was tried' }),
  due: orNone(instant({ summary: 'when it is tried next' })),
  heldBy: orNone(
    oneOf(['paused', 'off', 'session'], {
      summary: 'why it is not tried: its webhook is paused or off, or no session of its account is bound',
    }),
  ),
  endedAt: orNone(instant({ summary: 'when it was delivered or given up' })),
  triedBy: orNone(text({ summary: 'webhook or session of the last try' })),
  outcome: orNone(text({ summary: 'result of the last try', title: 'LAST' })),
};

/** When it is tried next, or why it is not. */
export const nextColumn = {
  title: 'NEXT',
  of: ({ heldBy, due }: Pick<Values<typeof notificationFields>, 'heldBy' | 'due'>) => {
    if (heldBy === 'session') return 'when a session is bound';
    return heldBy === null ? notificationFields.due.cell(due) : `webhook is ${heldBy}`;
  },
};

export const failureFields = {
  try: count({ summary: 'number of the try' }),
  at: instant({ summary: 'when' }),
  by: text({ summary: 'webhook or session of the try' }),
  outcome: text({ summary: 'result of the try' }),
};

export const notification = resource('notification', {
  summary: 'Notifications: what accounts are notified of, and what came of it',
  operations: {
    list: page('/notifications', {
      summary: 'List notifications, the newest first',
      input: {
        account: optional(described(notificationFields.account, { summary: 'only of this account' })),
        webhook: optional(described(webhookId, { summary: 'only for this webhook' })),
        state: optional(described(notificationFields.state, { summary: 'only in this state' })),
        kind: optional(described(notificationFields.kind, { summary: 'only of this kind', placeholder: '<kind>' })),
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
        examples: [
          ['notification list --state dead', 'dead letters'],
          ['notification list --account acme --state waiting', 'waiting notifications of acme'],
        ],
        whenEmpty: 'there are no such notifications',
      },
    }),
    show: get('/notifications/{notification}', {
      summary: 'Show one notification with its failed tries; its content is shown by inbound show and message show',
      input: { notification: notificationId },
      answer: {
        ...notificationFields,
        replayedAt: orNone(instant({ summary: 'when it was replayed last' })),
        failures: list(record(failureFields, { summary: 'a failed try' }), { summary: 'its newest failed tries' }),
      },
      columns: [
        ...(['id', 'createdAt', 'account', 'kind', 'event', 'msgId', 'state', 'webhook', 'tries'] as const),
        nextColumn,
        ...(['endedAt', 'outcome', 'triedBy', 'replayedAt'] as const),
      ],
      command: { examples: [['notification show 4711', 'when it was tried, where, and what came of it']] },
    }),
  },
});
