/** `number` is one number or short code. `prefix` is every international number that begins with the given digits. */
export const numberKinds = ['number', 'prefix'] as const;
export type NumberKind = (typeof numberKinds)[number];

/**
 * To which senders a STOP applies. `account`: all senders of the account, because a phone cannot answer an alphanumeric
 * sender, and consent concerns the company. `sender`: only the number that got the STOP, for accounts of several
 * companies.
 */
export const optOutScopes = ['account', 'sender'] as const;
export type OptOutScope = (typeof optOutScopes)[number];

/** The meaning of a word in an inbound message. `nothing` disables a usual word. */
export const wordMeanings = ['stop', 'start', 'nothing'] as const;
export type WordMeaning = (typeof wordMeanings)[number];
