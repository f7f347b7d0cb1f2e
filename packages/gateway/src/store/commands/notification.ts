import type { Instant } from '@morsel/api/values/time.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';

/* What is written of notifications after they were made. */

/** What came of a try to tell an account. */
export interface NotificationTried {
  readonly kind: 'notification-tried';
  readonly at: Instant;
  readonly notification: number;
  /** Null for one that is tried no more: it was acknowledged, or is a dead letter. */
  readonly due: Instant | null;
  readonly isDelivered: boolean;
  /** What tried, in words: a webhook, a session. */
  readonly by: string;
  /** What came of it, in words. */
  readonly detail: string;
  /** The webhook that it was tried at. */
  readonly webhook?: number;
  /** The webhook's receiver wants nothing any more. */
  readonly isGone?: boolean;
  /** The clock is not believed: no webhook has failed for too long. */
  readonly isHeld?: boolean;
}

/** Which of an account's notifications are meant: those of a webhook, or all that a session may get. */
export type DestinationKey =
  | { readonly kind: 'webhook'; readonly account: number; readonly webhook: number }
  | { readonly kind: 'sessions'; readonly account: number };

/** Makes notifications that wait for their next try due now, at most `max` of them. */
export interface WakeNotifications {
  readonly kind: 'wake-notifications';
  readonly at: Instant;
  readonly destination: DestinationKey;
  readonly max: number;
}

/** Gives up notifications that only a session could get, at most `max` of those that were due `before` and no session came for. */
export interface ExpireNotifications {
  readonly kind: 'expire-notifications';
  readonly at: Instant;
  readonly before: Instant;
  readonly max: number;
}

/**
 * Removes receipts and alerts that were told, or given up, `before` then: at most `max` notifications are looked at, from the one
 * after `after` on. Those of messages from phones stay as long as these do, which are told anew where they never were.
 */
export interface ForgetNotifications {
  readonly kind: 'forget-notifications';
  readonly at: Instant;
  readonly before: Instant;
  readonly after: number;
  readonly max: number;
}

export interface StoppedWebhook {
  readonly webhook: number;
  readonly account: number;
  readonly status: Exclude<WebhookStatus, 'active'>;
}

export type NotificationCommand = NotificationTried | WakeNotifications | ExpireNotifications | ForgetNotifications;

export interface NotificationResults {
  /** A webhook that this try has stopped. */
  'notification-tried': StoppedWebhook | null;
  'wake-notifications': { readonly isMore: boolean };
  'expire-notifications': { readonly isMore: boolean };
  /** The last that was looked at, and whether the next may be as old. */
  'forget-notifications': { readonly last: number; readonly isMore: boolean };
}
