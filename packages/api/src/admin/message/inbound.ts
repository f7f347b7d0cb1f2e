/* Inbound messages: the list, their notifications, and their replay. */

import { notificationStates } from '../../values/notification.ts';
import { failureFields, notificationFields } from '../notification/notification.ts';
import { list, optional, orNone, record } from '../compose.ts';
import { count, flag, instant, name, octets, oneOf, place, rowId, sentence, text } from '../fields.ts';
import { get, page, post, resource } from '../resource.ts';
import type { Values } from '../field.ts';

const fields = {
  msgId: rowId({ summary: 'its id', title: 'ID' }),
  account: orNone(name({ summary: 'account that got it' })),
  matchedBy: orNone(
    text({ summary: 'how the account was found: number, keyword, or fallback where no keyword matched' }),
  ),
  keyword: orNone(text({ summary: 'keyword that led to the account' })),
  delivery: orNone(oneOf(notificationStates, { summary: 'state of its newest notification' })),
  carrier: name({ summary: 'carrier that brought it' }),
  sender: text({ summary: 'number that sent it', isPersonal: true }),
  receiver: text({ summary: 'number or short code that it was sent to' }),
  dcs: text({ summary: 'its encoding: GSM, UCS or BIN' }),
  numParts: count({ summary: 'parts that it has', title: 'PARTS' }),
  partsReceived: count({ summary: 'parts that came' }),
  complete: flag({ summary: 'whether all parts came' }),
  receivedTime: instant({ summary: 'when it was received', title: 'RECEIVED' }),
};

/** The fields that the message itself does not have. */
const { kind: _kind, msgId: _msgId, event: _event, heldBy: _heldBy, ...shownNotification } = notificationFields;

type Shown = Values<typeof fields>;
type Notification = Values<typeof shownNotification>;

/** The tables of `inbound show`. */
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
  if (account === null) return '- (no account has its number or keyword)';
  if (matchedBy === 'keyword') return `${account} (by the keyword "${keyword ?? ''}")`;
  return `${account} (by its number${matchedBy === 'fallback' ? ', without a keyword' : ''})`;
}

const shownFields = {
  ...fields,
  text: optional(text({ summary: 'its text', isPersonal: true })),
  data: optional(octets({ summary: 'its octets, where it is not a text', isPersonal: true })),
  dataCoding: orNone(count({ summary: 'data_coding of its first part' })),
  header: orNone(octets({ summary: 'elements of its user data header' })),
  destinationPort: orNone(count({ summary: 'application port that it is for' })),
  sourcePort: orNone(count({ summary: 'application port that it comes from' })),
  notifications: list(
    record(
      {
        ...shownNotification,
        failures: list(record(failureFields, { summary: 'a try' }), { summary: 'failed tries' }),
      },
      { summary: 'a notification' },
    ),
    { summary: 'its notifications, the oldest first' },
  ),
};

function notifiedOf({ notifications, ...shown }: Values<typeof shownFields>): string {
  if (shown.account === null) return 'no: give its number or keyword to an account, and replay it';
  if (notifications.length > 0) return deliveryOf(shown);
  return `no: ${shown.account} had no destination for it; once it has one, replay it`;
}

const filter = {
  account: optional(name({ summary: 'only of this account' })),
  unmatched: optional(flag({ summary: 'only messages that matched no account' }), false),
  undelivered: optional(flag({ summary: 'only messages that are not acknowledged, or have no notification' }), false),
  number: optional(text({ summary: 'only to this number or short code', placeholder: '<number>' })),
  keyword: optional(text({ summary: 'only messages that this keyword led to their account', placeholder: '<word>' })),
  sender: optional(sentence({ max: 64, summary: 'only from this phone', placeholder: '<number>' })),
  since: optional(instant({ summary: 'only received then or later: 2026-01-31 or 2026-01-31T12:00:00Z' })),
  until: optional(instant({ summary: 'only received before then' })),
};

/** Messages of one request of a replay: they are one commit, and other commits wait some 20 ms for it. */
export const replayMax = 250;

export const inbound = resource('inbound', {
  summary: 'Inbound messages, and whether their accounts were notified',
  operations: {
    list: page('/inbound', {
      summary: 'List inbound messages, the newest first, and whether their accounts were notified',
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
          ['inbound list --unmatched', 'messages that matched no account'],
          ['inbound list --number +41791112233', 'the last messages to a number'],
          [
            'inbound list --account acme --undelivered --since 2026-01-31',
            'undelivered messages of acme since that day',
          ],
        ],
        whenEmpty: 'there are no such messages',
      },
    }),
    show: get('/inbound/{id}', {
      summary: 'Show one inbound message with its text and its notifications',
      input: { id: text({ summary: 'its msgId', placeholder: '<id>', example: '1021568371490816' }) },
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
        { title: 'ENCODING', of: ({ dcs, dataCoding }) => `${dcs} (data_coding ${dataCoding ?? 'unknown'})` },
        'numParts',
        { title: 'COMPLETE', of: completeOf },
        'destinationPort',
        'sourcePort',
        'carrier',
      ],
      command: { examples: [['inbound show 1021568371490816', 'its text, sender and account']] },
    }),
    replay: post('/inbound/replay', {
      summary: 'Deliver inbound messages again, by the current numbers, keywords and destinations',
      input: {
        ids: optional(
          list(text({ summary: 'a msgId' }), { min: 1, max: replayMax, summary: 'their msgIds', isRepeated: true }),
        ),
        ...filter,
        reroute: optional(
          flag({ summary: 'also move messages with an account to the one that has their number or keyword now' }),
          false,
        ),
        after: optional(place(/^\d{1,16}$/, { typed: [] })),
      },
      answer: {
        replayed: count({ summary: 'they have a new notification' }),
        waiting: count({ summary: 'they still wait to be delivered' }),
        withoutDestination: count({ summary: 'their account has no webhook and no login for them' }),
        unmatched: count({ summary: 'no account has their number or keyword' }),
        rerouted: count({ summary: 'those with another account than before' }),
        next: orNone(text({ summary: 'give it as `after`, with `until` and the same filter' })),
        until: orNone(instant({ summary: 'end of the replay of a filter' })),
      },
      command: {
        arguments: ['ids'],
        examples: [
          ['inbound replay 1021568371490816', 'one message, even if it was delivered'],
          ['inbound replay --unmatched', 'messages whose number or keyword has an account now'],
          ['inbound replay --account acme --undelivered', 'all messages that acme has not taken'],
        ],
        notes: `A message keeps its msgId, so a receiver recognises it. A notification that was given up keeps its webhook-id. A message that was
delivered gets a new webhook-id, because its receiver would drop the old one. A message that waits is not delivered twice. The oldest are first.`,
      },
    }),
  },
});
