import { Type, type Static, type TSchema } from 'typebox';
import { tagPattern, tagsMax, type Echo } from './values/message.ts';
import { problems } from './problems.ts';

/** The JSON schemas of the public HTTP API. Types are derived from the schemas, and the OpenAPI document contains them. */

const number = (description: string) => Type.Union([Type.String(), Type.Integer({ minimum: 0 })], { description });

export const time = (description: string) =>
  Type.String({ format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', description });

const messageId = Type.String({
  pattern: '^[1-9][0-9]{0,15}$',
  description: 'Id of the message, which has only digits.',
});

export const money = (description: string) =>
  Type.Number({ description: `${description} The number has at most 6 decimals and is exact.` });

export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code of the currency.' });

const numParts = Type.Integer({ minimum: 1, maximum: 255, description: 'Number of parts of the message.' });

const auth = Type.Optional(
  Type.String({ description: 'The client token. It is required unless the header is `Authorization: Bearer TOKEN`.' }),
);

export const dcsValues = ['GSM', 'UCS', 'SMS'] as const;

const priorityValues = ['normal', 'high'] as const;

const tagList = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String({ pattern: tagPattern.source }), {
    maxItems: tagsMax,
    uniqueItems: true,
    description: 'Words of the client, by which the operator finds the message, and which delivery reports repeat.',
  }),
);

/** The members that a client gives with a message, and that its reports repeat (`values/message.ts`). */
const echo = {
  clientRef: Type.Optional(
    Type.String({ maxLength: 64, description: 'A reference of the client, which delivery reports repeat.' }),
  ),
  tags: Type.Optional(tagList),
} as const satisfies Record<keyof Echo, TSchema>;

export const SendRequest = Type.Object({
  auth,
  sender: number('An international number, a short code of 3 to 8 digits, or up to 11 characters with a letter.'),
  receiver: number('An international number, with a leading `+` or `00`, or only its digits.'),
  text: Type.String({ minLength: 1, description: 'The text of the message, in UTF-8.' }),
  dcs: Type.Enum(dcsValues, {
    description:
      'Encoding of the text. GSM: GSM 7-bit default alphabet with its extension table. UCS: UTF-16. SMS: GSM if every character fits, else UCS. Upper and lower case are the same.',
  }),
  ...echo,
  tags: Type.Optional(
    Type.Union([tagList, Type.String({ description: 'The words, with commas between them.' })], {
      description: `At most ${tagsMax} different words, which delivery reports repeat.`,
    }),
  ),
  validity: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 259_200,
      default: 172_800,
      description:
        'Seconds for which the service tries to deliver the message, counted from `sendAt` or else from acceptance.',
    }),
  ),
  sendAt: Type.Optional(
    Type.String({
      format: 'date-time',
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?(Z|[+-]\\d\\d:\\d\\d)$',
      description:
        'When to send the message, at most 30 days ahead. A time up to 5 minutes in the past means now. The message is charged when it is accepted.',
    }),
  ),
  flash: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the phone shows the message at once without storing it (class 0). 1 and 0 are also accepted.',
    }),
  ),
  storeText: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether the service keeps the text after the carriers have answered. With false, the text is deleted as soon as no carrier needs it any more, for example of a one-time code. 1 and 0 are also accepted.',
    }),
  ),
  priority: Type.Optional(
    Type.Enum(priorityValues, {
      default: 'normal',
      description:
        'Priority of the message. If messages must wait, high is sent before normal, for example for one-time codes.',
    }),
  ),
  idempotencyKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      description:
        'A unique key that the client chooses for this message. The header `Idempotency-Key` is an alternative. A repeated request with the same key gets the first success again. A different request with the same key is refused. Refusals are not stored.',
    }),
  ),
});
export type SendRequest = Static<typeof SendRequest>;

export const SendResult = Type.Object({
  msgId: messageId,
  numParts,
  totalCost: money('Cost of all parts of the message.'),
  clientBalance: money('Balance of the account after this cost was deducted.'),
  clientCurrency: Currency,
});
export type SendResult = Static<typeof SendResult>;

export const Quote = Type.Object({
  numParts,
  encoding: Type.Enum(['GSM', 'UCS'], { description: 'Encoding in which the text would be sent.' }),
  ucsCount: Type.Integer({
    minimum: 0,
    description: 'Number of characters in the text that the GSM alphabet does not have.',
  }),
  ucsCharacters: Type.Array(
    Type.Object({
      character: Type.String(),
      position: Type.Integer({
        minimum: 0,
        description: 'Position of the character in the text, in code points from 0.',
      }),
    }),
    {
      maxItems: 20,
      description:
        'First characters that the GSM alphabet does not have. Without such characters, the text may need fewer parts.',
    },
  ),
  unitPrice: money('Price of one part.'),
  totalCost: money('Cost of all parts of the message.'),
  clientBalance: money('The present balance of the account.'),
  balanceAfter: money('The balance that the account would have after the cost is deducted.'),
  isCovered: Type.Boolean({
    description: 'Whether the balance and the credit limit cover the cost. If not, send answers insufficient_balance.',
  }),
  isReplay: Type.Boolean({
    description:
      'Whether an earlier send with the same idempotency key accepted this message. If so, send answers the earlier message again and charges nothing. The quote then has the earlier price and route, and `balanceAfter` is the present balance.',
  }),
  clientCurrency: Currency,
  routePrefix: Type.String({
    pattern: '^[0-9]{0,15}$',
    description: 'First digits of the numbers that use the same route; empty for all numbers.',
  }),
});
export type Quote = Static<typeof Quote>;

export const deliveryEvents = [
  'scheduled',
  'queued',
  'sent',
  'buffered',
  'delivered',
  'undelivered',
  'rejected',
  'expired',
  'unknown',
  'canceled',
] as const;

const event = Type.Enum(deliveryEvents, {
  description:
    'The events scheduled, queued, sent and buffered may still change. The events delivered, undelivered, rejected, expired, unknown and canceled are final.',
});

const errorCode = Type.Optional(
  Type.String({
    description:
      "The carrier's error code. `no_route`: no carrier accepts a scheduled message that is due. `receiver_opted_out`: the " +
      'message was canceled because its receiver opted out while the message waited.',
  }),
);

export const DeliveryRequest = Type.Object({
  auth,
  messageId: Type.String({ description: 'The `msgId` from the answer of send. The field may also be named `msgId`.' }),
  details: Type.Optional(Type.Enum(['0', '1'], { description: '1 adds `parts` to the answer.' })),
});
export type DeliveryRequest = Static<typeof DeliveryRequest>;

export const CancelRequest = Type.Object({
  auth,
  messageId: Type.String({ description: 'The `msgId` from the answer of send. The field may also be named `msgId`.' }),
});
export type CancelRequest = Static<typeof CancelRequest>;

export const DeliveryReport = Type.Object({
  msgId: messageId,
  event,
  numParts,
  sendTime: time('When the message was accepted, or the sending time of a scheduled message.'),
  dlrTime: time('When `event` was recorded.'),
  errorCode,
  ...echo,
  parts: Type.Optional(
    Type.Array(
      Type.Object({
        part: Type.Integer({ minimum: 1, maximum: 255, description: 'Number of the part, from 1.' }),
        event,
        dlrTime: time('When the event of this part was recorded.'),
        errorCode,
      }),
      { description: 'One entry for each part, if the request has `details=1`.' },
    ),
  ),
});
export type DeliveryReport = Static<typeof DeliveryReport>;
export type DeliveryEvent = DeliveryReport['event'];

export const BalanceRequest = Type.Object({ auth });
export type BalanceRequest = Static<typeof BalanceRequest>;

export const Balance = Type.Object({
  clientBalance: money('The present balance of the account.'),
  clientCurrency: Currency,
});
export type Balance = Static<typeof Balance>;

export const Status = Type.Object({ status: Type.Enum(['ok', 'ready']) });
export type Status = Static<typeof Status>;

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'An identifier of the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'A description of the error for people. The wording may change.' }),
    code: Type.String({
      description: `One of: ${Object.keys(problems).join(', ')}. Later versions may add codes. Each operation lists its codes by status.`,
    }),
    requestId: Type.String({ description: 'The id of the request, which is also in the header `X-Request-Id`.' }),
    field: Type.Optional(Type.String({ description: 'The name of the wrong field, if one field is wrong.' })),
    event: Type.Optional(Type.Enum(deliveryEvents, { description: 'too_late: the current event of the message.' })),
    rule: Type.Optional(
      Type.String({
        description:
          'sender_not_allowed, destination_blocked and rate_limited: the rule of the account that the message breaks. Later versions may add rules.',
      }),
    ),
    character: Type.Optional(Type.String({ description: 'text_not_encodable: the character that cannot be encoded.' })),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'text_not_encodable: the position of the character, in code points from 0.',
      }),
    ),
    numParts: Type.Optional(Type.Integer({ description: 'text_too_long: the number of parts that the text needs.' })),
    maxParts: Type.Optional(Type.Integer({ description: 'text_too_long: the number of parts that are allowed.' })),
    totalCost: Type.Optional(money('insufficient_balance and spend_cap_reached: the cost of the message.')),
    clientBalance: Type.Optional(money('insufficient_balance: the balance of the account.')),
    clientCurrency: Type.Optional(Currency),
    period: Type.Optional(
      Type.Enum(['day', 'month'], { description: 'spend_cap_reached: the period of the spend cap.' }),
    ),
    cap: Type.Optional(money('spend_cap_reached: the most that the account may spend in the period.')),
    spent: Type.Optional(money('spend_cap_reached: the amount already spent in the period.')),
    endsAt: Type.Optional(Type.String({ description: 'spend_cap_reached: when the period ends.' })),
  },
  { description: 'RFC 9457 problem details.' },
);
export type Problem = Static<typeof Problem>;
