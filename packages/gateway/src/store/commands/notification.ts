import type { Instant } from '@morsel/api/values/time.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';

/* Commands about existing notifications. */

/** The result of a delivery attempt. */
export interface NotificationTried {
  readonly kind: 'notification-tried';
  readonly at: Instant;
  readonly notification: number;
  /** Null if it is not tried again: it was acknowledged, or is a dead letter. */
  readonly due: Instant | null;
  readonly isDelivered: boolean;
  /** Who tried, in words: a webhook, a session. */
  readonly by: string;
  /** The result, in words. */
  readonly detail: string;
  /** The webhook that it was sent to. */
  readonly webhook?: number;
  /** The webhook's receiver answered 410: it wants no more notifications. */
  readonly isGone?: boolean;
  /** The clock is not trusted, so no webhook is disabled for the length of its failures. */
  readonly isHeld?: boolean;
}

/** The notifications of one webhook, or all that an account's sessions may get. */
export type DestinationKey =
  | { readonly kind: 'webhook'; readonly account: number; readonly webhook: number }
  | { readonly kind: 'sessions'; readonly account: number };

/** Makes waiting notifications due now, at most `max` of them. */
export interface WakeNotifications {
  readonly kind: 'wake-notifications';
  readonly at: Instant;
  readonly destination: DestinationKey;
  readonly max: number;
}

/**
 * Gives up notifications that only a session could get: at most `max` of those that were due `before` and were not
 * fetched.
 */
export interface ExpireNotifications {
  readonly kind: 'expire-notifications';
  readonly at: Instant;
  readonly before: Instant;
  readonly max: number;
}

/**
 * Deletes receipts and alerts that were delivered or given up `before` then. It looks at no more than `max`
 * notifications, starting behind `after`. Notifications of inbound messages stay as long as their messages, which can
 * be replayed.
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
  /** A webhook that this attempt disabled. */
  'notification-tried': StoppedWebhook | null;
  'wake-notifications': { readonly isMore: boolean };
  'expire-notifications': { readonly isMore: boolean };
  /** The last one that was looked at, and whether more may be as old. */
  'forget-notifications': { readonly last: number; readonly isMore: boolean };
}
