import { messageStateTable, writeReceipt, type Ask } from '@morsel/smpp';
import { between, type Submitted } from './addresses.ts';
import type { ReceiptPlan } from './plans.ts';

/* Builds the delivery receipts that the simulator sends. */

export interface ReceiptFacts {
  readonly message: Submitted;
  /** The message id in the form of the receipt. */
  readonly id: string;
  readonly doneAtMs: number;
  /** False for a client of SMPP 3.3, which has no TLVs. */
  readonly hasTlvs: boolean;
}

export function receiptPdu(plan: ReceiptPlan, facts: ReceiptFacts): Ask {
  const { message, id, doneAtMs } = facts;
  const { state, networkError, rewrite } = plan;
  const isFailure = state !== 'DELIVERED' && messageStateTable[state].final;
  const { submittedAtMs, head: text } = message;
  const error = isFailure ? '001' : '000';
  const written = writeReceipt({
    id,
    state,
    submittedAtMs,
    doneAtMs,
    error,
    text,
    ...(networkError && { networkError }),
  });
  const receipt = {
    command: 'deliver_sm',
    ...between(message.destination, message.source),
    ...written,
    tlvs: facts.hasTlvs ? written.tlvs : [],
  } as const;
  return rewrite === undefined ? receipt : rewrite(receipt);
}
