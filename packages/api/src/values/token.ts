/** send: send, quote and cancel messages; dlr: read delivery reports; balance: read the balance. */
export const tokenScopes = ['send', 'dlr', 'balance'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** The public part of a token, which names it: 12 hexadecimal digits. */
export function isTokenId(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
