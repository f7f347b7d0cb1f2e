/** `number` is one number or short code. `prefix` is every international number that begins with the given digits. */
export const numberKinds = ['number', 'prefix'] as const;
export type NumberKind = (typeof numberKinds)[number];

/**
 * The scope of a STOP. `account`: all senders of the account. A phone cannot answer an alphanumeric sender, and consent
 * concerns the company, not one of its numbers. `sender`: only the number that got the STOP, for accounts in which each
 * company has its own number.
 */
export const optOutScopes = ['account', 'sender'] as const;
export type OptOutScope = (typeof optOutScopes)[number];

/** The meanings of an account's own opt-out word. `nothing` disables a usual word. */
export const wordMeanings = ['stop', 'start', 'nothing'] as const;
export type WordMeaning = (typeof wordMeanings)[number];
