import type { MessageId } from '../../core/base/message-id.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RecordInbound } from '../commands/inbound.ts';
import type { Change } from './change.ts';

/* Rows of unmatched receipts, and what may match them. */

export interface UnmatchedReceiptRow {
  /** `gone`: matched now; `never`: came and was matched in this group, so it need not be written. */
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
  /** Set if the receipt could not be read. */
  readonly octets: Uint8Array | null;
  /** The message to store instead if this is not a receipt after all. Set when only the text looks like one. */
  readonly orInbound: RecordInbound | undefined;
}

/** The fields of a part in flight that a receipt is compared with. */
export interface InFlight {
  readonly message: MessageId;
  readonly part: number;
  readonly number: number;
  readonly claimedAt: Instant;
}

/** Unmatched receipts to look at again: of a carrier with a new rule, and undecided ones. */
export interface RematchBatch {
  /** The carrier with a new rule; null if there is none. */
  readonly carrier: number | null;
  /** The first id that was looked at. */
  readonly from: number | null;
  readonly receipts: readonly UnmatchedReceiptRow[];
  readonly undecided: readonly UnmatchedReceiptRow[];
}
