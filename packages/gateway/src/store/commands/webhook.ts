import type { NotificationKind, WebhookStatus } from '@morsel/api/values/notification.ts';
import type { TemplateChange } from '../../core/notification/template-change.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../core/notification/webhook.ts';

/* What the operator has written of webhooks, and of what they were not told. */

/** What of a webhook the operator sets. */
export type WebhookSettings = Omit<Webhook, 'id' | 'account' | 'status' | 'secrets'>;

export interface AddWebhook extends WebhookSettings {
  readonly kind: 'add-webhook';
  readonly at: Instant;
  /** By its name. */
  readonly account: string;
  readonly secret: string;
}

/** Change some of a webhook's settings. */
export interface SetWebhook {
  readonly kind: 'set-webhook';
  readonly at: Instant;
  readonly webhook: number;
  readonly settings: Partial<Omit<WebhookSettings, 'template'>>;
  /** Undefined where it stays as it is. */
  readonly template?: TemplateChange | undefined;
}

/** Stop it, or let it be told again. */
export interface SetWebhookStatus {
  readonly kind: 'set-webhook-status';
  readonly at: Instant;
  readonly webhook: number;
  readonly status: WebhookStatus;
}

/** What waits for it is left to `sweep-notifications`. */
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

/** Make dead letters of what waits for webhooks that were removed, at most `max` of it. */
export interface SweepNotifications {
  readonly kind: 'sweep-notifications';
  readonly at: Instant;
  readonly max: number;
}

/** Which dead letters are meant: those that have all of what is given. */
export interface DeadWanted {
  readonly notification: number | null;
  readonly account: number | null;
  readonly webhook: number | null;
  readonly kind: NotificationKind | null;
  /** Made not before, and before. */
  readonly since: Instant | null;
  readonly until: Instant | null;
}

/** Have dead letters told again, by whoever is to be told now: of at most `max` behind `after` those that are wanted. */
export interface ReplayNotifications {
  readonly kind: 'replay-notifications';
  readonly at: Instant;
  readonly wanted: DeadWanted;
  readonly after: number;
  readonly max: number;
}

export interface Replayed {
  readonly replayed: number;
  /** They stay dead letters: nobody is to be told. */
  readonly left: number;
  /** That alone are told again. */
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
