/*
 * API tokens: how they are made, read and checked. A token is the text `morsel_`, a public id, a secret and a checksum;
 * only a hash of the secret is stored.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** The stored record of a token, never the token itself. `hash` is SHA-256 of its secret, which has 256 random bits. */
export interface TokenRecord {
  readonly id: string;
  readonly account: number;
  readonly hash: Uint8Array;
  /** Scopes. */
  readonly scopes: readonly TokenScope[];
  /** Networks that it works from. */
  readonly from: AllowList<AddressRange>;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
}

const idBytes = 6;
const secretBytes = 32;

/** Random bytes that `makeToken` needs. */
export const tokenRandomBytes = idBytes + secretBytes;

/** Longest text that is checked; our tokens have 72 characters. */
const tokenLengthMax = 128;

// morsel_ + id (12 hex) + _ + secret (43 base64url) + CRC-32 of everything before it (8 hex). Scanners for leaked
// secrets recognise it, and a mistyped token is refused without a look-up.
const tokenPattern = /^morsel_([0-9a-f]{12})_([\w-]{43})([0-9a-f]{8})$/;

/** The public id in a verified token. */
export function tokenIdOf(token: string): string {
  return token.split('_', 2)[1] ?? '';
}

/** Makes a token from `tokenRandomBytes` random bytes. The text is shown once; only the record is stored. */
export function makeToken(random: Uint8Array): { text: string; id: string; hash: Uint8Array } {
  const id = Buffer.from(random.subarray(0, idBytes)).toString('hex');
  const secret = Buffer.from(random.subarray(idBytes, tokenRandomBytes)).toString('base64url');
  const body = `morsel_${id}_${secret}`;
  return { text: body + checksum(body), id, hash: hash('sha256', secret, 'buffer') };
}

/** The record that `text` proves. Undefined for unknown, mistyped, revoked and expired tokens alike. */
export function verifyToken(
  tokens: ReadonlyMap<string, TokenRecord>,
  text: string,
  now: Instant,
): TokenRecord | undefined {
  if (text.length > tokenLengthMax) return undefined;
  const match = tokenPattern.exec(text);
  if (!match) return undefined;
  const [, id = '', secret = '', sum = ''] = match;
  if (checksum(text.slice(0, -sum.length)) !== sum) return undefined;
  const record = tokens.get(id);
  if (!record || !timingSafeEqual(hash('sha256', secret, 'buffer'), record.hash)) return undefined;
  if (record.revokedAt !== undefined || (record.expiresAt !== undefined && record.expiresAt <= now)) return undefined;
  return record;
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
