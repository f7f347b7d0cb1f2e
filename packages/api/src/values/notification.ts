/* Fixed lists of words about notifications and webhooks, which the gateway and the operator's HTTP API share. */

export const notificationKinds = ['inbound', 'receipt', 'alert'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/**
 * `dead`: the gateway gave the notification up; an operator can replay it. `withdrawn`: another notification replaces
 * it, or another account now has the inbound message.
 */
export const notificationStates = ['waiting', 'delivered', 'dead', 'withdrawn'] as const;
export type NotificationState = (typeof notificationStates)[number];

/**
 * `paused`: an operator or days of failures stopped the webhook. `off`: the receiver answered 410. Notifications wait
 * until an operator resumes the webhook.
 */
export const webhookStatuses = ['active', 'paused', 'off'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];
