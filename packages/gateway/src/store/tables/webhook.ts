import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import type { NotificationRow } from './notification.ts';
import type { Change } from './change.ts';

/* The rows that commands about webhooks work on. */

export interface WebhookRow {
  change: Change;
  /** But for what signs, which is in rows of its own. */
  webhook: Omit<Webhook, 'secrets'>;
  readonly createdAt: Instant;
  /** Since when no try has succeeded; null while the newest one has. */
  failingSince: Instant | null;
  failedAt: Instant | null;
  failure: string | null;
  removedAt: Instant | null;
}

export interface WebhookSecretRow {
  change: Change;
  readonly id: number;
  readonly webhook: number;
  readonly secret: string;
  readonly createdAt: Instant;
  removedAt: Instant | null;
}

/** What one group has loaded and made of webhooks. */
export class WebhookRows {
  readonly byId = new Map<number, WebhookRow>();
  /** Those that sign, of webhooks whose secrets a command names. */
  readonly secrets = new Map<number, WebhookSecretRow[]>();
  /** At which nothing but failures were seen lately: the others need no look at each success. */
  failing: ReadonlySet<number> = new Set();
  /** What waits for webhooks that were removed. */
  readonly swept: NotificationRow[] = [];
  /** Dead letters that a replay looks at, in order, each with what decides who is told. */
  readonly dead = new Map<ReplayKey, readonly DeadLetter[]>();
}

/** The command itself: no two are alike. */
type ReplayKey = object;

export interface DeadLetter {
  readonly row: NotificationRow;
  /** A message from a phone, if it is of one. */
  readonly about: { readonly receiver: string; readonly text: string | null } | undefined;
}
