import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { refused, ok, type Result } from '@morsel/api/values/result.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';

/*
 * Signs webhook requests as the Standard Webhooks specification says: HMAC-SHA256 over `id.timestamp.body`, in base64,
 * as `v1`.
 */

const prefix = 'whsec_';
const keyMin = 24;
const keyMax = 64;
export const secretBytes = 32;

export function makeSecret(chance: Uint8Array): string {
  return prefix + Buffer.from(chance).toString('base64');
}

/** Prepares a signing key, because that costs as much as five signatures. An error does not repeat the secret. */
export function keyOfSecret(secret: string): Result<KeyObject, string> {
  const base64 = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const key = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  if (!key || key.toString('base64') !== base64) return refused('must be whsec_ followed by padded base64');
  if (key.length < keyMin || key.length > keyMax) return refused(`must have ${keyMin} to ${keyMax} bytes`);
  return ok(createSecretKey(key));
}

interface Signed {
  readonly id: string;
  readonly timestamp: number;
  /** The body of the request, or the query string of a GET. */
  readonly content: string;
}

/** A signature by each key, so that a receiver can change to a new key. */
export function signaturesOf(keys: readonly KeyObject[], { id, timestamp, content }: Signed): string {
  const signed = `${id}.${timestamp}.${content}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}

/** The headers of a signed request (Standard Webhooks). */
export function signedHeaders(
  keys: readonly KeyObject[],
  { id, at, content }: Omit<Signed, 'timestamp'> & { readonly at: Instant },
): { readonly [name: string]: string } {
  const timestamp = Math.floor(at / secondMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf(keys, { id, timestamp, content }),
  };
}
