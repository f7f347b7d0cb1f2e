import type { KnownRule } from '../../core/message/carrier-id.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { ReceiptDialect } from '../../core/message/receipt-dialect.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RecordInbound } from './inbound.ts';

/* What is written of delivery receipts. */

/** Keep a receipt: it moves the part that it names, or waits for one. */
export interface RecordReceipt {
  readonly kind: 'receipt';
  readonly at: Instant;
  readonly carrier: number;
  readonly carrierId: string;
  readonly carrierIdKey: string;
  /** Null when we cannot tell what it says: it is kept as unmatched, where a person sees it. */
  readonly state: CarrierState | null;
  readonly errorCode: string | null;
  /** The addresses as normalised numbers, the way our message had them (swapped back). */
  readonly sender: string;
  readonly receiver: string;
  /** The PDU as it came, as far as it is kept, where `state` is null. */
  readonly octets?: Uint8Array;
  /** The form of the receipt, of the few of which it is looked at. */
  readonly dialect?: ReceiptDialect;
  /** What it is if it is none, where nothing but its text says that it is one. */
  readonly orInbound?: RecordInbound;
}

export interface ReceiptRecorded {
  readonly became: 'matched' | 'unmatched' | 'duplicate' | 'inbound';
}

/** Look again at unmatched receipts: those under a rule that is new, at most `max` of a carrier, and the undecided ones. */
export interface Rematch {
  readonly kind: 'rematch';
  readonly at: Instant;
  readonly max: number;
}

export interface Rematched {
  /** There are more that have not been looked at. */
  readonly isMore: boolean;
  /** What was learned since the last look. */
  readonly learned: readonly {
    readonly carrier: number;
    readonly rule: KnownRule;
    readonly was: KnownRule | null;
    readonly matches: number;
  }[];
}
