/* Closed lists of words about messages and receipts, which the gateway and its operator's contract share. */

/** Ends that a receipt can report. */
export const receiptEnds = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown'] as const;

/** The event in `/sms/dlr`. */
export const messageEvents = ['scheduled', 'queued', 'sent', 'buffered', ...receiptEnds, 'canceled'] as const;
export type MessageEvent = (typeof messageEvents)[number];

export const priorities = ['normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/** Seconds that a message may be tried. */
export const validitySeconds = { min: 60, max: 259_200, standard: 172_800 } as const;

/** How an operator can settle a part in doubt: send it again, or the carrier has it, or its fate is unknown. */
export const doubtSettlements = ['resend', 'sent', 'unknown'] as const;
export type DoubtSettlement = (typeof doubtSettlements)[number];

/**
 * Why a receipt is unmatched: no answer of the carrier has its id; or the carrier's id rule is not known yet and its id
 * fits several messages, so it is looked at again; or its state cannot be read.
 */
export const unmatchedReasons = ['unknown', 'undecided', 'unreadable'] as const;
export type UnmatchedWhy = (typeof unmatchedReasons)[number];
