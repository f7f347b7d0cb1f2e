/* The forms of tokens and of SMPP logins, which clients authenticate with. */

/** Permissions of a token. `send` permits sending, quoting and canceling; `dlr` delivery reports; `balance` the balance. */
export const tokenScopes = ['send', 'dlr', 'balance'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The public part of a token: 12 hexadecimal digits. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}

/** The longest name of a login, in octets. It is the system_id of a bind, and SMPP allows 16 octets with the final NUL (SMPP 3.4, section 5.2.1). */
export const userMax = 15;

export function isUser(text: string): boolean {
  return text.length <= userMax && /^[\x21-\x7e]+$/.test(text);
}

/** The length of a generated password. Every client can send 8 octets and a NUL (SMPP 3.4, section 5.2.2). */
export const passwordLength = 8;
/** Shorter passwords can be guessed. */
export const passwordMin = 6;
export const passwordMax = 64;
