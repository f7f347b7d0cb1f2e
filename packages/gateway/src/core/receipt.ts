import type { FinalEvent } from './message.ts';

/** message_state of SMPP 3.4 (section 5.2.28) and 5.0, as the receipt reader names them. */
export type CarrierState =
  | 'SCHEDULED'
  | 'ENROUTE'
  | 'DELIVERED'
  | 'EXPIRED'
  | 'DELETED'
  | 'UNDELIVERABLE'
  | 'ACCEPTED'
  | 'UNKNOWN'
  | 'REJECTED'
  | 'SKIPPED';

/** What each state of a receipt makes of the part (decisions, section 3). */
export const eventOfReceipt: Record<CarrierState, FinalEvent | 'sent' | 'buffered'> = {
  ENROUTE: 'sent',
  ACCEPTED: 'sent',
  SCHEDULED: 'buffered',
  DELIVERED: 'delivered',
  EXPIRED: 'expired',
  DELETED: 'undelivered',
  UNDELIVERABLE: 'undelivered',
  SKIPPED: 'undelivered',
  REJECTED: 'rejected',
  UNKNOWN: 'unknown',
};
