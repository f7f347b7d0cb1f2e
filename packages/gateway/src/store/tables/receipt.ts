/* Unmatched receipts, and what may match them. */

import type { MessageId } from '../../core/base/message-id.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { bytes, integer, nullable, text, word } from './column.ts';
import { inboundInstead } from './message.ts';
import { table } from './table.ts';
import type { RowOf } from './table.ts';

/** Receipts of which no message is known. */
export const unmatchedReceiptTable = table('unmatched_receipt', {
  key: ['id'],
  fixed: {
    id: integer,
    carrier: integer,
    carrierIdKey: text,
    carrierId: text,
    carrierState: nullable(word<CarrierState>()),
    errorCode: nullable(text),
    sender: text,
    receiver: text,
    receivedAt: integer,
    /** Set if the receipt could not be read. */
    octets: nullable(bytes),
    /** Set if only the text looks like a receipt. */
    orInbound: inboundInstead,
  },
  moving: { why: word<UnmatchedWhy>() },
});

export interface UnmatchedReceiptRow extends RowOf<typeof unmatchedReceiptTable> {
  /** It was matched: it is deleted, or was never written. */
  isMatched?: true;
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
