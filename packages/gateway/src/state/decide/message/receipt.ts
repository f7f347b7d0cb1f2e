/* The life of a receipt: it is matched to an attempt and settles the parts of that attempt, or it is kept as unmatched. */

import type { MessageId } from '../../../core/base/message-id.ts';
import type { CarrierState, ReceiptDialect } from '../../../core/message/receipt.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { readKeys } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { unmatchedCount } from '../../tables/receipt.ts';
import type { AttemptRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import { readRoute } from '../number/inbound-route.ts';
import { seeDialect } from '../routing/dialect.ts';
import { readLearning, readSame, seeSame } from '../routing/learning.ts';
import { attemptNamed, partOf, soleDoubt } from './match.ts';
import { readNamed } from './receipt-rows.ts';
import { settleAll } from './settle.ts';
import { park, settleDoubtsBetween } from './unmatched.ts';
import { partsOf } from './whole.ts';

/** Stores a receipt: it moves the part that it names, or is kept as unmatched. */
export interface RecordReceipt {
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
  /** The stored octets, if `state` is null or `isText`. */
  readonly octets?: Uint8Array;
  /** The form of the receipt, for the sample of receipts whose form is counted. */
  readonly dialect?: ReceiptDialect;
  /** Nothing but its text marks it as a receipt, and the carrier's setting says that it is one. */
  readonly isText?: boolean;
}

interface ReceiptRecorded {
  readonly became: 'matched' | 'unmatched' | 'duplicate';
  /** When the part was claimed whose state this receipt changed. */
  readonly claimedAt?: Instant;
  readonly message?: MessageId;
}

export const receiptCommand = {
  reads(read: Reads, receipt: RecordReceipt): void {
    const { carrier, state, sender, isText = false } = receipt;
    readLearning(read, carrier);
    readSame(read, receipt);
    if (isText) readRoute(read, sender);
    const isNamed = readNamed(read, receipt);
    if (!isNamed || isText || state === null) read.values(unmatchedCount, carrier);
    if (isText || state === null) readKeys(read, null);
  },
  decide: decideReceipt,
};

/**
 * Matches a receipt to an attempt, and settles the attempt's parts. A receipt that matches none is kept as unmatched,
 * because the answer with its id may still arrive (D1).
 *
 * If nothing but its text marks it, sender and receiver must both match a message, because anybody can type such a text
 * (O4).
 */
function decideReceipt(rows: Rows, receipt: RecordReceipt): Result<ReceiptRecorded, never> {
  const { state } = receipt;
  if (state === null) return leave(rows, receipt, 'unreadable');
  const named = match(rows, receipt);
  return named ? settle(rows, { ...receipt, state }, named) : leave(rows, receipt, 'unknown');
}

/** The attempt that the receipt names by its id, or else the only one in doubt between its numbers. */
function match(rows: Rows, receipt: RecordReceipt): AttemptRow | undefined {
  const named = attemptNamed(rows, receipt);
  if (named) {
    seeSame(rows, receipt, named);
    return named;
  }
  settleDoubtsBetween(rows, receipt, receipt.at);
  return soleDoubt(rows, receipt);
}

/** Moves the parts of the attempt to the state of the receipt. */
function settle(
  rows: Rows,
  receipt: RecordReceipt & { readonly state: CarrierState },
  named: AttemptRow,
): Result<ReceiptRecorded, never> {
  const { state, errorCode, at, isText = false } = receipt;
  const parts = partsOf(rows, partOf(rows, named), named);
  const isMoved = settleAll(rows, parts, { state, errorCode, at, isText });
  seeDialect(rows, receipt, named);
  return ok(
    isMoved ? { became: 'matched', claimedAt: named.claimedAt, message: named.message } : { became: 'duplicate' },
  );
}

/** Keeps the receipt as unmatched. */
function leave(rows: Rows, receipt: RecordReceipt, why: UnmatchedWhy): Result<ReceiptRecorded, never> {
  seeDialect(rows, receipt, undefined);
  const { carrier, carrierId, carrierIdKey, errorCode, sender, receiver } = receipt;
  const { at: receivedAt, state: carrierState, octets = null, isText = false } = receipt;
  const named = { carrier, carrierId, carrierIdKey, sender, receiver };
  park(rows, { ...named, carrierState, errorCode, receivedAt, why, octets, isText });
  return ok({ became: 'unmatched' });
}
