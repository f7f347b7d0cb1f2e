import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { NotificationKind, NotificationState } from '@morsel/api/values/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { WebhookMatch } from '../../core/notification/webhook.ts';
import type { Change } from './change.ts';

/* The rows of what accounts are told. */

export interface NotificationRow {
  change: Change;
  readonly id: number;
  readonly account: number;
  readonly kind: NotificationKind;
  /** The message from a phone, the message or the alert that it is about. */
  readonly subject: number;
  readonly event: MessageEvent | null;
  readonly eventAt: Instant | null;
  readonly errorCode: string | null;
  bySession: boolean;
  webhook: number | null;
  state: NotificationState;
  due: Instant | null;
  tries: number;
  createdAt: Instant;
  endedAt: Instant | null;
  triedBy: string | null;
  outcome: string | null;
  /** When a person had it tried again, and after how many tries. */
  replayedAt: Instant | null;
  replayedAfter: number;
}

/** One failed try. */
export interface NotificationTryRow {
  readonly notification: number;
  readonly number: number;
  readonly at: Instant;
  readonly triedBy: string;
  readonly outcome: string;
}

/** Where the notifications of an account go. */
export interface Destinations {
  readonly webhooks: readonly WebhookMatch[];
  /** It may bind, and receive there. */
  readonly hasLogin: boolean;
}

/** That there is something new for a destination: what the flow hears of a group after its commit. */
export interface NotificationNews {
  readonly account: number;
  readonly bySession: boolean;
  readonly webhook: number | null;
}

/** What there was to tell an account that somebody listens to, whether it has a destination or not. */
export interface ListenEvent {
  readonly account: number;
  readonly kind: NotificationKind;
  readonly subject: number;
  readonly receipt: ReceiptEvent | null;
}

/** What a receipt tells. */
export type ReceiptEvent = Pick<NotificationRow, 'event' | 'eventAt' | 'errorCode'>;

/** What one group has loaded and made of notifications. */
export class NotificationRows {
  /** Accounts that somebody listens to: the same set from group to group. */
  listened: ReadonlySet<number> = new Set();
  readonly listenEvents: ListenEvent[] = [];

  /** Accounts that are told anything at all: the same map from group to group. */
  destinations: ReadonlyMap<number, Destinations> = new Map();
  /** Those that commands name, and those that are made, by their id. */
  readonly byId = new Map<number, NotificationRow>();
  readonly tries: NotificationTryRow[] = [];
  /** Dead letters that are told again. */
  readonly replayed = new Set<NotificationRow>();
  /** The oldest of those that are to be woken. */
  woken: readonly NotificationRow[] = [];
  /** Those that only a session could get, and none came for. */
  unclaimed: readonly NotificationRow[] = [];
  /** The oldest after a place, of which those that ended long ago are forgotten. */
  old: readonly NotificationRow[] = [];
  readonly forgotten: NotificationRow[] = [];
  /** Something changed of webhooks or logins: the map of destinations is read anew after the commit. */
  haveDestinationsChanged = false;

  news(): NotificationNews[] {
    const found = new Map<string, NotificationNews>();
    for (const row of this.byId.values()) {
      const { change, account, bySession, webhook } = row;
      if (change === 'new' || this.replayed.has(row))
        found.set(`${account} ${bySession} ${webhook}`, { account, bySession, webhook });
    }
    return [...found.values()];
  }
}
