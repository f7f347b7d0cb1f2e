/*
 * Makes, reads and checks API tokens and operator keys. Both consist of a prefix, a public id, a secret and a checksum.
 * Only a hash of the secret is stored.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** The stored record of a token or of an operator key. `hash` is the SHA-256 of its secret, which has 256 random bits. */
interface StoredKey {
  readonly id: string;
  readonly hash: Uint8Array;
  readonly from: AllowList<AddressRange>;
  readonly expiresAt: Instant | null | undefined;
  readonly revokedAt: Instant | null | undefined;
}

export interface TokenRecord extends StoredKey {
  readonly account: number;
  readonly scopes: readonly TokenScope[];
}

export interface OperatorKeyRecord extends StoredKey {
  readonly operator: string;
  /** A session is a key in the cookie of a browser. */
  readonly kind: 'key' | 'session';
}

const idBytes = 6;
const secretBytes = 32;

export const tokenRandomBytes = idBytes + secretBytes;

/** A longer text is refused without a check. A token has 72 characters. */
const tokenLengthMax = 128;

// A token is morsel_ + id (12 hex digits) + _ + secret (43 base64url characters) + CRC-32 of all before it (8 hex
// digits). Scanners for leaked secrets recognise this form, and the checksum refuses a mistyped token without a
// look-up. An operator key begins with morselop_ instead.
const patterns = {
  morsel: /^morsel_([0-9a-f]{12})_([\w-]{43})([0-9a-f]{8})$/,
  morselop: /^morselop_([0-9a-f]{12})_([\w-]{43})([0-9a-f]{8})$/,
} as const;

export function tokenIdOf(token: string): string {
  return token.split('_', 2)[1] ?? '';
}

export interface MadeToken {
  readonly text: string;
  readonly id: string;
  readonly hash: Uint8Array;
}

/** `random` has `tokenRandomBytes` bytes. The token's text is shown once and never stored. */
export function makeToken(random: Uint8Array, prefix: keyof typeof patterns = 'morsel'): MadeToken {
  const id = Buffer.from(random.subarray(0, idBytes)).toString('hex');
  const secret = Buffer.from(random.subarray(idBytes, tokenRandomBytes)).toString('base64url');
  const body = `${prefix}_${id}_${secret}`;
  return { text: body + checksum(body), id, hash: hashOf(secret) };
}

/** Undefined if the token is unknown, mistyped, revoked or expired. */
export function verifyToken(
  tokens: ReadonlyMap<string, TokenRecord>,
  text: string,
  now: Instant,
): TokenRecord | undefined {
  return verify(tokens, text, { now, pattern: patterns.morsel });
}

/**
 * Verifies tokens as `verifyToken` does, and remembers the text of each verified one, so that a client's requests need
 * no hash. The text is kept as long as its record, which a change of the settings replaces. It is not the key of a map:
 * only a comparison in constant time tells nothing of a secret to a client that guesses.
 */
export class VerifiedTokens {
  readonly #texts = new WeakMap<TokenRecord, Buffer>();

  verify(tokens: ReadonlyMap<string, TokenRecord>, text: string, now: Instant): TokenRecord | undefined {
    const record = text.length > tokenLengthMax ? undefined : tokens.get(tokenIdOf(text));
    const known = record && this.#texts.get(record);
    if (known) {
      const given = Buffer.from(text);
      if (given.length === known.length && timingSafeEqual(given, known))
        return isEnded(record, now) ? undefined : record;
    }
    const verified = verifyToken(tokens, text, now);
    if (verified) this.#texts.set(verified, Buffer.from(text));
    return verified;
  }
}

/** Undefined if the key is unknown, mistyped, revoked or expired. */
export function verifyOperatorKey(
  keys: ReadonlyMap<string, OperatorKeyRecord>,
  text: string,
  now: Instant,
): OperatorKeyRecord | undefined {
  return verify(keys, text, { now, pattern: patterns.morselop });
}

function verify<R extends StoredKey>(
  records: ReadonlyMap<string, R>,
  text: string,
  { now, pattern }: { readonly now: Instant; readonly pattern: RegExp },
): R | undefined {
  if (text.length > tokenLengthMax) return undefined;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, id = '', secret = '', sum = ''] = match;
  if (checksum(text.slice(0, -sum.length)) !== sum) return undefined;
  const record = records.get(id);
  if (!record || !timingSafeEqual(hashOf(secret), record.hash)) return undefined;
  return isEnded(record, now) ? undefined : record;
}

export function isEnded({ revokedAt, expiresAt }: Pick<StoredKey, 'revokedAt' | 'expiresAt'>, now: Instant): boolean {
  return (revokedAt ?? null) !== null || (expiresAt ?? Number.POSITIVE_INFINITY) <= now;
}

/** Node makes a digest as text, and a Buffer of it, in half the time of a digest as Buffer. */
function hashOf(secret: string): Uint8Array {
  return Buffer.from(hash('sha256', secret, 'hex'), 'hex');
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
