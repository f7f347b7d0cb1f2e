import type { Instant } from '@morsel/api/values/time.ts';
import type { WebhookStatus } from '../../core/notification/webhook.ts';

/* What is written of notices after they were made. */

/** What came of a try to tell an account. */
export interface NoticeTried {
  readonly kind: 'notice-tried';
  readonly at: Instant;
  readonly notice: number;
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

/** Which of an account's notices are meant: those of a webhook, or all that a session may get. */
export type NoticeLane =
  | { readonly kind: 'webhook'; readonly account: number; readonly webhook: number }
  | { readonly kind: 'sessions'; readonly account: number };

/** Makes notices that wait for their next try due now, at most `max` of them. */
export interface WakeNotices {
  readonly kind: 'wake-notices';
  readonly at: Instant;
  readonly lane: NoticeLane;
  readonly max: number;
}

/** Gives up notices that only a session could get, at most `max` of those that were due `before` and no session came for. */
export interface ExpireNotices {
  readonly kind: 'expire-notices';
  readonly at: Instant;
  readonly before: Instant;
  readonly max: number;
}

/**
 * Removes receipts and alerts that were told, or given up, `before` then: at most `max` notices are looked at, from the one
 * after `after` on. Those of messages from phones stay as long as these do, which are told anew where they never were.
 */
export interface ForgetNotices {
  readonly kind: 'forget-notices';
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

export type NoticeCommand = NoticeTried | WakeNotices | ExpireNotices | ForgetNotices;

export interface NoticeResults {
  /** A webhook that this try has stopped. */
  'notice-tried': StoppedWebhook | null;
  'wake-notices': { readonly isMore: boolean };
  'expire-notices': { readonly isMore: boolean };
  /** The last that was looked at, and whether the next may be as old. */
  'forget-notices': { readonly last: number; readonly isMore: boolean };
}
