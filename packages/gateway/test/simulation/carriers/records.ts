/* What outsiders of a simulation saw of a gateway, for the judge. Times are milliseconds of the world. */

import type { MessageState } from '@morsel/smpp';

/** One submit_sm that a gateway wrote. */
export interface Submit {
  readonly sentAt: number;
  readonly carrier: string;
  /** The connection that carried it. */
  readonly link: number;
  readonly text: string;
  readonly receiver: string;
  /** The place of the part, and the number of parts. */
  readonly place: number;
  readonly places: number;
  /** What the carrier made of it; undefined if it did not arrive. */
  verdict: 'accepted' | 'refused' | 'throttled' | 'busy' | undefined;
  /** The carrier's id, if it was accepted. */
  id: string;
  /** Its id in receipts. */
  receiptId: string;
  /** How it ended for the gateway. */
  end: SubmitEnd | undefined;
  /** The carrier's answer came after its end. */
  isLate: boolean;
  /** The gateway read the answer, and a crash may have come before its commit. */
  isForgotten: boolean;
  readonly receipts: SentReceipt[];
}

interface SubmitEnd {
  readonly at: number;
  /** `unwritten`: the connection ended before a single octet was written. */
  readonly kind: 'answered' | 'timeout' | 'closed' | 'unwritten' | 'crash';
}

/** A receipt that a carrier delivers until the gateway acknowledges it. */
export interface SentReceipt extends Delivered {
  readonly state: MessageState;
}

/** What a carrier delivers until the gateway acknowledges it. */
export interface Delivered {
  /** When the gateway first got it. */
  arrivedAt: number | undefined;
  /** How many groups the disk had committed then. */
  commits: number | undefined;
  acknowledgedAt: number | undefined;
  isAfterCommit: boolean | undefined;
}

/** An inbound message. */
export interface SentInbound {
  readonly sender: string;
  readonly receiver: string;
  readonly pieces: readonly string[];
  /** The place of the piece that is never sent, from 0. */
  readonly missing: number | undefined;
  /** One for each piece. */
  readonly deliveries: readonly Delivered[];
}
