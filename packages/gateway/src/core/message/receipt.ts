/*
 * Reads delivery receipts: which state of a part each state of a receipt means, and whether a receipt has the addresses
 * of a message.
 */

import type { FinalEvent } from '../base/message.ts';

/**
 * The form of a carrier's receipts, as read from one receipt: traits in the words of the carrier's kind. Only the operator
 * sees it; the gateway does not use it for matching.
 */
export type ReceiptDialect = { readonly [trait: string]: string };

/** What a receipt says of its message. */
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

export function isEnd(state: CarrierState): boolean {
  const event = eventOfReceipt[state];
  return event !== 'sent' && event !== 'buffered';
}

export interface Numbers {
  readonly sender: string;
  readonly receiver: string;
}

/** Two forms of a number, national and international, must share at least this many last digits. */
const sameDigitsMin = 6;

/** Whether the source or destination of a receipt is the receiver of a message, in national or international form. */
export function namesReceiver(message: Numbers, receipt: Numbers): boolean {
  return sameNumber(message.receiver, receipt.receiver) || sameNumber(message.receiver, receipt.sender);
}

/** Whether a receipt's only number is the sender: some carriers omit, blank or mask the receiver. */
export function namesNobody(message: Numbers, receipt: Numbers): boolean {
  return [receipt.receiver, receipt.sender].every((each) => !isNumber(each) || sameNumber(message.sender, each));
}

function isNumber(text: string): boolean {
  return /^\+?\d+$/.test(text) && bare(text).length >= sameDigitsMin;
}

/** Whether two texts are the same number, each in national or international form. */
export function sameNumber(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [bare(one), bare(other)];
  return Math.min(a.length, b.length) >= sameDigitsMin && (a.endsWith(b) || b.endsWith(a));
}

function bare(number: string): string {
  return number.replace(/^\+?0*/, '');
}
