import type { JsonSchema } from './fields/field.ts';
import { text } from './fields/fields.ts';
import { examples } from './examples.ts';
import type { ShapeName } from './shapes.ts';
import type { NotificationKind } from './values/notification.ts';

/*
 * The notifications that webhooks get, with the usual names of their fields. The operator's template may rename the
 * fields.
 */

export interface Notification {
  readonly summary: string;
  readonly shape: ShapeName;
  readonly example: JsonSchema;
}

/** Notifications by the value of their `type`. */
export const notifications: Readonly<Record<NotificationKind, Notification>> = {
  inbound: {
    summary: 'An inbound message',
    shape: 'InboundMessage',
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
    shape: 'ReceiptNotification',
    example: { type: 'receipt', ...examples.dlr[0].response },
  },
  alert: {
    summary: 'A low balance',
    shape: 'AlertNotification',
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
export const notificationHeaders = {
  'webhook-id': text({
    summary: 'The unique id of this notification. It stays the same in every delivery attempt',
  }),
  'webhook-timestamp': text({ summary: 'The time of this delivery attempt, in seconds since 1970-01-01 UTC' }),
  'webhook-signature': text({
    summary:
      'One or more signatures, separated by spaces. A signature is `v1,` and the base64 of the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` under a secret of the webhook. For GET, the query string replaces the body',
  }),
};
