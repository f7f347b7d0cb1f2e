import { createHmac, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { refused, ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/* Signatures as the Standard Webhooks specification has them: HMAC-SHA256 over `id.timestamp.body`, in base64, as `v1`. */

const prefix = 'whsec_';
const keyMin = 24;
const keyMax = 64;
/** Of those that we make. */
export const secretBytes = 32;

export function makeSecret(chance: Uint8Array): string {
  return prefix + Buffer.from(chance).toString('base64');
}

/** The key in a secret, made ready once (it costs five signatures), or what is wrong with it, which says nothing of it. */
export function keyOfSecret(secret: string): Result<KeyObject, string> {
  const base64 = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  const key = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  if (!key || key.toString('base64') !== base64) return refused('it has to be whsec_ and base64, padded');
  if (key.length < keyMin || key.length > keyMax) return refused(`it has to be of ${keyMin} to ${keyMax} bytes`);
  return ok(createSecretKey(key));
}

export interface Signed {
  readonly id: string;
  /** Seconds. */
  readonly timestamp: number;
  /** The body; of a GET its query string. */
  readonly content: string;
}

/** `webhook-signature`: one by each key, so that a receiver may go over from one to the other. */
export function signaturesOf(keys: readonly KeyObject[], { id, timestamp, content }: Signed): string {
  const signed = `${id}.${timestamp}.${content}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}
