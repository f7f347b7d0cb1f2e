/*
 * Reads delivery receipts: which state of a part each state of a receipt means, and whether a receipt has the addresses
 * of a message.
 */

import type { FinalEvent } from '../base/message.ts';
import type { MessageId } from '../base/message-id.ts';
import type { UnitCost } from '../routing/carrier-cost.ts';
import type { Reason } from './reason.ts';

/**
 * The form of a carrier's receipts, as read from one receipt: traits in the words of the carrier's kind. Only the operator
 * sees it; the gateway does not use it for matching.
 */
export type ReceiptDialect = { readonly [trait: string]: string };

/** A receipt, in words that every kind of carrier translates into. */
export interface Receipt {
  /** The carrier's ids of what it reports. The first is matched. */
  readonly carrierIds: readonly string[];
  /** Our own reference, if the carrier gives it back. */
  readonly ref?: { readonly message: MessageId; readonly part: number };
  /** Null if the state cannot be read: the receipt is kept as unmatched, for the operator. */
  readonly state: CarrierState | null;
  /** False if nothing but its text marks it as a receipt: anybody may have written it, so it moves no money. */
  readonly isMarked: boolean;
  /** Null if the kind of carrier does not know it. */
  readonly reason: Reason | null;
  /** The carrier's own code of an error, which reports show. */
  readonly code: string | null;
  /** The addresses as normalised numbers, in the order of the message. */
  readonly sender: string;
  readonly receiver: string;
  /** The carrier's charge, if the receipt names the charge. */
  readonly cost?: UnitCost;
  /** The network of the receiver: its MCC and MNC. */
  readonly network?: string;
  /** What came, for an operator who must read it: if `state` is null, or it is not marked. */
  readonly octets?: Uint8Array;
  /** The form of the receipt, for the sample of receipts whose form is counted. */
  readonly dialect?: ReceiptDialect;
}

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
