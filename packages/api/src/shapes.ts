import { list, optional, record } from './fields/compose.ts';
import { describedSchema, objectSchema, type Field, type FieldTable, type JsonSchema } from './fields/field.ts';
import { amount, count, flag, instant, oneOf, text } from './fields/fields.ts';
import {
  callbackEvents,
  messageEvents,
  priorities,
  tagPattern,
  tagsMax,
  validitySeconds,
  type Echo,
} from './values/message.ts';
import { problems } from './problems.ts';
import { formatInstant } from './values/time.ts';

/*
 * The fields of the client API's requests, answers and notifications, under the names of their schemas in the OpenAPI
 * document.
 */

/** Fields of the client API have the schemas of its first version, which never change. */
function withSchema<F extends Field<unknown>>(field: F, schema: JsonSchema): F {
  return { ...field, schema };
}

const string = (summary: string, limits: JsonSchema = {}) =>
  withSchema(text({ summary }), { type: 'string', ...limits });

export const integer = (summary: string, limits: JsonSchema = {}) =>
  withSchema(count({ summary }), { type: 'integer', ...limits });

const word = <const T extends string>(words: readonly T[], summary: string) =>
  withSchema(oneOf(words, { summary }), { enum: words });

const yesNo = (summary: string) => flag({ summary });

/** A phone number, or a sender. */
const address = (summary: string) =>
  withSchema(text({ summary }), { anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }] });

const money = (summary: string) =>
  withSchema(amount({ summary }), {
    type: 'number',
    description: 'The number has at most 6 decimals and is exact.',
  });

const time = (summary: string) => ({
  ...instant({ summary }),
  schema: { type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' },
  json: formatInstant,
});

const rows = <T extends FieldTable>(table: T, summary: string, limits: JsonSchema = {}) =>
  withSchema(list(record(table, { summary }), { summary }), { type: 'array', items: objectSchema(table), ...limits });

const auth = optional(string('The client token. It is required unless the header is `Authorization: Bearer TOKEN`'));
const messageId = string('The `msgId` from the answer of send. The field may also be named `msgId`');
const msgId = string('Id of the message, which has only digits', { pattern: '^[1-9][0-9]{0,15}$' });
const numParts = integer('Number of parts of the message', { minimum: 1, maximum: 255 });
const clientCurrency = string('ISO 4217 code of the currency', { pattern: '^[A-Z]{3}$' });
const event = word(
  messageEvents,
  'The events scheduled, queued, sent and buffered may still change. The events delivered, undelivered, rejected, expired, unknown and canceled are final',
);
const errorCode = optional(
  string(
    "The carrier's error code. `no_route`: no carrier accepts a scheduled message that is due. `receiver_opted_out`: the " +
      'message was canceled because its receiver opted out while the message waited',
  ),
);

const tags = withSchema(
  list(string('A tag'), {
    summary: 'Words of the client, by which the operator finds the message, and which delivery reports repeat',
  }),
  {
    type: 'array',
    items: { type: 'string', pattern: tagPattern.source },
    maxItems: tagsMax,
    uniqueItems: true,
  },
);

/** The members that a client gives with a message, and that its reports repeat (`values/message.ts`). */
const echo = {
  clientRef: optional(string('A reference of the client, which delivery reports repeat', { maxLength: 64 })),
  tags: optional(tags),
} as const satisfies Record<keyof Echo, Field<unknown>>;

/** What delivery reports and receipts both have. */
const report = {
  msgId,
  event,
  numParts,
  sendTime: time('When the message was accepted, or the sending time of a scheduled message'),
  dlrTime: time('When `event` was recorded'),
  errorCode,
  ...echo,
};

const test = optional(yesNo('true for a test notification. Acknowledge it, and do nothing else'));

const kind = <const K extends string>(type: K) =>
  withSchema(oneOf([type], { summary: 'Kind of the notification' }), { type: 'string', const: type });

export const shapes = {
  SendRequest: {
    auth,
    sender: address('An international number, a short code of 3 to 8 digits, or up to 11 characters with a letter'),
    receiver: address('An international number, with a leading `+` or `00`, or only its digits'),
    text: string('The text of the message, in UTF-8', { minLength: 1 }),
    dcs: word(
      ['GSM', 'UCS', 'SMS'],
      'Encoding of the text. GSM: GSM 7-bit default alphabet with its extension table. UCS: UTF-16. SMS: GSM if every character fits, else UCS. Upper and lower case are the same',
    ),
    ...echo,
    tags: optional(
      withSchema(
        list(string('A tag'), { summary: `At most ${tagsMax} different words, which delivery reports repeat` }),
        {
          anyOf: [describedSchema(tags), describedSchema(string('The words, with commas between them'))],
        },
      ),
    ),
    validity: optional(
      integer(
        'Seconds for which the service tries to deliver the message, counted from `sendAt` or else from acceptance',
        { minimum: validitySeconds.min, maximum: validitySeconds.max },
      ),
      validitySeconds.standard,
    ),
    sendAt: optional(
      string(
        'When to send the message, at most 30 days ahead. A time up to 5 minutes in the past means now. The message is charged when it is accepted',
        {
          format: 'date-time',
          pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?(Z|[+-]\\d\\d:\\d\\d)$',
        },
      ),
    ),
    flash: optional(
      yesNo('Whether the phone shows the message at once without storing it (class 0). 1 and 0 are also accepted'),
      false,
    ),
    storeText: optional(
      yesNo(
        'Whether the service keeps the text after the carriers have answered. With false, the text is deleted as soon as no carrier needs it any more, for example of a one-time code. 1 and 0 are also accepted',
      ),
      true,
    ),
    priority: optional(
      word(
        priorities,
        'Priority of the message. If messages must wait, high is sent before normal, for example for one-time codes',
      ),
      'normal',
    ),
    callbackUrl: optional(
      string(
        'URL that gets the receipts of this message as signed JSON, in place of webhooks and sessions. The account needs a callback secret, which the operator makes',
        { maxLength: 4_000 },
      ),
    ),
    callbackEvents: optional(
      withSchema(
        list(string('An event'), {
          summary: `Events that \`callbackUrl\` gets: a list of ${callbackEvents.join(', ')}. Default: the final events`,
        }),
        {
          anyOf: [
            { type: 'array', items: { enum: callbackEvents }, uniqueItems: true },
            describedSchema(string('The words, with commas between them')),
          ],
        },
      ),
    ),
    idempotencyKey: optional(
      string(
        'A unique key that the client chooses for this message. The header `Idempotency-Key` is an alternative. A repeated request with the same key gets the first success again. A different request with the same key is refused. Refusals are not stored',
        { minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
      ),
    ),
  },
  SendResult: {
    msgId,
    numParts,
    totalCost: money('Cost of all parts of the message'),
    clientBalance: money('Balance of the account after this cost was deducted'),
    clientCurrency,
  },
  DeliveryRequest: {
    auth,
    messageId,
    details: optional(word(['0', '1'], '1 adds `parts` to the answer')),
  },
  CancelRequest: { auth, messageId },
  Quote: {
    numParts,
    encoding: word(['GSM', 'UCS'], 'Encoding in which the text would be sent'),
    ucsCount: integer('Number of characters in the text that the GSM alphabet does not have', { minimum: 0 }),
    ucsCharacters: rows(
      {
        character: string('The character'),
        position: integer('Position of the character in the text, in code points from 0', { minimum: 0 }),
      },
      'First characters that the GSM alphabet does not have. Without such characters, the text may need fewer parts',
      { maxItems: 20 },
    ),
    unitPrice: money('Price of one part'),
    totalCost: money('Cost of all parts of the message'),
    clientBalance: money('The present balance of the account'),
    balanceAfter: money('The balance that the account would have after the cost is deducted'),
    isCovered: yesNo(
      'Whether the balance and the credit limit cover the cost. If not, send answers insufficient_balance',
    ),
    isReplay: yesNo(
      'Whether an earlier send with the same idempotency key accepted this message. If so, send answers the earlier message again and charges nothing. The quote then has the earlier price and route, and `balanceAfter` is the present balance',
    ),
    clientCurrency,
    routePrefix: string('First digits of the numbers that use the same route; empty for all numbers', {
      pattern: '^[0-9]{0,15}$',
    }),
  },
  DeliveryReport: {
    ...report,
    parts: optional(
      rows(
        {
          part: integer('Number of the part, from 1', { minimum: 1, maximum: 255 }),
          event,
          dlrTime: time('When the event of this part was recorded'),
          errorCode,
        },
        'One entry for each part, if the request has `details=1`',
      ),
    ),
  },
  BalanceRequest: { auth },
  Balance: { clientBalance: money('The present balance of the account'), clientCurrency },
  Status: { status: word(['ok', 'ready'], 'ok while the process is running; ready while messages are accepted') },
  Problem: {
    type: string('An identifier of the kind of problem', { format: 'uri' }),
    title: string('The kind of problem in words'),
    status: integer('The HTTP status'),
    detail: string('A description of the error for people. The wording may change'),
    code: string(
      `One of: ${Object.keys(problems).join(', ')}. Later versions may add codes. Each operation lists its codes by status`,
    ),
    requestId: string('The id of the request, which is also in the header `X-Request-Id`'),
    field: optional(string('The name of the wrong field, if one field is wrong')),
    event: optional(word(messageEvents, 'too_late: the current event of the message')),
    rule: optional(
      string(
        'sender_not_allowed, destination_blocked and rate_limited: the rule of the account that the message breaks. Later versions may add rules',
      ),
    ),
    character: optional(string('text_not_encodable: the character that cannot be encoded')),
    position: optional(
      integer('text_not_encodable: the position of the character, in code points from 0', { minimum: 0 }),
    ),
    numParts: optional(integer('text_too_long: the number of parts that the text needs')),
    maxParts: optional(integer('text_too_long: the number of parts that are allowed')),
    totalCost: optional(money('insufficient_balance and spend_cap_reached: the cost of the message')),
    clientBalance: optional(money('insufficient_balance: the balance of the account')),
    clientCurrency: optional(clientCurrency),
    period: optional(word(['day', 'month'], 'spend_cap_reached: the period of the spend cap')),
    cap: optional(money('spend_cap_reached: the most that the account may spend in the period')),
    spent: optional(money('spend_cap_reached: the amount already spent in the period')),
    endsAt: optional(string('spend_cap_reached: when the period ends')),
  },
  InboundMessage: {
    type: kind('inbound'),
    test,
    msgId: string('Id of the message. It stays the same if the message is delivered again'),
    sender: string('Number of the sender'),
    receiver: string('Your number, which the message was sent to'),
    text: optional(string('Text of the message. It is absent for `BIN`')),
    dcs: word(['GSM', 'UCS', 'BIN'], 'Encoding of the text; `BIN` for octets that are not text'),
    data: optional(string('For `BIN`: the octets of the message in hexadecimal')),
    udh: optional(string('For `BIN`: the user data header in hexadecimal, if the message has a header')),
    numParts: integer('Number of parts that were received', { minimum: 1 }),
    receivedTime: time('When the first part was received'),
    complete: yesNo('false if parts of a long message were never received'),
  },
  ReceiptNotification: { type: kind('receipt'), test, ...report },
  AlertNotification: {
    type: kind('alert'),
    test,
    alert: string('`low-balance`. Later versions may add other alerts'),
    threshold: money('The threshold below which the alert is sent'),
    clientBalance: money('The balance of the account'),
    clientCurrency,
    time: time('When the balance fell below the threshold'),
  },
} as const satisfies Record<string, FieldTable>;

export type ShapeName = keyof typeof shapes;

const { InboundMessage, ReceiptNotification, AlertNotification } = shapes;
const fieldsOfNotifications = { ...InboundMessage, ...ReceiptNotification, ...AlertNotification };
export type FieldName = keyof typeof fieldsOfNotifications;
/** The fields of all notifications, in the order in which they are sent. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are all its members
export const fieldNames = Object.keys(fieldsOfNotifications) as readonly FieldName[];

export const descriptions = {
  Problem: 'RFC 9457 problem details.',
  InboundMessage: 'An inbound message to a number or keyword of the client.',
  ReceiptNotification:
    'The final event of a message; a callback may also get the events sent and buffered. A correction of the event is sent as a second notification.',
  AlertNotification: 'An alert that the balance of the account is low.',
} as const satisfies { readonly [S in ShapeName]?: string };
