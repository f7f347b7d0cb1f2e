import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import type { NotificationRow } from './notification.ts';
import type { Change } from './change.ts';

/* Rows for commands about webhooks. */

export interface WebhookRow {
  change: Change;
  /** Without its secrets, which are rows of their own. */
  webhook: Omit<Webhook, 'secrets'>;
  readonly createdAt: Instant;
  /** When its present series of failures began; null after a success. */
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

/** Webhooks that one group has loaded and made. */
export class WebhookRows {
  readonly byId = new Map<number, WebhookRow>();
  /** The valid secrets of webhooks whose secrets a command names. */
  readonly secrets = new Map<number, WebhookSecretRow[]>();
  /** Webhooks with failures only: a success of any other needs no look at its row. */
  failing: ReadonlySet<number> = new Set();
  /** Notifications that wait for removed webhooks. */
  readonly swept: NotificationRow[] = [];
  /** Dead letters that a replay looks at, in order, each with what decides its destination. */
  readonly dead = new Map<ReplayKey, readonly DeadLetter[]>();
}

/** The command itself, as a unique key. */
type ReplayKey = object;

export interface DeadLetter {
  readonly row: NotificationRow;
  /** Set for an inbound message. */
  readonly about: { readonly receiver: string; readonly text: string | null } | undefined;
}
