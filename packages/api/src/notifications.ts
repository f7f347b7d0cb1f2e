import { Type } from 'typebox';
import { Currency, deliveryEvents, DeliveryReport, money, time } from './shapes.ts';

/* The notifications that webhooks get. A template of the operator may rename fields; these are our names. */

const test = Type.Optional(
  Type.Boolean({ description: 'true for a made-up event: acknowledge it and do nothing else.' }),
);

const InboundMessage = Type.Object(
  {
    type: Type.Literal('inbound'),
    test,
    msgId: Type.String({ description: 'The same however often the message is delivered.' }),
    sender: Type.String({ description: 'Number of its sender.' }),
    receiver: Type.String({ description: 'Your number that it was sent to.' }),
    text: Type.Optional(Type.String({ description: 'Absent for `BIN`.' })),
    dcs: Type.Enum(['GSM', 'UCS', 'BIN'], {
      description: 'How the text was encoded; `BIN` for octets that are no text.',
    }),
    data: Type.Optional(Type.String({ description: 'For `BIN`: the octets in hex.' })),
    udh: Type.Optional(Type.String({ description: 'For `BIN`: the user data header in hex, if there is one.' })),
    numParts: Type.Integer({ minimum: 1, description: 'Parts that came.' }),
    receivedTime: time('When the first part came.'),
    complete: Type.Boolean({ description: 'false if parts of a long message never came.' }),
  },
  { description: 'An inbound message to a number or keyword of the client.' },
);

const { msgId, numParts, sendTime, dlrTime, errorCode, clientRef } = DeliveryReport.properties;

const ReceiptNotification = Type.Object(
  {
    type: Type.Literal('receipt'),
    test,
    msgId,
    event: Type.Enum(deliveryEvents),
    numParts,
    sendTime,
    dlrTime,
    errorCode,
    clientRef,
  },
  { description: 'What became of a message, once it is final, and once more if that is corrected.' },
);

const AlertNotification = Type.Object(
  {
    type: Type.Literal('alert'),
    test,
    alert: Type.String({ description: '`low-balance`. More may come.' }),
    threshold: money('The balance below which the alert is sent.'),
    clientBalance: money('The balance.'),
    clientCurrency: Currency,
    time: time('When it passed the threshold.'),
  },
  { description: 'The balance of the account is low.' },
);

export interface Notification {
  readonly summary: string;
  readonly shape: typeof InboundMessage | typeof ReceiptNotification | typeof AlertNotification;
  readonly example: object;
}

/** By their `type`. */
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
    example: {
      type: 'receipt',
      msgId: '1021343289970688',
      event: 'delivered',
      numParts: 1,
      sendTime: '2026-01-31T12:00:00Z',
      dlrTime: '2026-01-31T12:00:02Z',
    },
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

/** Headers of every such request (Standard Webhooks). */
export const notificationHeaders = [
  { name: 'webhook-id', description: 'Names this notification: the same at every try, and of no other.' },
  { name: 'webhook-timestamp', description: 'When this try was made, in seconds since 1970.' },
  {
    name: 'webhook-signature',
    description:
      'One or more of `v1,` and base64 with a space between them: HMAC-SHA256 of `webhook-id.webhook-timestamp.body` under a secret of the webhook. For GET the query string stands in place of the body.',
  },
] as const;
