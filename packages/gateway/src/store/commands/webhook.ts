import type { NotificationKind, WebhookStatus } from '@morsel/api/values/notification.ts';
import type { TemplateChange } from '../../core/notification/template-change.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../core/notification/webhook.ts';

/* Commands about webhooks, and about the replay of their notifications. */

/** What the operator sets on a webhook. */
export type WebhookSettings = Omit<Webhook, 'id' | 'account' | 'status' | 'secrets'>;

export interface AddWebhook extends WebhookSettings {
  readonly kind: 'add-webhook';
  readonly at: Instant;
  /** By its name. */
  readonly account: string;
  readonly secret: string;
}

export interface SetWebhook {
  readonly kind: 'set-webhook';
  readonly at: Instant;
  readonly webhook: number;
  readonly settings: Partial<Omit<WebhookSettings, 'template'>>;
  /** Undefined keeps the present one. */
  readonly template?: TemplateChange | undefined;
}

/** Disables a webhook, or enables it again. */
export interface SetWebhookStatus {
  readonly kind: 'set-webhook-status';
  readonly at: Instant;
  readonly webhook: number;
  readonly status: WebhookStatus;
}

/** `sweep-notifications` handles what waits for it. */
export interface RemoveWebhook {
  readonly kind: 'remove-webhook';
  readonly at: Instant;
  readonly webhook: number;
}

export interface AddWebhookSecret {
  readonly kind: 'add-webhook-secret';
  readonly at: Instant;
  readonly webhook: number;
  readonly secret: string;
}

export interface RemoveWebhookSecret {
  readonly kind: 'remove-webhook-secret';
  readonly at: Instant;
  readonly webhook: number;
  /** Its number. */
  readonly secret: number;
}

/** Makes dead letters of notifications that wait for removed webhooks, at most `max` of them. */
export interface SweepNotifications {
  readonly kind: 'sweep-notifications';
  readonly at: Instant;
  readonly max: number;
}

/** A filter of dead letters: all given members must match. */
export interface DeadWanted {
  readonly notification: number | null;
  readonly account: number | null;
  readonly webhook: number | null;
  readonly kind: NotificationKind | null;
  /** Made at or after `since`, and before `until`. */
  readonly since: Instant | null;
  readonly until: Instant | null;
}

/**
 * Delivers dead letters again, to the current destinations. Looks at no more than `max` dead letters, starting behind
 * `after`.
 */
export interface ReplayNotifications {
  readonly kind: 'replay-notifications';
  readonly at: Instant;
  readonly wanted: DeadWanted;
  readonly after: number;
  readonly max: number;
}

export interface Replayed {
  readonly replayed: number;
  /** They stay dead letters: the account has no destination for them. */
  readonly left: number;
  /** The only webhooks that get them. */
  readonly webhooks: readonly number[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

export type WebhookCommand =
  | AddWebhook
  | SetWebhook
  | SetWebhookStatus
  | RemoveWebhook
  | AddWebhookSecret
  | RemoveWebhookSecret
  | SweepNotifications
  | ReplayNotifications;

export interface WebhookResults {
  'add-webhook': { readonly id: number };
  'set-webhook': null;
  'set-webhook-status': null;
  'remove-webhook': null;
  'add-webhook-secret': { readonly id: number };
  'remove-webhook-secret': null;
  'sweep-notifications': { readonly isMore: boolean };
  'replay-notifications': Replayed;
}
