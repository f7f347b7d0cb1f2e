import type { InboundContent } from '../message/inbound.ts';
import type { MessageEvent } from '../base/message.ts';
import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** What an account is told of: a message from a phone, what became of a message, an alert. */
export const notificationKinds = ['inbound', 'receipt', 'alert'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/**
 * `waiting`: it is tried until it is acknowledged. `dead`: it is tried no more, unless a person has it replayed. `withdrawn`: it is
 * never tried again, as its message is told by another, or is another account's now.
 */
export const notificationStates = ['waiting', 'delivered', 'dead', 'withdrawn'] as const;
export type NotificationState = (typeof notificationStates)[number];

/** Tries that failed that are kept of a notification, the newest: a session that says later for 7 days makes a thousand. */
export const notificationTriesMax = 100;

/** Something to tell an account, with all that a webhook or a session says of it. */
export type Notification = NotificationFrame & NotificationContent;

/** What it says. */
export type NotificationContent = InboundNotification | ReceiptNotification | AlertNotification;

interface NotificationFrame {
  /** The same at every try: the webhook-id, by which a receiver knows it again (O2). */
  readonly id: number;
  readonly account: number;
  /** Tries so far, since it was replayed if it was. */
  readonly tries: number;
  readonly createdAt: Instant;
  /** From when on it is tried: when it was made, or replayed. */
  readonly triedFrom: Instant;
}

export interface InboundNotification extends InboundContent {
  readonly kind: 'inbound';
  readonly msgId: MessageId;
  readonly sender: string;
  readonly receiver: string;
  readonly dataCoding: number | null;
  readonly numParts: number;
  readonly complete: boolean;
  readonly receivedAt: Instant;
}

export interface ReceiptNotification {
  readonly kind: 'receipt';
  readonly msgId: MessageId;
  readonly sender: string;
  readonly receiver: string;
  readonly event: MessageEvent;
  readonly eventAt: Instant;
  readonly errorCode: string | null;
  readonly numParts: number;
  /** How many of them were: all, or fewer where that is not its end. */
  readonly deliveredParts: number;
  /** When it became due, as /sms/dlr says it. */
  readonly sendTime: Instant;
  readonly clientRef: string | null;
}

/** The balance fell below a threshold of the account. */
export interface AlertNotification {
  readonly kind: 'alert';
  readonly alert: 'low-balance';
  readonly threshold: Micros;
  readonly balance: Micros;
  readonly currency: string;
  readonly at: Instant;
}

/** What came of one try to tell an account. Nothing in it is a secret or a text: it is logged and shown. */
export type TryOutcome =
  /** Acknowledged. */
  | { readonly kind: 'delivered'; readonly by: string; readonly detail: string }
  /** Not now: it is tried again by the schedule, or not before what the receiver asked for. */
  | { readonly kind: 'later'; readonly by: string; readonly detail: string; readonly notBeforeMs?: number }
  /** The receiver wants it never. */
  | { readonly kind: 'never'; readonly by: string; readonly detail: string }
  /** Nothing of this destination is wanted any more: it is told nothing until a person says so. */
  | { readonly kind: 'gone'; readonly by: string; readonly detail: string }
  /** It did not come to a try: the destination closed first. */
  | { readonly kind: 'untried' };
