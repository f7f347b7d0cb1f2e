/* Inbound messages: listing them, showing their notifications, and replaying them. */

import { notificationStates } from '../../values/notification.ts';
import { failureFields, notificationFields } from '../notification/notification.ts';
import { list, optional, orNone, record } from '../compose.ts';
import { count, flag, instant, name, octets, oneOf, place, rowId, sentence, text } from '../fields.ts';
import { get, page, post, resource } from '../resource.ts';
import type { Values } from '../field.ts';

const fields = {
  msgId: rowId({ summary: 'id of the inbound message', title: 'ID' }),
  account: orNone(name({ summary: 'account that the inbound message belongs to' })),
  matchedBy: orNone(
    text({
      summary:
        'how the gateway found the account: by the number, by a keyword, or by fallback (the number’s own account, as no keyword matched)',
    }),
  ),
  keyword: orNone(text({ summary: 'keyword by which the gateway found the account' })),
  delivery: orNone(oneOf(notificationStates, { summary: 'state of the newest notification of the inbound message' })),
  carrier: name({ summary: 'carrier that delivered the inbound message' }),
  sender: text({ summary: 'phone number of the sender', isPersonal: 'number' }),
  receiver: text({ summary: 'number or short code that the inbound message was sent to' }),
  dcs: text({ summary: 'encoding of the inbound message: GSM, UCS or BIN' }),
  numParts: count({ summary: 'number of parts of the inbound message', title: 'PARTS' }),
  partsReceived: count({ summary: 'number of parts that the gateway received' }),
  complete: flag({ summary: 'whether the gateway received all parts' }),
  receivedTime: instant({ summary: 'when the gateway received the message', title: 'RECEIVED' }),
};

/** The fields of a notification, without those that repeat the message. */
const { kind: _kind, msgId: _msgId, event: _event, heldBy: _heldBy, ...shownNotification } = notificationFields;

type Shown = Values<typeof fields>;
type Notification = Values<typeof shownNotification>;

/** The two tables that `inbound show` prints below the message. */
export const notificationTable = {
  answer: shownNotification,
  columns: [
    { title: 'NOTIFICATION', of: ({ id }: Notification) => String(id) },
    { title: 'TO', of: destinationsOf },
    ...(['state', 'tries', 'createdAt', 'due', 'endedAt', 'triedBy', 'outcome'] as const),
  ],
};
export const failureTable = {
  answer: { notification: notificationFields.id, ...failureFields },
  columns: ['notification', 'at', 'by', 'outcome'] as const,
};

function destinationsOf({ account, bySession, webhook }: Notification): string {
  const destinations = [...(bySession ? ['sessions'] : []), ...(webhook === null ? [] : [`webhook ${webhook}`])];
  return `${account}: ${destinations.join(' or ')}`;
}

function deliveryOf({ account, delivery }: Shown): string {
  return account === null ? '-' : (delivery ?? 'no destination');
}

function completeOf({ complete, partsReceived, numParts }: Shown): string {
  return complete ? 'yes' : `no, ${partsReceived} of ${numParts}`;
}

function accountOf({ account, matchedBy, keyword }: Shown): string {
  if (account === null) return '- (no account has the number or keyword)';
  if (matchedBy === 'keyword') return `${account} (by the keyword "${keyword ?? ''}")`;
  return `${account} (by its number${matchedBy === 'fallback' ? ', without a keyword' : ''})`;
}

const shownFields = {
  ...fields,
  text: optional(text({ summary: 'text of the inbound message', isPersonal: true })),
  data: optional(octets({ summary: 'octets of an inbound message that is not text', isPersonal: true })),
  erased: flag({ summary: 'whether the text or the octets were erased' }),
  dataCoding: count({ summary: 'data_coding of the first part' }),
  header: orNone(octets({ summary: 'elements of the user data header' })),
  destinationPort: orNone(count({ summary: 'destination port in the user data header' })),
  sourcePort: orNone(count({ summary: 'source port in the user data header' })),
  notifications: list(
    record(
      {
        ...shownNotification,
        failures: list(record(failureFields, { summary: 'a failed delivery attempt' }), {
          summary: 'failed delivery attempts',
        }),
      },
      { summary: 'a notification' },
    ),
    { summary: 'notifications of the inbound message, oldest first' },
  ),
};

function notifiedOf({ notifications, ...shown }: Values<typeof shownFields>): string {
  if (shown.account === null) return 'no: give the number or keyword to an account, then replay the message';
  if (notifications.length > 0) return deliveryOf(shown);
  return `no: account ${shown.account} had no webhook or login for it; add one, then replay the message`;
}

const filter = {
  account: optional(name({ summary: 'only inbound messages of this account' })),
  unmatched: optional(flag({ summary: 'only inbound messages that matched no account' }), false),
  undelivered: optional(flag({ summary: 'only inbound messages that the client has not acknowledged' }), false),
  number: optional(text({ summary: 'only inbound messages to this number or short code', placeholder: '<number>' })),
  keyword: optional(
    text({ summary: 'only inbound messages whose account was found by this keyword', placeholder: '<word>' }),
  ),
  sender: optional(
    sentence({
      max: 64,
      summary: 'only inbound messages from this phone number',
      placeholder: '<number>',
      isPersonal: 'number',
    }),
  ),
  since: optional(
    instant({ summary: 'only inbound messages from this time on, such as 2026-01-31 or 2026-01-31T12:00:00Z' }),
  ),
  until: optional(instant({ summary: 'only inbound messages before this time' })),
};

/** The most messages in one replay request. They are one commit, and other commits wait about 20 ms for it. */
export const replayMax = 250;

export const inbound = resource('inbound', {
  summary: 'Inbound messages, and the notifications of their accounts',
  operations: {
    list: page('/inbound', {
      summary: 'List inbound messages and the state of their notifications, newest first',
      role: 'support',
      input: filter,
      limit: 50,
      after: place(/^\d{1,16}$/),
      answer: fields,
      columns: [
        'msgId',
        'receivedTime',
        { title: 'ACCOUNT', of: ({ account }) => account ?? '-' },
        { title: 'NOTIFIED', of: deliveryOf },
        'sender',
        'receiver',
        { title: 'KEYWORD', of: ({ keyword }) => keyword ?? '-' },
        'carrier',
        'dcs',
        'numParts',
        { title: 'COMPLETE', of: completeOf },
      ],
      command: {
        examples: [
          ['inbound list --unmatched', 'list inbound messages that matched no account'],
          ['inbound list --number +41791112233', 'list the newest inbound messages to this number'],
          [
            'inbound list --account acme --undelivered --since 2026-01-31',
            'list inbound messages that acme has not acknowledged since this day',
          ],
        ],
        whenEmpty: 'there are no matching inbound messages',
      },
    }),
    show: get('/inbound/{id}', {
      summary: 'Show one inbound message with its text and its notifications',
      role: 'support',
      discloses: true,
      input: {
        id: text({ summary: 'msgId of the inbound message', placeholder: '<id>', example: '1021568371490816' }),
      },
      answer: shownFields,
      columns: [
        { title: 'MESSAGE', of: ({ msgId }) => String(msgId) },
        'receivedTime',
        { title: 'ACCOUNT', of: accountOf },
        { title: 'NOTIFIED', of: notifiedOf },
        { title: 'FROM', of: ({ sender }) => sender },
        { title: 'TO', of: ({ receiver }) => receiver },
        'data',
        { title: 'TEXT', of: (row) => (row.text === undefined ? '' : `"${row.text}"`) },
        { title: 'ENCODING', of: ({ dcs, dataCoding }) => `${dcs} (data_coding ${dataCoding})` },
        'numParts',
        { title: 'COMPLETE', of: completeOf },
        'destinationPort',
        'sourcePort',
        'carrier',
      ],
      command: {
        examples: [['inbound show 1021568371490816', 'show the text, sender and account of this inbound message']],
      },
    }),
    replay: post('/inbound/replay', {
      summary: 'Notify accounts again of inbound messages, by the current numbers, keywords and webhooks',
      input: {
        ids: optional(
          list(text({ summary: 'a msgId' }), {
            min: 1,
            max: replayMax,
            summary: 'msgIds of inbound messages',
            isRepeated: true,
          }),
        ),
        ...filter,
        reroute: optional(
          flag({ summary: 'also move messages of other accounts to the account that has the number or keyword now' }),
          false,
        ),
        after: optional(place(/^\d{1,16}$/, { typed: [] })),
      },
      answer: {
        replayed: count({ summary: 'messages that got a new notification' }),
        waiting: count({ summary: 'messages whose notification still waits for delivery' }),
        withoutDestination: count({ summary: 'messages whose account has no webhook and no login to get them' }),
        unmatched: count({ summary: 'messages whose number and keyword belong to no account' }),
        rerouted: count({ summary: 'messages that were moved to another account' }),
        next: orNone(
          text({
            summary: 'value of `after` in the next request, with this `until` and the same filter; null at the end',
          }),
        ),
        until: orNone(instant({ summary: 'value of `until` in all further requests' })),
      },
      command: {
        arguments: ['ids'],
        examples: [
          ['inbound replay 1021568371490816', 'replay one message, even if it was delivered before'],
          ['inbound replay --unmatched', 'replay messages that matched no account before but match an account now'],
          ['inbound replay --account acme --undelivered', 'replay all messages that acme has not acknowledged'],
        ],
        notes: `Replay starts with the oldest message. A replayed message keeps its msgId. A dead letter also keeps its webhook-id.
A message that was delivered before gets a new webhook-id, because receivers ignore a webhook-id that they know.
A message whose notification still waits is not delivered twice.`,
      },
    }),
  },
});
