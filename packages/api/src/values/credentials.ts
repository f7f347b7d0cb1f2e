/* The forms of what clients authenticate with: tokens, and the logins of SMPP. */

/** send: send, quote and cancel messages; dlr: read delivery reports; balance: read the balance. */
export const tokenScopes = ['send', 'dlr', 'balance'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The public part of a token, which names it: 12 hexadecimal digits. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}

/** A system_id has 16 octets with its NUL (SMPP 3.4, section 5.2.1). */
export const systemIdMax = 15;

/** Whether a client of SMPP can say who it is with it. */
export function isSystemId(text: string): boolean {
  return text.length <= systemIdMax && /^[\x21-\x7e]+$/.test(text);
}

/** Characters of a password that we make: all that a client may have room for, 9 octets with the NUL (SMPP 3.4, section 5.2.2). */
export const passwordLength = 8;
/** Of one that an operator gives: shorter is guessed, and longer is more than any client will send. */
export const passwordMin = 6;
export const passwordMax = 64;
