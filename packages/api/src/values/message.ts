/* Fixed lists of words about messages and receipts, which the gateway and the operator's HTTP API share. */

/** Final states that a delivery receipt can report. */
export const receiptEnds = ['delivered', 'undelivered', 'rejected', 'expired', 'unknown'] as const;

/** The events of a message, as `/sms/dlr` answers them. */
export const messageEvents = ['scheduled', 'queued', 'sent', 'buffered', ...receiptEnds, 'canceled'] as const;
export type MessageEvent = (typeof messageEvents)[number];

export const priorities = ['normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/** The validity of a message in seconds: for so long the gateway tries to deliver the message. */
export const validitySeconds = { min: 60, max: 259_200, standard: 172_800 } as const;

/** Decisions about a part in doubt: send the part again, treat it as accepted by the carrier, or end it as unknown. */
export const doubtSettlements = ['resend', 'sent', 'unknown'] as const;
export type DoubtSettlement = (typeof doubtSettlements)[number];

/**
 * Why a receipt is unmatched. `unknown`: no answer of the carrier has the receipt's message id. `undecided`: the message
 * id fits several messages until the gateway learns the carrier's id rule. `unreadable`: the state cannot be read.
 */
export const unmatchedReasons = ['unknown', 'undecided', 'unreadable'] as const;
export type UnmatchedWhy = (typeof unmatchedReasons)[number];
