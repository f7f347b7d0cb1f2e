/* The forms of clients' credentials: tokens, and SMPP logins. */

/** send: send, quote and cancel messages; dlr: read delivery reports; balance: read the balance. */
export const tokenScopes = ['send', 'dlr', 'balance'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The public part of a token, which names it: 12 hexadecimal digits. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}

/** A system_id has 16 octets with its NUL (SMPP 3.4, section 5.2.1). */
export const systemIdMax = 15;

/** Whether an SMPP client can send it as system_id. */
export function isSystemId(text: string): boolean {
  return text.length <= systemIdMax && /^[\x21-\x7e]+$/.test(text);
}

/**
 * Characters of a generated password: as many as every client has room for, 9 octets with the NUL (SMPP 3.4, section
 * 5.2.2).
 */
export const passwordLength = 8;
/** Of a password from the operator: a shorter one can be guessed, and no client sends a longer one. */
export const passwordMin = 6;
export const passwordMax = 64;
