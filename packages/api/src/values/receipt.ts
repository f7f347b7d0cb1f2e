/**
 * Why a receipt is unmatched: no answer of the carrier has its id; the carrier's id rule is not known yet and its id may be that of
 * several messages, so it is looked at again; or it does not say what became of a message.
 */
export const unmatchedReasons = ['unknown', 'undecided', 'unreadable'] as const;
export type UnmatchedWhy = (typeof unmatchedReasons)[number];
