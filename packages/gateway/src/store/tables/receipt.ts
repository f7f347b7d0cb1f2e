import type { MessageId } from '../../core/base/message-id.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RecordInbound } from '../commands/inbound.ts';
import type { Change } from './change.ts';

/* The rows of receipts that match nothing yet, and what may match them. */

export interface UnmatchedReceiptRow {
  /** `gone`: matched now; `never`: come and matched in this group, so that it need not be written at all. */
  change: Change | 'gone' | 'never';
  readonly id: number;
  readonly carrier: number;
  readonly carrierIdKey: string;
  readonly carrierId: string;
  readonly carrierState: CarrierState | null;
  readonly errorCode: string | null;
  readonly sender: string;
  readonly receiver: string;
  readonly receivedAt: Instant;
  why: UnmatchedWhy;
  /** Of what nobody could make sense of. */
  readonly octets: Uint8Array | null;
  /** The message to store instead if this is not a receipt after all. Set when only the text looks like one. */
  readonly orInbound: RecordInbound | undefined;
}

/** A part in flight, as far as a receipt has to know of it. */
export interface InFlight {
  readonly message: MessageId;
  readonly part: number;
  readonly number: number;
  readonly claimedAt: Instant;
}

/** Unmatched receipts under a rule that is new, and those that nobody could decide. */
export interface RematchBatch {
  /** Whose rule is new; null if nobody's is. */
  readonly carrier: number | null;
  /** The id from which on they were looked for. */
  readonly from: number | null;
  readonly receipts: readonly UnmatchedReceiptRow[];
  readonly undecided: readonly UnmatchedReceiptRow[];
}
