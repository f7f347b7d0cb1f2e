import type { MessageEvent } from '../../core/base/message.ts';
import type { NoticeKind, NoticeState } from '../../core/notification/notification.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { WebhookMatch } from '../../core/notification/webhook.ts';
import type { Change } from './change.ts';

/* The rows of what accounts are told. */

export interface NoticeRow {
  change: Change;
  readonly id: number;
  readonly account: number;
  readonly kind: NoticeKind;
  /** The message from a phone, the message or the alert that it is about. */
  readonly subject: number;
  readonly event: MessageEvent | null;
  readonly eventAt: Instant | null;
  readonly errorCode: string | null;
  bySession: boolean;
  webhook: number | null;
  state: NoticeState;
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
export interface NoticeTryRow {
  readonly notice: number;
  readonly number: number;
  readonly at: Instant;
  readonly triedBy: string;
  readonly outcome: string;
}

/** Where the notices of an account go. */
export interface Outlets {
  readonly webhooks: readonly WebhookMatch[];
  /** It may bind, and receive there. */
  readonly hasLogin: boolean;
}

/** That there is something new for an outlet: what the flow hears of a group after its commit. */
export interface NoticeNews {
  readonly account: number;
  readonly bySession: boolean;
  readonly webhook: number | null;
}

/** What there was to tell an account that somebody listens to, whether it has an outlet or not. */
export interface Heard {
  readonly account: number;
  readonly kind: NoticeKind;
  readonly subject: number;
  readonly told: Told | null;
}

/** What a receipt tells. */
export type Told = Pick<NoticeRow, 'event' | 'eventAt' | 'errorCode'>;

/** What one group has loaded and made of notices. */
export class NoticeRows {
  /** Accounts that somebody listens to: the same set from group to group. */
  listened: ReadonlySet<number> = new Set();
  readonly heard: Heard[] = [];

  /** Accounts that are told anything at all: the same map from group to group. */
  outlets: ReadonlyMap<number, Outlets> = new Map();
  /** Those that commands name, and those that are made, by their id. */
  readonly byId = new Map<number, NoticeRow>();
  readonly tries: NoticeTryRow[] = [];
  /** Dead letters that are told again. */
  readonly replayed = new Set<NoticeRow>();
  /** The oldest of those that are to be woken. */
  woken: readonly NoticeRow[] = [];
  /** Those that only a session could get, and none came for. */
  unclaimed: readonly NoticeRow[] = [];
  /** The oldest after a place, of which those that ended long ago are forgotten. */
  old: readonly NoticeRow[] = [];
  readonly forgotten: NoticeRow[] = [];
  /** Something changed of webhooks or logins: the map of outlets is read anew after the commit. */
  haveOutletsChanged = false;

  news(): NoticeNews[] {
    const found = new Map<string, NoticeNews>();
    for (const row of this.byId.values()) {
      const { change, account, bySession, webhook } = row;
      if (change === 'new' || this.replayed.has(row))
        found.set(`${account} ${bySession} ${webhook}`, { account, bySession, webhook });
    }
    return [...found.values()];
  }
}
