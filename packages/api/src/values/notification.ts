/* Closed lists of words about notifications and webhooks, which the gateway and its operator's contract share. */

/** Kinds of notifications: an inbound message, a receipt, an alert. */
export const notificationKinds = ['inbound', 'receipt', 'alert'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/**
 * `waiting`: tried until it is acknowledged. `dead`: not tried any more, unless an operator replays it. `withdrawn`:
 * never tried again, because another notification delivers its message, or another account has the message now.
 */
export const notificationStates = ['waiting', 'delivered', 'dead', 'withdrawn'] as const;
export type NotificationState = (typeof notificationStates)[number];

/** The HTTP method of a webhook. */
export const webhookMethods = ['post-json', 'post-form', 'get'] as const;
export type WebhookMethod = (typeof webhookMethods)[number];

/**
 * `paused`: its notifications wait, because an operator or days of failure stopped it. `off`: the same, because its
 * receiver answered 410. An operator ends both.
 */
export const webhookStatuses = ['active', 'paused', 'off'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

/** Every field of any kind of notification. */
export const fieldNames = [
  'type',
  'test',
  'msgId',
  'sender',
  'receiver',
  'text',
  'dcs',
  'data',
  'udh',
  'numParts',
  'receivedTime',
  'complete',
  'event',
  'sendTime',
  'dlrTime',
  'errorCode',
  'clientRef',
  'alert',
  'threshold',
  'clientBalance',
  'clientCurrency',
  'time',
] as const;
export type FieldName = (typeof fieldNames)[number];
