import { doubtSettlements, priorities, validitySeconds } from '../../values/message.ts';
import { formatMicros } from '../../values/money.ts';
import { accountName } from '../account/settings.ts';
import { actor, described, list, optional, orNone, pick, record } from '../compose.ts';
import type { About, Values } from '../field.ts';
import { amount, count, flag, instant, oneOf, place, prefix, rowId, sentence, text, wholeNumber } from '../fields.ts';
import {
  carrierName,
  errorOf,
  messageExample as example,
  messageFields,
  personal,
  summaryFields as fields,
} from './message-fields.ts';
import { get, page, post, resource } from '../resource.ts';

/* Messages to phones: sending, finding, and the operator's actions on messages that wait or are in doubt. */

/** Parts of a message (3GPP TS 23.040, 9.2.3.24.1). */
const partsMax = 255;
/** Also the limit of a message_id (SMPP 3.4, section 5.2.23). */
const wordMax = 64;

/** An impossible id is reported as unknown, like any other id that is not found. */
const id = text({ summary: 'its msgId', placeholder: '<id>', example });

/** The fields of a message, for sending and for a quote. */
const draft = {
  account: described(accountName, { summary: 'account that pays' }),
  sender: described(fields.sender, {
    summary: 'a number, a short code, or up to 11 characters',
    placeholder: '<sender>',
  }),
  receiver: described(fields.receiver, { summary: 'number in international form', placeholder: '<number>' }),
  text: text({ summary: 'text of the message', ...personal, example: 'Hello' }),
  dcs: optional(text({ summary: 'GSM, UCS, or SMS for whichever fits', placeholder: '<dcs>', example: 'SMS' }), 'SMS'),
  clientRef: optional(text({ summary: 'a reference to find it by', example: 'order-7' })),
  validity: optional(
    wholeNumber({
      min: validitySeconds.min,
      max: validitySeconds.max,
      summary: `how long it is tried, ${validitySeconds.min} to ${validitySeconds.max}`,
      unit: 'seconds',
      placeholder: '<seconds>',
      defaultText: String(validitySeconds.standard),
    }),
  ),
  priority: optional(
    oneOf(priorities, {
      summary: 'high goes before normal traffic, for one-time codes',
      placeholder: '<priority>',
      defaultText: priorities[0],
    }),
  ),
  sendAt: optional(
    text({
      summary: 'when it is sent, at most 30 days ahead, such as 2027-01-31T12:00:00Z',
      placeholder: '<time>',
      defaultText: 'now',
      example: '2027-01-31T12:00:00Z',
    }),
  ),
  flash: optional(flag({ summary: 'shown at once and not kept by the phone' }), false),
  idempotencyKey: optional(
    text({
      summary: 'an idempotency key: under it a message is sent once, however often it is tried',
      option: 'key',
      placeholder: '<key>',
      example: 'invoice-1203',
    }),
  ),
};

const accepted = {
  ...pick(fields, 'msgId', 'numParts', 'totalCost'),
  clientBalance: amount({ summary: 'balance right after it' }),
  clientCurrency: fields.currency,
  isReplayed: optional(flag({ summary: 'true where it was accepted before, under the same key' })),
};

const outsideFields = {
  character: text({ summary: 'a character', example: 'ł' }),
  position: count({ summary: 'its place in the text' }),
};

const quoteFields = {
  numParts: fields.numParts,
  encoding: described(fields.encoding, { summary: 'GSM or UCS', example: 'GSM' }),
  ucsCount: count({ summary: 'characters that GSM does not have' }),
  ucsCharacters: list(record(outsideFields, { summary: 'a character' }), { summary: 'the first of them' }),
  unitPrice: amount({ summary: 'price of a part' }),
  totalCost: fields.totalCost,
  clientBalance: amount({ summary: 'balance now' }),
  balanceAfter: amount({ summary: 'balance after it' }),
  isCovered: flag({ summary: 'whether the balance suffices' }),
  isReplay: flag({ summary: 'whether it was accepted before, under the same key: nothing more is charged' }),
  clientCurrency: fields.currency,
  routePrefix: text({ summary: 'prefix of its route', example: '41' }),
  routeSender: optional(orNone(text({ summary: 'sender that the route is for; null for all' }))),
  routeEncoding: optional(orNone(text({ summary: 'encoding that the route is for; null for all' }))),
  carriers: optional(list(carrierName, { summary: 'carriers of the route' })),
  priceList: optional(orNone(described(messageFields.priceList, { summary: 'price list that rates it' }))),
  priceVersion: optional(messageFields.priceVersion),
  pricePrefix: optional(orNone(text({ summary: 'prefix of the price', example: '41' }))),
};

const inDoubtFields = {
  msgId: fields.msgId,
  part: count({ summary: 'the part' }),
  numParts: fields.numParts,
  account: fields.account,
  receiver: fields.receiver,
  carrier: described(carrierName, { summary: 'carrier that has it, or has not' }),
  since: instant({ summary: 'since when it is in doubt' }),
  times: count({ summary: 'how often it was in doubt' }),
  until: orNone(instant({ summary: 'when it is sent again, or given up' })),
};

const ofAccount = optional(described(accountName, { summary: 'only of this account' }));
const word = (about: About) => optional(sentence({ max: wordMax, ...about }));
const fromSender = word({ summary: 'only from this sender', placeholder: '<sender>', ...personal });
const since = optional(instant({ summary: 'accepted then or later: 2027-01-31 or 2027-01-31T12:00:00Z' }));
const until = optional(instant({ summary: 'accepted before then' }));

/** The filter of waiting messages; one of these, or `all`. */
const waiting = {
  account: ofAccount,
  route: optional(prefix({ summary: 'on the route of this prefix, removed or not; "" for every number' })),
  carrier: optional(described(carrierName, { summary: 'on routes that this carrier is in' })),
  prefix: optional(
    prefix({ summary: 'to numbers that begin so, country code first', placeholder: '<digits>', ...personal }),
  ),
  sender: fromSender,
  since,
  until: optional(described(until, { defaultText: 'now' })),
  all: optional(flag({ summary: 'all messages that wait' }), false),
  dryRun: optional(flag({ summary: 'count them and change nothing, also with --yes' }), false),
  after: optional(place(/^[qs]\//, { typed: [] })),
};

/** One step of a change of many messages. */
const step = {
  messages: count({ summary: 'messages that it found' }),
  parts: count({ summary: 'parts of theirs that wait' }),
  next: orNone(text({ summary: '`after` of the next step; null after the last' })),
  until: instant({ summary: '`until` of all further steps' }),
};

const refund = {
  currency: fields.currency,
  amount: amount({ summary: 'how much' }),
};

const inDoubtPart = {
  title: 'PART',
  of: (row: Values<typeof inDoubtFields>) => `${row.part}/${row.numParts}`,
};

export const message = resource('message', {
  summary: 'Messages to phones: what became of them',
  operations: {
    send: post('/messages', {
      summary: 'Send a message for an account, which pays for it',
      input: { ...draft, actor },
      answer: accepted,
      command: {
        words: 'send',
        examples: [
          ['send --account acme --sender Shop --receiver +41791112233 --text "Hello"', 'one message'],
          ['send --account acme --sender Shop --receiver +41791112233 --text "Hello" --wait', 'and what became of it'],
          [
            'send --account acme --sender Shop --receiver +41791112233 --text "Hello" --send-at 2027-01-31T12:00:00+01:00',
            'one that is sent at noon',
          ],
        ],
      },
    }),
    quote: post('/messages/quote', {
      summary: 'Show what a message would cost an account, and why; nothing is sent or charged',
      input: draft,
      answer: quoteFields,
      command: {
        words: 'quote',
        examples: [
          [
            'quote --account acme --sender Shop --receiver +41791112233 --text "Hello"',
            'parts, price, route and balance',
          ],
        ],
      },
    }),
    show: get('/messages/{id}', {
      summary: 'Show the time line of one message, with its text',
      input: { id },
      answer: messageFields,
      command: { examples: [[`message show ${example}`, 'all that happened to it']] },
    }),
    cancel: post('/messages/{id}/cancel', {
      summary: 'Cancel what was not sent yet of one message',
      input: { id },
      answer: messageFields,
    }),
    cancelMany: post('/messages/cancel', {
      summary: 'Cancel what was not sent yet of one message, or of all that a filter finds',
      input: {
        ...waiting,
        state: optional(
          oneOf(['queued', 'scheduled'], {
            summary: 'that wait for a carrier, or for their time',
            placeholder: '<state>',
          }),
        ),
      },
      answer: {
        ...step,
        canceled: count({ summary: 'messages that it canceled' }),
        refunds: list(record(refund, { summary: 'a refund' }), { summary: 'refunds, by currency' }),
      },
      command: {
        words: 'message cancel',
        examples: [
          [`message cancel ${example}`, 'it is not sent, and refunded by its account’s policy'],
          [
            'message cancel --account acme --since 2027-01-31',
            'how many messages of acme wait since that day; it asks first',
          ],
          ['message cancel --account acme --state scheduled --yes', 'for a script: cancel all that acme has planned'],
        ],
      },
    }),
    reroute: post('/messages/reroute', {
      summary: 'Send what waits by the current routes: one message, or all that a filter finds',
      input: { id: optional(rowId({ summary: 'msgId of one message', example })), ...waiting },
      answer: {
        ...step,
        moved: count({ summary: 'messages that go by another route now' }),
        held: count({ summary: 'messages that stay, because a carrier has a part of them, or may have' }),
        withoutRoute: count({ summary: 'messages that stay, because no route leads to their receivers' }),
      },
      command: {
        arguments: ['id'],
        examples: [
          ['message reroute --carrier alpha', 'messages that wait for alpha, by the current routes; it asks first'],
          ['message reroute --route 41 --yes', 'for a script: what waited on the route for 41 that was removed'],
          [`message reroute ${example}`, 'one message'],
        ],
        notes: `A message keeps its price. The carriers of its route try it at once, also those that could not take it before. A message stays
where it is while a carrier has a part of it, or may have one, and where no route leads to its receiver.`,
      },
    }),
    inDoubt: page('/messages/in-doubt', {
      summary: 'List the parts that were given to a carrier and whose answer never came, the oldest first',
      input: { carrier: optional(described(carrierName, { summary: 'only of this carrier' })) },
      limit: 50,
      after: place(/^\d{1,16}\/\d{1,3}$/),
      answer: inDoubtFields,
      columns: ['msgId', inDoubtPart, 'account', 'receiver', 'carrier', 'since', 'times', 'until'],
      command: {
        examples: [['message in-doubt --carrier alpha', 'parts in doubt of one carrier']],
        whenEmpty: 'nothing is in doubt',
      },
    }),
    settle: post('/messages/{id}/settle', {
      summary: 'Say what becomes of the parts of a message that are in doubt',
      input: {
        id,
        as: oneOf(doubtSettlements, { summary: 'new state' }),
        part: optional(wholeNumber({ min: 1, max: partsMax, summary: 'only this part', placeholder: '<number>' })),
      },
      answer: messageFields,
      command: {
        examples: [
          [`message settle ${example} --as resend`, 'the carrier says it has nothing: send it now'],
          [`message settle ${example} --as sent`, 'the carrier has it: wait for its receipt'],
          [`message settle ${example} --as unknown`, 'nobody will ever know: that is its end'],
        ],
      },
    }),
    find: page('/messages', {
      summary: 'Find messages, the newest first',
      input: {
        account: ofAccount,
        sender: fromSender,
        receiver: word({ summary: 'only to this number', placeholder: '<number>', ...personal }),
        clientRef: word({ summary: 'only with this reference of the client' }),
        event: optional(described(fields.event, { summary: 'only with this event now, such as delivered' })),
        carrier: optional(described(carrierName, { summary: 'only with a part that this carrier was given' })),
        carrierMessageId: word({
          summary: 'only with a part that has this id at its carrier (found at once)',
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
        'clientRef',
      ],
      command: {
        examples: [
          ['message find --receiver +41791112233', 'the newest messages to a number'],
          ['message find --carrier-message-id 7fa3c0', 'the message that a carrier asks about'],
          ['message find --account acme --event undelivered --since 2027-01-31', 'undelivered ones since that day'],
        ],
        whenEmpty: 'there are no such messages',
        notes: `A search reads messages from the newest back. Without --since it stops after 500,000 messages, and says up to which
time it looked and with which --after it goes on. A carrier's message id is found at once, however old it is.`,
      },
    }),
  },
});
