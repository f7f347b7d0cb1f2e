import { Type, type Static } from 'typebox';
import { examples } from './examples.ts';
import { Currency, DeliveryReport, money, time } from './shapes.ts';

/*
 * The notifications that webhooks get, with the usual names of their fields. The operator's template may rename the
 * fields.
 */

const test = Type.Optional(
  Type.Boolean({ description: 'true for a test notification. Acknowledge it, and do nothing else.' }),
);

const InboundMessage = Type.Object(
  {
    type: Type.Literal('inbound'),
    test,
    msgId: Type.String({ description: 'Id of the message. It stays the same if the message is delivered again.' }),
    sender: Type.String({ description: 'Number of the sender.' }),
    receiver: Type.String({ description: 'Your number, which the message was sent to.' }),
    text: Type.Optional(Type.String({ description: 'Text of the message. It is absent for `BIN`.' })),
    dcs: Type.Enum(['GSM', 'UCS', 'BIN'], {
      description: 'Encoding of the text; `BIN` for octets that are not text.',
    }),
    data: Type.Optional(Type.String({ description: 'For `BIN`: the octets of the message in hexadecimal.' })),
    udh: Type.Optional(
      Type.String({ description: 'For `BIN`: the user data header in hexadecimal, if the message has a header.' }),
    ),
    numParts: Type.Integer({ minimum: 1, description: 'Number of parts that were received.' }),
    receivedTime: time('When the first part was received.'),
    complete: Type.Boolean({ description: 'false if parts of a long message were never received.' }),
  },
  { description: 'An inbound message to a number or keyword of the client.' },
);
export type InboundMessage = Static<typeof InboundMessage>;

const { parts: _parts, ...reportFields } = DeliveryReport.properties;

const ReceiptNotification = Type.Object(
  {
    type: Type.Literal('receipt'),
    test,
    ...reportFields,
  },
  { description: 'The final event of a message. A correction of the event is sent as a second notification.' },
);
export type ReceiptNotification = Static<typeof ReceiptNotification>;

const AlertNotification = Type.Object(
  {
    type: Type.Literal('alert'),
    test,
    alert: Type.String({ description: '`low-balance`. Later versions may add other alerts.' }),
    threshold: money('The threshold below which the alert is sent.'),
    clientBalance: money('The balance of the account.'),
    clientCurrency: Currency,
    time: time('When the balance fell below the threshold.'),
  },
  { description: 'An alert that the balance of the account is low.' },
);
export type AlertNotification = Static<typeof AlertNotification>;

export interface Notification {
  readonly summary: string;
  readonly shape: typeof InboundMessage | typeof ReceiptNotification | typeof AlertNotification;
  readonly example: object;
}

/** Notifications by the value of their `type`. */
export const notifications: Readonly<Record<'inbound' | 'receipt' | 'alert', Notification>> = {
  inbound: {
    summary: 'An inbound message',
    shape: InboundMessage,
    example: {
      type: 'inbound',
      msgId: '1021568371490816',
      sender: '+41791230001',
      receiver: '+41791112233',
      text: 'Hello',
      dcs: 'GSM',
      numParts: 1,
      receivedTime: '2026-01-31T12:00:00Z',
      complete: true,
    },
  },
  receipt: {
    summary: 'A delivery receipt',
    shape: ReceiptNotification,
    example: { type: 'receipt', ...examples.dlr[0].response },
  },
  alert: {
    summary: 'A low balance',
    shape: AlertNotification,
    example: {
      type: 'alert',
      alert: 'low-balance',
      threshold: 10,
      clientBalance: 9.9925,
      clientCurrency: 'EUR',
      time: '2026-01-31T12:00:00Z',
    },
  },
};

/** The headers of every request to a webhook (Standard Webhooks). */
export const notificationHeaders = [
  {
    name: 'webhook-id',
    description: 'The unique id of this notification. It stays the same in every delivery attempt.',
  },
  { name: 'webhook-timestamp', description: 'The time of this delivery attempt, in seconds since 1970-01-01 UTC.' },
  {
    name: 'webhook-signature',
    description:
      'One or more signatures, separated by spaces. A signature is `v1,` and the base64 of the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` under a secret of the webhook. For GET, the query string replaces the body.',
  },
] as const;
