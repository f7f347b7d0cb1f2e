/*
 * What a delivery receipt says: which event each state of a receipt is, and whether its addresses are those of a
 * message.
 */

import type { FinalEvent } from '../base/message.ts';

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

/** The state of the part for each state of a receipt. */
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

/** Whether a state of a receipt is final for the part. */
export function isEnd(state: CarrierState): boolean {
  const event = eventOfReceipt[state];
  return event !== 'sent' && event !== 'buffered';
}

export interface Numbers {
  readonly sender: string;
  readonly receiver: string;
}

/** Trailing digits that the national and the international form of a number share. */
const sameDigitsMin = 6;

/**
 * Whether a receipt names the receiver of a message, with source and destination swapped or not, in national or
 * international form.
 */
export function namesReceiver(message: Numbers, receipt: Numbers): boolean {
  return sameNumber(message.receiver, receipt.receiver) || sameNumber(message.receiver, receipt.sender);
}

/**
 * Whether a receipt has no number beside the sender's that could be the receiver's: some carriers omit, blank or mask
 * it.
 */
export function namesNobody(message: Numbers, receipt: Numbers): boolean {
  return [receipt.receiver, receipt.sender].every((each) => !isNumber(each) || sameNumber(message.sender, each));
}

function isNumber(text: string): boolean {
  return /^\+?\d+$/.test(text) && bare(text).length >= sameDigitsMin;
}

/** Whether two texts are the same number, in national or international form. */
export function sameNumber(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [bare(one), bare(other)];
  return Math.min(a.length, b.length) >= sameDigitsMin && (a.endsWith(b) || b.endsWith(a));
}

function bare(number: string): string {
  return number.replace(/^\+?0*/, '');
}
