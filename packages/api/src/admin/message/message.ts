import { doubtSettlements, echoNames, priorities, tagsMax, validitySeconds } from '../../values/message.ts';
import { formatMicros } from '../../values/money.ts';
import { accountName } from '../account/settings.ts';
import { described, group, list, optional, orNone, pick, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { durationIn } from '../../fields/duration.ts';
import { amount, count, flag, instant, oneOf, place, text, wholeNumber } from '../../fields/fields.ts';
import {
  carrierName,
  content,
  errorOf,
  messageExample as example,
  messageFields,
  phoneNumber,
  summaryFields as fields,
  tag,
} from './message-fields.ts';
import { bulk } from '../bulk.ts';
import { get, page, post, resource } from '../resource.ts';
import { fromSender, ofAccount, since, until, waiting, word } from './waiting.ts';

/* Outbound messages: sending and finding them, and the operator's actions on waiting parts and parts in doubt. */

/** The most parts of a message (3GPP TS 23.040, section 9.2.3.24.1). */
const partsMax = 255;

/** Any text: the gateway answers that a malformed msgId is unknown, as it does for an id that does not exist. */
const id = text({ summary: 'msgId of the message', placeholder: '<id>', example });

const draft = {
  ...group('Message', {
    account: described(accountName, { summary: 'account that pays for the message' }),
    sender: described(fields.sender, {
      summary: 'sender: a number, a short code, or up to 11 characters',
      placeholder: '<sender>',
    }),
    receiver: described(fields.receiver, {
      summary: 'phone number of the receiver, in international form',
      placeholder: '<number>',
    }),
    text: text({ summary: 'text of the message', ...content, example: 'Hello' }),
    dcs: optional(
      text({
        label: 'Encoding',
        summary: 'encoding of the text',
        words: { SMS: 'GSM if all characters fit, else UCS', GSM: 'GSM', UCS: 'UCS' },
        placeholder: '<dcs>',
        example: 'SMS',
      }),
      'SMS',
    ),
    clientRef: optional(
      text({
        label: 'Reference',
        summary: 'a reference of yours, with which message find can find the message',
        example: 'order-7',
      }),
    ),
    tags: optional(list(tag, { max: tagsMax, summary: 'words by which message find can find the message' })),
  }),
  ...group('When and how', {
    validity: optional(
      durationIn('s', {
        min: validitySeconds.min,
        max: validitySeconds.max,
        summary: 'how long the gateway tries to deliver the message',
        placeholder: '<seconds>',
        defaultText: String(validitySeconds.standard),
      }),
    ),
    priority: optional(
      oneOf(priorities, {
        summary: 'priority of the message: high (for one-time codes) is sent before normal',
        placeholder: '<priority>',
        defaultText: priorities[0],
      }),
    ),
    sendAt: optional(
      text({
        summary: 'when to send the message, such as 2027-01-31T12:00:00Z, at most 30 days ahead',
        placeholder: '<time>',
        defaultText: 'now',
        example: '2027-01-31T12:00:00Z',
      }),
    ),
    flash: optional(flag({ summary: 'let the phone show the message at once without storing it' }), false),
  }),
  idempotencyKey: optional(
    text({
      summary: 'idempotency key: a repeated request with the same key sends the message only once',
      isIdempotencyKey: true,
      option: 'key',
      placeholder: '<key>',
      example: 'invoice-1203',
    }),
  ),
};

const accepted = {
  ...pick(fields, 'msgId', 'numParts', 'totalCost'),
  clientBalance: amount({ summary: 'balance of the account after the charge' }),
  clientCurrency: fields.currency,
  isReplayed: optional(
    flag({ label: 'Sent before', summary: 'true if an earlier request with the same key sent the message' }),
  ),
};

const outsideFields = {
  character: text({ summary: 'character that GSM does not have', example: 'ł' }),
  position: count({ summary: 'position of the character in the text' }),
};

const quoteFields = {
  numParts: fields.numParts,
  encoding: described(fields.encoding, { summary: 'encoding that the gateway would use: GSM or UCS', example: 'GSM' }),
  ucsCount: count({ summary: 'number of characters in the text that GSM does not have' }),
  ucsCharacters: rows(outsideFields, { summary: 'first characters that GSM does not have' }),
  unitPrice: amount({ summary: 'price of one part' }),
  totalCost: fields.totalCost,
  clientBalance: amount({ summary: 'present balance of the account' }),
  balanceAfter: amount({ summary: 'balance that the account would have after the message' }),
  isCovered: flag({ label: 'Covered', summary: 'whether the balance and the credit limit cover the cost' }),
  isReplay: flag({
    label: 'Sent before',
    summary: 'whether an earlier request with the same key sent the message; sending it again charges nothing',
  }),
  clientCurrency: fields.currency,
  routePrefix: text({ summary: 'prefix of the route', example: '41' }),
  routeSender: optional(orNone(text({ summary: 'sender in the match of the route; null for every sender' }))),
  routeEncoding: optional(orNone(text({ summary: 'encoding in the match of the route; null for every encoding' }))),
  carriers: optional(list(carrierName, { summary: 'carriers of the route' })),
  priceList: optional(orNone(described(messageFields.priceList, { summary: 'price list that the price comes from' }))),
  priceVersion: optional(messageFields.priceVersion),
  pricePrefix: optional(orNone(text({ summary: 'prefix in the price list that the price belongs to', example: '41' }))),
};

const inDoubtFields = {
  msgId: fields.msgId,
  part: count({ summary: 'number of the part' }),
  numParts: fields.numParts,
  account: fields.account,
  receiver: fields.receiver,
  carrier: described(carrierName, { summary: 'carrier that the part was sent to' }),
  since: instant({ summary: 'since when the part has been in doubt' }),
  times: count({ summary: 'how often the part has been in doubt' }),
  until: orNone(instant({ summary: 'when the gateway sends the part again or gives it up' })),
};

const settlement = oneOf(doubtSettlements, {
  label: 'Decision',
  summary: 'what is known about the parts',
  words: { resend: 'Send again', sent: 'The carrier has it', unknown: 'Unknown, final' },
});

const inDoubtPart = {
  title: 'PART',
  of: (row: Values<typeof inDoubtFields>) => `${row.part}/${row.numParts}`,
};

export const message = resource('message', {
  changes: ['account', 'posting', 'carrier', 'notification', 'job'],
  summary: 'Outbound messages: sending, finding, canceling and rerouting them',
  operations: {
    send: post('/messages', {
      repeat: 'key',
      summary: 'Send a message and charge an account for it',
      input: draft,
      answer: accepted,
      command: {
        words: 'send',
        examples: {
          'send --account acme --sender Shop --receiver +41791112233 --text "Hello"': 'send one message',
          'send --account acme --sender Shop --receiver +41791112233 --text "Hello" --wait':
            'send a message, wait, and show whether it was delivered',
          'send --account acme --sender Shop --receiver +41791112233 --text "Hello" --send-at 2027-01-31T12:00:00+01:00':
            'schedule a message for noon',
        },
      },
    }),
    quote: post('/messages/quote', {
      summary: 'Show the price, parts and route of a message without sending or charging it',
      isChange: false,
      input: draft,
      answer: quoteFields,
      command: {
        words: 'quote',
        examples: {
          'quote --account acme --sender Shop --receiver +41791112233 --text "Hello"':
            'show the parts, price, route and balance',
        },
      },
    }),
    show: get('/messages/{id}', {
      summary: 'Show one message with its text and its history',
      role: 'support',
      discloses: true,
      input: { id },
      answer: messageFields,
      command: { examples: { [`message show ${example}`]: 'show the history of this message' } },
    }),
    cancel: post('/messages/{id}/cancel', {
      repeat: 'same',
      summary: 'Cancel the waiting parts of one message',
      input: { id },
      answer: messageFields,
    }),
    cancelMany: bulk('/messages/cancel', {
      summary: 'Cancel the waiting parts of all messages that match a filter',
      input: {
        ...waiting,
        ...group('Which messages', {
          state: optional(
            oneOf(['queued', 'scheduled'], {
              summary: 'only messages that wait like this',
              words: { queued: 'For a carrier', scheduled: 'For their sending time' },
              placeholder: '<state>',
            }),
          ),
        }),
      },
      bulk: {
        row: 'waiting message',
        outcomes: ['canceled', 'already sent or final'],
        asks: (messages) => `Cancel ${messages}?`,
      },
      command: {
        words: 'message cancel',
        examples: {
          [`message cancel ${example}`]: 'cancel this message; the refund policy of the account decides the refund',
          'message cancel --account acme --since 2027-01-31 --reason "wrong text"':
            'cancel the waiting messages of acme since this day, after a question',
          'message cancel --account acme --state scheduled --reason "wrong text" --yes':
            'cancel all scheduled messages of acme without a question, for a script',
        },
      },
    }),
    reroute: post('/messages/{id}/reroute', {
      repeat: 'same',
      summary: 'Move one waiting message to the current routes',
      input: { id },
      answer: messageFields,
    }),
    rerouteMany: bulk('/messages/reroute', {
      summary: 'Move all waiting messages that match a filter to the current routes',
      label: 'Reroute waiting messages',
      input: waiting,
      bulk: {
        row: 'waiting message',
        outcomes: ['moved', 'held by a carrier', 'without a route'],
        asks: (messages) => `Move ${messages} to the current routes?`,
      },
      command: {
        words: 'message reroute',
        examples: {
          'message reroute --carrier alpha --reason "alpha is down"':
            'move the messages that wait for alpha, after a question',
          'message reroute --route 41 --reason "route removed" --yes':
            'move the messages of the removed route for 41 without a question, for a script',
          [`message reroute ${example}`]: 'move one message',
        },
        notes: `A rerouted message keeps its price. All carriers of the new route may send it at once. A message stays on its route if a
carrier has, or may have, a part of the message, or if no route leads to the receiver.`,
      },
    }),
    inDoubt: page('/messages/in-doubt', {
      summary: 'List the parts in doubt: parts sent to a carrier that never answered, oldest first',
      role: 'support',
      input: { carrier: optional(described(carrierName, { summary: 'only parts that were sent to this carrier' })) },
      limit: 50,
      after: place(/^\d{1,16}\/\d{1,3}\/\d{1,15}$/),
      answer: inDoubtFields,
      columns: ['msgId', inDoubtPart, 'account', 'receiver', 'carrier', 'since', 'times', 'until'],
      command: {
        examples: { 'message in-doubt --carrier alpha': 'list the parts in doubt that were sent to alpha' },
        whenEmpty: 'there are no parts in doubt',
      },
    }),
    settle: post('/messages/{id}/settle', {
      repeat: 'same',
      summary: 'Settle the parts in doubt of a message: send them again, or set their state',
      input: {
        id,
        as: settlement,
        part: optional(
          wholeNumber({
            min: 1,
            max: partsMax,
            summary: 'settle only the part with this number',
            placeholder: '<number>',
          }),
        ),
      },
      answer: messageFields,
    }),
    settleMany: bulk('/messages/settle', {
      summary: 'Settle all parts in doubt that match a filter: send them again, or set their state',
      label: 'Settle many',
      input: {
        as: settlement,
        carrier: optional(described(carrierName, { summary: 'only parts that were sent to this carrier' })),
        account: ofAccount,
        all: optional(flag({ label: 'All of them', summary: 'all parts in doubt' }), false),
      },
      bulk: {
        row: 'part',
        outcomes: ['settled', 'changed meanwhile', 'too old to be sent again'],
        asks: (parts, { as }) => `Settle ${parts} in doubt as ${as}?`,
      },
      command: {
        words: 'message settle',
        examples: {
          [`message settle ${example} --as resend`]: 'send again, because the carrier does not have the message',
          [`message settle ${example} --as sent`]: 'wait for the delivery receipt, because the carrier has the message',
          'message settle --carrier alpha --as unknown --reason "alpha lost them"':
            'end all parts that are in doubt at alpha, after a question',
        },
      },
    }),
    find: page('/messages', {
      summary: 'Find messages, the newest first',
      label: 'Messages',
      role: 'support',
      input: {
        account: ofAccount,
        sender: fromSender,
        receiver: word({ summary: 'only messages to this number', placeholder: '<number>', ...phoneNumber }),
        clientRef: word({ label: 'Reference', summary: 'only messages with this reference of the client' }),
        tag: optional(described(tag, { summary: 'only messages with this tag (a fast search)' })),
        event: optional(
          described(fields.event, { summary: 'only messages with this current event, such as delivered' }),
        ),
        carrier: optional(
          described(carrierName, { summary: 'only messages with a part that was sent to this carrier' }),
        ),
        carrierMessageId: word({
          summary: 'only the message to which the carrier gave this message id (a fast search)',
          placeholder: '<id>',
        }),
        since,
        until,
      },
      limit: 50,
      after: place(/^[1-9]\d{0,15}$/, { placeholder: '<id>' }),
      answer: fields,
      columns: [
        ...(['msgId', 'acceptedAt', 'account', 'sender', 'receiver', 'numParts'] as const),
        { title: 'COST', of: (row) => `${formatMicros(row.totalCost)} ${row.currency}`, isNumber: true },
        'event',
        'eventAt',
        { title: 'ERROR', of: errorOf },
        ...echoNames,
      ],
      command: {
        examples: {
          'message find --receiver +41791112233': 'list the newest messages to this number',
          'message find --carrier-message-id 7fa3c0': 'find a message by the message id of the carrier',
          'message find --tag spring-sale': 'list the newest messages with this tag',
          'message find --account acme --event undelivered --since 2027-01-31':
            'list the undelivered messages of acme since this day',
        },
        whenEmpty: 'there are no matching messages',
        stopsEarly: true,
        notes: `A search reads the newest messages first. Without --since it stops after 500,000 messages. It then prints the time that
it reached, and the --after that continues the search. A search by the carrier's message id or by a tag is always fast.`,
      },
    }),
  },
});
