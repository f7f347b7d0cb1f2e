/* Inbound messages: listing them, showing their notifications, and replaying them. */

import { notificationStates } from '../../values/notification.ts';
import { failureFields, notificationFields } from '../notification/notification.ts';
import { group, list, optional, orNone, rows } from '../../fields/compose.ts';
import { count, flag, instant, name, octets, oneOf, place, rowId, sentence, text } from '../../fields/fields.ts';
import { get, page, post, resource } from '../resource.ts';
import { counted } from '../../fields/shown.ts';
import type { Values } from '../../fields/field.ts';

const fields = {
  msgId: rowId({ summary: 'id of the inbound message', label: 'Id' }),
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
  dcs: text({ label: 'Encoding', summary: 'encoding of the inbound message: GSM, UCS or BIN' }),
  numParts: count({ summary: 'number of parts of the inbound message', label: 'Parts' }),
  partsReceived: count({ summary: 'number of parts that the gateway received' }),
  complete: flag({ summary: 'whether the gateway received all parts' }),
  receivedTime: instant({ summary: 'when the gateway received the message', label: 'Received' }),
};

/** The fields of a notification, without those that repeat the message. */
const { kind: _kind, msgId: _msgId, event: _event, heldBy: _heldBy, ...shownNotification } = notificationFields;

type Shown = Values<typeof fields>;

function deliveryOf({ account, delivery }: Shown): string {
  return account === null ? '-' : (delivery ?? 'no destination');
}

function completeOf({ complete, partsReceived, numParts }: Shown): string {
  return complete ? 'yes' : `no, ${partsReceived} of ${numParts}`;
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
  notifications: rows(
    {
      ...shownNotification,
      failures: rows(failureFields, { summary: 'failed delivery attempts' }),
    },
    {
      summary: 'notifications of the inbound message, oldest first',
      whenEmpty:
        'none: give the number or keyword to an account, or add a webhook or login for the account; then replay the message',
    },
  ),
};

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

/** The most messages in one replay request. A request is one commit, and other commits wait about 20 ms for it. */
export const replayMax = 250;

const replayFields = {
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
};

function replayText({ replayed, rerouted, ...others }: Values<typeof replayFields>): string {
  const { waiting, withoutDestination, unmatched } = others;
  const all = replayed + waiting + withoutDestination + unmatched;
  if (all === 0) return 'no message fits: nothing is delivered again';
  const parts = [
    [waiting, 'already waits for delivery', 'already wait for delivery'],
    [
      withoutDestination,
      'belongs to an account without a webhook or login for inbound messages',
      'belong to accounts without a webhook or login for inbound messages',
    ],
    [
      unmatched,
      'is unmatched, because no account has its number or keyword',
      'are unmatched, because no account has their number or keyword',
    ],
    [rerouted, 'goes to an account that did not have it before', 'go to an account that did not have them before'],
  ] as const;
  const rest = parts.filter(([number]) => number > 0).map(([number, one, many]) => `; ${counted(number, one, many)}`);
  return `${replayed} of ${counted(all, 'message')} delivered again${rest.join('')}`;
}

export const inbound = resource('inbound', {
  changes: ['notification', 'webhook'],
  summary: 'Inbound messages, and the notifications of their accounts',
  operations: {
    list: page('/inbound', {
      summary: 'List inbound messages and the state of their notifications, newest first',
      label: 'Inbound messages',
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
        examples: {
          'inbound list --unmatched': 'list inbound messages that matched no account',
          'inbound list --number +41791112233': 'list the newest inbound messages to this number',
          'inbound list --account acme --undelivered --since 2026-01-31':
            'list inbound messages that acme has not acknowledged since this day',
        },
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
      command: {
        examples: { 'inbound show 1021568371490816': 'show the text, sender and account of this inbound message' },
      },
    }),
    replay: post('/inbound/replay', {
      repeat: 'key',
      summary: 'Notify accounts again of inbound messages, by the current numbers, keywords and webhooks',
      input: {
        ...group('Which messages', {
          ids: optional(
            list(text({ summary: 'a msgId' }), {
              min: 1,
              max: replayMax,
              summary: 'msgIds of inbound messages',
              label: 'Messages',
              isRepeated: true,
            }),
          ),
          ...filter,
        }),
        ...group('How', {
          reroute: optional(
            flag({ summary: 'also move messages of other accounts to the account that has the number or keyword now' }),
            false,
          ),
        }),
        after: optional(place(/^\d{1,16}$/, { typed: [] })),
      },
      answer: replayFields,
      command: {
        arguments: ['ids'],
        splits: 'ids',
        says: replayText,
        examples: {
          'inbound replay 1021568371490816': 'replay one message, even if it was delivered before',
          'inbound replay --unmatched': 'replay messages that matched no account before but match an account now',
          'inbound replay --account acme --undelivered': 'replay all messages that acme has not acknowledged',
        },
        notes: `Replay starts with the oldest message. A replayed message keeps its msgId. A dead letter also keeps its webhook-id.
A message that was delivered before gets a new webhook-id, because receivers ignore a webhook-id that they know.
A message whose notification still waits is not delivered twice.`,
      },
    }),
  },
});
