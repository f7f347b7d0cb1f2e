import type { KnownRule } from '../../core/message/carrier-id.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { ReceiptDialect } from '../../core/message/receipt-dialect.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RecordInbound } from '../tables/inbound.ts';

/* Commands about delivery receipts (DLR). */

/** Stores a receipt: it moves the part that it names, or is kept as unmatched. */
export interface RecordReceipt {
  readonly kind: 'receipt';
  readonly at: Instant;
  readonly carrier: number;
  readonly carrierId: string;
  readonly carrierIdKey: string;
  /** Null if the state cannot be read: the receipt is kept as unmatched, for the operator. */
  readonly state: CarrierState | null;
  readonly errorCode: string | null;
  /** The addresses as normalised numbers, in the order of the message: the receipt's own order is the reverse. */
  readonly sender: string;
  readonly receiver: string;
  /** The stored octets of the PDU, if `state` is null. */
  readonly octets?: Uint8Array;
  /** The form of the receipt, for the sample of receipts whose form is counted. */
  readonly dialect?: ReceiptDialect;
  /**
   * The message to store instead if this is not a receipt after all. Set when only the text looks like one; anybody can
   * type that.
   */
  readonly orInbound?: RecordInbound;
}

export interface ReceiptRecorded {
  readonly became: 'matched' | 'unmatched' | 'duplicate' | 'inbound';
}

/** Looks again at unmatched receipts: at most `max` of a carrier whose id rule is new, and the undecided ones. */
export interface Rematch {
  readonly kind: 'rematch';
  readonly at: Instant;
  readonly max: number;
}

export interface Rematched {
  /** There are more that were not looked at. */
  readonly isMore: boolean;
  /** What was learned since the last look. */
  readonly learned: readonly {
    readonly carrier: number;
    readonly rule: KnownRule;
    readonly was: KnownRule | null;
    readonly matches: number;
  }[];
}
