import type { InboundContent } from '../message/inbound.ts';
import type { MessageEvent } from '@morsel/api/values/message.ts';
import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/**
 * Failed tries that are stored of a notification, the newest: a session that answers "later" for 7 days makes a
 * thousand.
 */
export const notificationTriesMax = 100;

/** A notification with everything that a webhook or a session needs to deliver it. */
export type Notification = NotificationFrame & NotificationContent;

/** Its content. */
export type NotificationContent = InboundNotification | ReceiptNotification | AlertNotification;

interface NotificationFrame {
  /** The webhook-id: the same at every try, so that a receiver recognises a repeat (O2). */
  readonly id: number;
  readonly account: number;
  /** Tries so far, or since the last replay. */
  readonly tries: number;
  readonly createdAt: Instant;
  /** The first try: when it was made, or replayed. */
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
  /** How many parts had this event: all, or fewer if it is not their event. */
  readonly deliveredParts: number;
  /** When the message became due, as in /sms/dlr. */
  readonly sendTime: Instant;
  readonly clientRef: string | null;
}

/** The balance fell below a threshold. */
export interface AlertNotification {
  readonly kind: 'alert';
  readonly alert: 'low-balance';
  readonly threshold: Micros;
  readonly balance: Micros;
  readonly currency: string;
  readonly at: Instant;
}

/** The result of one try. It has no secret and no text: it is logged and shown. */
export type TryOutcome =
  /** Acknowledged. */
  | { readonly kind: 'delivered'; readonly by: string; readonly detail: string }
  /** Later: it is tried again by the schedule, but not before the time that the receiver asked for. */
  | { readonly kind: 'later'; readonly by: string; readonly detail: string; readonly notBeforeMs?: number }
  /** The receiver never wants it. */
  | { readonly kind: 'never'; readonly by: string; readonly detail: string }
  /** The destination wants nothing any more. It gets nothing until an operator resumes it. */
  | { readonly kind: 'gone'; readonly by: string; readonly detail: string }
  /** There was no try: the destination closed first. */
  | { readonly kind: 'untried' };
