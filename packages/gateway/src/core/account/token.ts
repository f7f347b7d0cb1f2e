import { hash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenScope } from '@morsel/api/values/token.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { AllowList } from '@morsel/api/values/allow-list.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** What we keep of a token: never the token itself. `hash` is SHA-256 of its secret, which has 256 bits of chance in it. */
export interface TokenRecord {
  readonly id: string;
  readonly account: number;
  readonly hash: Uint8Array;
  /** What it is good for. */
  readonly scopes: readonly TokenScope[];
  /** Where it may be used from. */
  readonly from: AllowList<AddressRange>;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
}

const idBytes = 6;
const secretBytes = 32;

/** Random bytes that `makeToken` needs. */
export const tokenRandomBytes = idBytes + secretBytes;

/** Longest thing worth looking at as a token; ours have 72 characters. */
const tokenLengthMax = 128;

// morsel_ + id (12 hex) + _ + secret (43 base64url) + CRC-32 of all before it (8 hex): scanners for leaked secrets recognise
// it, and a mistyped one is refused without a look-up.
const tokenPattern = /^morsel_([0-9a-f]{12})_([\w-]{43})([0-9a-f]{8})$/;

/** The public id in a token that was verified. */
export function tokenIdOf(token: string): string {
  return token.split('_', 2)[1] ?? '';
}

/** Makes a token from `tokenRandomBytes` bytes of chance; the text is shown once and only its record is kept. */
export function makeToken(random: Uint8Array): { text: string; id: string; hash: Uint8Array } {
  const id = Buffer.from(random.subarray(0, idBytes)).toString('hex');
  const secret = Buffer.from(random.subarray(idBytes, tokenRandomBytes)).toString('base64url');
  const body = `morsel_${id}_${secret}`;
  return { text: body + checksum(body), id, hash: hash('sha256', secret, 'buffer') };
}

/** The record that `text` proves, or undefined: unknown, mistyped, revoked and expired ones are all alike to the caller. */
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
