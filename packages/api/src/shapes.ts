import { Type } from 'typebox';
import type { Static } from 'typebox';
import { problems } from './problems.ts';

/**
 * The JSON shapes of the public API. Types are derived from the schemas, and the OpenAPI document contains the schemas.
 */

const number = (description: string) => Type.Union([Type.String(), Type.Integer({ minimum: 0 })], { description });

export const time = (description: string) =>
  Type.String({ format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$', description });

const messageId = Type.String({
  pattern: '^[1-9][0-9]{0,15}$',
  description: 'Identifier of the message: digits only.',
});

export const money = (description: string) =>
  Type.Number({ description: `${description} At most 6 decimals, exact as printed.` });

/** Of every amount beside it. */
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code of the currency.' });

const numParts = Type.Integer({ minimum: 1, maximum: 255, description: 'Parts that the message was divided into.' });

const auth = Type.Optional(
  Type.String({ description: 'The client token. Required, unless it comes as `Authorization: Bearer`.' }),
);

export const dcsValues = ['GSM', 'UCS', 'SMS'] as const;

const priorityValues = ['normal', 'high'] as const;

export const SendRequest = Type.Object({
  auth,
  sender: number('An international number, a short code of 3 to 8 digits, or up to 11 characters with a letter.'),
  receiver: number('An international number: with a leading `+` or `00`, or its digits alone.'),
  text: Type.String({ minLength: 1, description: 'The text, in UTF-8.' }),
  dcs: Type.Enum(dcsValues, {
    description:
      'GSM: the GSM 7 bit default alphabet with its extension table. UCS: UTF-16. SMS: GSM if every character fits, else UCS. Case does not matter.',
  }),
  clientRef: Type.Optional(
    Type.String({ maxLength: 64, description: 'A word of the client, given back in delivery reports.' }),
  ),
  validity: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 259_200,
      default: 172_800,
      description: 'Seconds after which the message is no longer worth delivering, counted from its release.',
    }),
  ),
  sendAt: Type.Optional(
    Type.String({
      format: 'date-time',
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?(Z|[+-]\\d\\d:\\d\\d)$',
      description:
        'When the message is to be sent, at most 30 days ahead; a time up to 5 minutes past means now. It is charged when it is accepted.',
    }),
  ),
  flash: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Shown at once and not kept by the phone (class 0). 1 and 0 are taken, too.',
    }),
  ),
  priority: Type.Optional(
    Type.Enum(priorityValues, {
      default: 'normal',
      description: 'high goes before normal traffic where messages have to wait: for one-time codes and the like.',
    }),
  ),
  idempotencyKey: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[ -~]*$',
      description:
        'A word of the client for this one message, which may also come in the header `Idempotency-Key`. The same request again with it is answered with the first success again; another request with it is refused. Refusals are not remembered.',
    }),
  ),
});
export type SendRequest = Static<typeof SendRequest>;

export const SendResult = Type.Object({
  msgId: messageId,
  numParts,
  totalCost: money('Cost of all parts.'),
  clientBalance: money('Balance right after the cost was deducted.'),
  clientCurrency: Currency,
});
export type SendResult = Static<typeof SendResult>;

export const Quote = Type.Object({
  numParts,
  encoding: Type.Enum(['GSM', 'UCS'], { description: 'How the text would be sent: what a dcs of SMS becomes.' }),
  ucsCount: Type.Integer({ minimum: 0, description: 'Characters of the text that the GSM alphabet has not.' }),
  ucsCharacters: Type.Array(
    Type.Object({
      character: Type.String(),
      position: Type.Integer({ minimum: 0, description: 'In code points from 0.' }),
    }),
    {
      maxItems: 20,
      description: 'The first of them: without them all, the text needs no UCS and may need fewer parts.',
    },
  ),
  unitPrice: money('Price of a part.'),
  totalCost: money('Cost of all parts.'),
  clientBalance: money('The balance now.'),
  balanceAfter: money('The balance right after the cost was deducted; what it would be, if it is not covered.'),
  isCovered: Type.Boolean({
    description:
      'Whether the balance, with the credit of the account, suffices; otherwise send answers insufficient_balance.',
  }),
  isReplay: Type.Boolean({
    description:
      'Whether the idempotency key stands for this request already: send answers the message of then again and charges nothing. Price and route are those of then, and `balanceAfter` is the balance now.',
  }),
  clientCurrency: Currency,
  routePrefix: Type.String({
    pattern: '^[0-9]{0,15}$',
    description: 'How the numbers begin that go the same way; empty for all numbers.',
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
    'scheduled, queued, sent and buffered may still change; delivered, undelivered, rejected, expired, unknown and canceled are final.',
});

const errorCode = Type.Optional(
  Type.String({
    description:
      "The carrier's own word for why; `no_route` while no carrier takes a scheduled message that is due, `receiver_opted_out` " +
      'of one that was canceled because its receiver opted out while it waited.',
  }),
);

export const DeliveryRequest = Type.Object({
  auth,
  messageId: Type.String({ description: 'The `msgId` that send answered; `msgId` is taken as the name, too.' }),
  details: Type.Optional(Type.Enum(['0', '1'], { description: '1 asks for `parts`.' })),
});
export type DeliveryRequest = Static<typeof DeliveryRequest>;

export const CancelRequest = Type.Object({
  auth,
  messageId: Type.String({ description: 'The `msgId` that send answered; `msgId` is taken as the name, too.' }),
});
export type CancelRequest = Static<typeof CancelRequest>;

export const DeliveryReport = Type.Object({
  msgId: messageId,
  event,
  numParts,
  sendTime: time('When the message was accepted, or is to be sent if it was scheduled.'),
  dlrTime: time('When `event` was recorded.'),
  errorCode,
  clientRef: Type.Optional(Type.String({ description: 'As it was given to send.' })),
  parts: Type.Optional(
    Type.Array(
      Type.Object({
        part: Type.Integer({ minimum: 1, maximum: 255, description: 'Its place among the parts, from 1.' }),
        event,
        dlrTime: time('When the event of this part was recorded.'),
        errorCode,
      }),
      { description: 'One entry a part, with `details=1`.' },
    ),
  ),
});
export type DeliveryReport = Static<typeof DeliveryReport>;
export type DeliveryEvent = DeliveryReport['event'];

export const BalanceRequest = Type.Object({ auth });
export type BalanceRequest = Static<typeof BalanceRequest>;

export const Balance = Type.Object({ clientBalance: money('The balance now.'), clientCurrency: Currency });
export type Balance = Static<typeof Balance>;

export const Status = Type.Object({ status: Type.Enum(['ok', 'ready']) });
export type Status = Static<typeof Status>;

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A name for the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'A sentence for people; its words may change.' }),
    code: Type.String({
      description: `One of: ${Object.keys(problems).join(', ')}. More may come. Each operation says under each status which it answers.`,
    }),
    requestId: Type.String({ description: 'As in the header `X-Request-Id`.' }),
    field: Type.Optional(Type.String({ description: 'The field at fault, if it is one.' })),
    event: Type.Optional(Type.Enum(deliveryEvents, { description: 'too_late: the event of the message.' })),
    rule: Type.Optional(
      Type.String({
        description:
          'sender_not_allowed, destination_blocked and rate_limited: which rule of the account the message breaks. More may come.',
      }),
    ),
    character: Type.Optional(Type.String({ description: 'text_not_encodable: the character at fault.' })),
    position: Type.Optional(
      Type.Integer({ minimum: 0, description: 'text_not_encodable: where it stands, in code points from 0.' }),
    ),
    numParts: Type.Optional(Type.Integer({ description: 'text_too_long: the parts that the text needs.' })),
    maxParts: Type.Optional(Type.Integer({ description: 'text_too_long: the parts that are allowed.' })),
    totalCost: Type.Optional(money('insufficient_balance and spend_cap_reached: what the message costs.')),
    clientBalance: Type.Optional(money('insufficient_balance: the balance.')),
    clientCurrency: Type.Optional(Currency),
    period: Type.Optional(Type.Enum(['day', 'month'], { description: 'spend_cap_reached: what is full.' })),
    cap: Type.Optional(money('spend_cap_reached: what may be spent in it.')),
    spent: Type.Optional(money('spend_cap_reached: what is spent of that.')),
    endsAt: Type.Optional(Type.String({ description: 'spend_cap_reached: when it is over.' })),
  },
  { description: 'RFC 9457 problem details.' },
);
export type Problem = Static<typeof Problem>;
