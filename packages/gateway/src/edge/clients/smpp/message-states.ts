import type { MessageState } from '@morsel/smpp';
import type { MessageEvent } from '@morsel/api/values/message.ts';

/** The message_state of each event, in query_sm_resp and receipts (SMPP 5.0, section 4.7.15). */
export const messageStates: Record<MessageEvent, MessageState> = {
  scheduled: 'SCHEDULED',
  queued: 'ENROUTE',
  sent: 'ENROUTE',
  buffered: 'ENROUTE',
  delivered: 'DELIVERED',
  undelivered: 'UNDELIVERABLE',
  rejected: 'REJECTED',
  expired: 'EXPIRED',
  unknown: 'UNKNOWN',
  canceled: 'DELETED',
};
