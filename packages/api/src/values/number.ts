/** `number`: one number or short code; `prefix`: every international number that begins with these digits. */
export const numberKinds = ['number', 'prefix'] as const;
export type NumberKind = (typeof numberKinds)[number];

/**
 * Scope of a STOP. `account`: every sender of the account, whichever number it went to. A phone cannot answer an
 * alphanumeric sender, and a withdrawn consent concerns the company, not one of its numbers. `sender`: the number it
 * went to, for accounts in which each company has its number.
 */
export const optOutScopes = ['account', 'sender'] as const;
export type OptOutScope = (typeof optOutScopes)[number];

/** Meaning of an account's opt-out word; `nothing` removes a usual word. */
export const wordMeanings = ['stop', 'start', 'nothing'] as const;
export type WordMeaning = (typeof wordMeanings)[number];
