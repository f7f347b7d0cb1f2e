import type { MessageCallback } from '../message/callback.ts';
import type { MessageReport } from '../message/content.ts';
import type { InboundContent } from '../message/inbound.ts';
import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** A session that answers "later" for 7 days causes about a thousand failed tries; the newest are stored. */
export const notificationTriesMax = 100;

export type Notification = NotificationFrame & NotificationContent;

export type NotificationContent = InboundNotification | ReceiptNotification | AlertNotification;

interface NotificationFrame {
  /** Sent as the header webhook-id. It is the same at every try, so that a receiver recognises a repeat (O2). */
  readonly id: number;
  readonly account: number;
  readonly tries: number;
  readonly createdAt: Instant;
  /** When the notification was created or last replayed. */
  readonly triedFrom: Instant;
}

export interface InboundNotification extends InboundContent {
  readonly kind: 'inbound';
  readonly msgId: MessageId;
  readonly sender: string;
  readonly receiver: string;
  readonly numParts: number;
  readonly complete: boolean;
  readonly receivedAt: Instant;
}

export interface ReceiptNotification extends MessageReport {
  readonly kind: 'receipt';
  readonly sender: string;
  readonly receiver: string;
  readonly deliveredParts: number;
  /** Of the message. Null if it was erased. */
  readonly callback?: MessageCallback | null;
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

/** The result of one try. It is logged and shown, so it contains no secret and no message text. */
export type TryOutcome =
  | { readonly kind: 'delivered'; readonly by: string; readonly detail: string }
  /** The notification is tried again later, as scheduled, but not before the time that the receiver asked for. */
  | { readonly kind: 'later'; readonly by: string; readonly detail: string; readonly notBeforeMs?: number }
  /** The receiver will never accept this notification. */
  | { readonly kind: 'never'; readonly by: string; readonly detail: string }
  /** The destination wants no more notifications. It gets none until the operator resumes it. */
  | { readonly kind: 'gone'; readonly by: string; readonly detail: string }
  /** The notification was not tried, because the destination closed before. */
  | { readonly kind: 'untried' };
