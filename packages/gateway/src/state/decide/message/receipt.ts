/* The life of a receipt: it is matched to an attempt and settles the parts of that attempt, or it is kept as unmatched. */

import type { MessageId } from '../../../core/base/message-id.ts';
import { isFinal } from '../../../core/base/message.ts';
import type { CarrierState, ReceiptDialect } from '../../../core/message/receipt.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { RecordInbound } from '../../tables/inbound.ts';
import { readKeys } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { unmatchedCount } from '../../tables/receipt.ts';
import type { AttemptRow } from '../../tables/message.ts';
import type { Rows } from '../../rows/rows.ts';
import { readRoute, numberOf } from '../number/inbound-route.ts';
import { seeDialect } from '../routing/dialect.ts';
import {
  doubtLearned,
  hasSentTextReceipts,
  isLearned,
  learnFrom,
  readLearning,
  readsTexts,
  seeMarkedReceipt,
  seeTextReceipt,
  sendsTextReceipts,
} from '../routing/learning.ts';
import { attemptNamed, attemptUnderOtherRules, isLong, partOf, soleDoubt, type Named } from './match.ts';
import { decideInbound, readForInbound } from './inbound.ts';
import { doubtsOf, inFlightTo, readInFlight, readNamed } from './receipt-rows.ts';
import { keepInstead } from '../../rows/inbound-content.ts';
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

interface ReceiptRecorded {
  readonly became: 'matched' | 'unmatched' | 'duplicate' | 'inbound';
  /** When the part was claimed whose state this receipt changed. */
  readonly claimedAt?: Instant;
  readonly message?: MessageId;
}

export const receiptCommand = {
  reads(read: Reads, receipt: RecordReceipt): void {
    const { carrier, state, orInbound } = receipt;
    readLearning(read, carrier);
    if (orInbound) readInstead(read, receipt, orInbound);
    const isNamed = readNamed(read, receipt);
    if (!isNamed || state === null) read.values(unmatchedCount, carrier);
    if (state === null) readKeys(read, null);
  },
  decide: decideReceipt,
};

/** What decides whether an unmarked text is an inbound message. */
function readInstead(read: Reads, receipt: RecordReceipt, orInbound: RecordInbound): void {
  readForInbound(read, orInbound);
  readRoute(read, receipt.sender);
  if (!hasSentTextReceipts(read, receipt.carrier)) readInFlight(read, receipt);
}

/**
 * Matches a receipt to an attempt, and settles the attempt's parts. A receipt that matches none is kept as unmatched,
 * because its submit_sm_resp may still arrive (D1).
 *
 * If only the text looks like a receipt, sender and receiver must both match a message, because anybody can type such a
 * text (O4). It is an inbound message if the carrier is known to mark its receipts in esm_class.
 */
function decideReceipt(rows: Rows, receipt: RecordReceipt): Result<ReceiptRecorded, never> {
  const { carrier, state, orInbound } = receipt;
  if (state === null) return leave(rows, receipt, 'unreadable');
  if (orInbound && !readsTexts(rows, carrier)) return becomeInbound(rows, orInbound);
  if (orInbound) rows.node.lastMessageId = Math.max(rows.node.lastMessageId, orInbound.id);
  else seeMarkedReceipt(rows, carrier, receipt.at);
  const named = match(rows, receipt);
  if (named === undefined) return leave(rows, receipt, 'unknown');
  if (named === 'undecided') return leave(rows, receipt, named);
  return settle(rows, { ...receipt, state }, named);
}

/** The attempt that the receipt names by its id, or else the only one in doubt between its numbers. */
function match(rows: Rows, receipt: RecordReceipt): Named {
  const named = attemptNamed(rows, receipt) ?? namedByAnotherRule(rows, receipt);
  if (named !== undefined) return named;
  settleDoubtsBetween(rows, receipt, receipt.at);
  return soleDoubt(rows, receipt);
}

/** Moves the parts of the attempt to the state of the receipt, and learns from the match. */
function settle(
  rows: Rows,
  receipt: RecordReceipt & { readonly state: CarrierState },
  named: AttemptRow,
): Result<ReceiptRecorded, never> {
  const { carrier, state, errorCode, at, orInbound } = receipt;
  const parts = partsOf(rows, partOf(rows, named), named);
  const kept = orInbound ? keepInstead(rows, orInbound) : null;
  const isMoved = settleAll(rows, parts, { state, errorCode, at, orInbound: kept });
  if (orInbound) seeTextReceipt(rows, carrier);
  seeDialect(rows, receipt, named);
  learnFrom(rows, named, { receipt, at });
  return ok(
    isMoved ? { became: 'matched', claimedAt: named.claimedAt, message: named.message } : { became: 'duplicate' },
  );
}

/** Keeps the receipt as unmatched, unless it is the text of a person. */
function leave(rows: Rows, receipt: RecordReceipt, why: UnmatchedWhy): Result<ReceiptRecorded, never> {
  if (receipt.orInbound && isMessage(rows, receipt)) return becomeInbound(rows, receipt.orInbound);
  seeDialect(rows, receipt, undefined);
  const { carrier, carrierId, carrierIdKey, errorCode, sender, receiver } = receipt;
  const { at: receivedAt, state: carrierState, octets = null } = receipt;
  const orInbound = receipt.orInbound ? keepInstead(rows, receipt.orInbound) : null;
  const named = { carrier, carrierId, carrierIdKey, sender, receiver };
  park(rows, { ...named, carrierState, errorCode, receivedAt, why, octets, orInbound });
  return ok({ became: 'unmatched' });
}

function becomeInbound(rows: Rows, orInbound: RecordInbound): Result<ReceiptRecorded, never> {
  decideInbound(rows, orInbound);
  return ok({ became: 'inbound' });
}

/**
 * Whether a text that looks like a receipt is an inbound message (O4). Three things must be true: the carrier is not
 * known to send receipts by text alone, no part to this receiver is in flight or in doubt, and the number belongs to an
 * account.
 */
function isMessage(rows: Rows, receipt: RecordReceipt): boolean {
  if (sendsTextReceipts(rows, receipt.carrier)) return false;
  const isOnItsWay = (inFlightTo(rows, receipt) ?? []).length > 0;
  const isInDoubt = doubtsOf(rows, receipt).some((attempt) => !isFinal(partOf(rows, attempt).state));
  return !isOnItsWay && !isInDoubt && numberOf(rows, receipt.sender) !== undefined;
}

/**
 * Matches a receipt by another id rule than the learned rule. This is needed if a carrier has several systems, or has
 * changed its ids. A long id with the right receiver is enough. A receipt with a short id waits until the other rule is
 * learned.
 */
function namedByAnotherRule(rows: Rows, receipt: RecordReceipt): Named {
  const attempt = isLearned(rows, receipt.carrier) ? attemptUnderOtherRules(rows, receipt) : undefined;
  if (!attempt) return undefined;
  doubtLearned(rows, attempt, { receipt, at: receipt.at });
  return isLong(receipt) ? attempt : attemptNamed(rows, receipt);
}
