/*
 * One key of an account, or of the gateway itself. It seals values with AES-256-GCM, and binds each value to its row and column,
 * so that a value that was moved to another place does not open.
 */

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A stored value: format, version of its key, nonce, encrypted octets, tag. */
export type Sealed = Uint8Array & { readonly sealed: true };

/** Each column with sealed values. A number is never used again: it is part of what a value is bound to. */
const columns = {
  'carrier.password': 1,
  'carrier.receiver_password': 2,
  'carrier.tls_key': 3,
  'webhook_secret.secret': 4,
} as const;

/** Where a value is stored. */
export interface SealedPlace {
  readonly column: keyof typeof columns;
  /** Of the row. */
  readonly id: number;
}

const format = 1;
const headBytes = 3;
export const nonceBytes = 12;
export const tagBytes = 16;
const cipher = 'aes-256-gcm';

/** Half of a nonce is random for each object of this class, the other half counts. So no nonce is used twice. */
const prefixBytes = 8;

export class DataKey {
  readonly #key: KeyObject;
  readonly #version: number;
  readonly #nonce = Buffer.concat([randomBytes(prefixBytes), Buffer.alloc(nonceBytes - prefixBytes)]);
  readonly #bound = Buffer.alloc(16);
  #count = 0;

  constructor(key: KeyObject, version: number) {
    this.#key = key;
    this.#version = version;
  }

  seal(place: SealedPlace, value: Uint8Array | string): Sealed {
    const made = createCipheriv(cipher, this.#key, this.#nextNonce()).setAAD(this.#boundTo(place));
    const octets = typeof value === 'string' ? made.update(value, 'utf8') : made.update(value);
    made.final();
    const sealed = Buffer.allocUnsafe(headBytes + nonceBytes + octets.length + tagBytes);
    sealed[0] = format;
    sealed.writeUInt16BE(this.#version, 1);
    sealed.set(this.#nonce, headBytes);
    sealed.set(octets, headBytes + nonceBytes);
    sealed.set(made.getAuthTag(), headBytes + nonceBytes + octets.length);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is what makes the brand
    return sealed as unknown as Sealed;
  }

  /** Throws if the value was changed, or belongs to another place. */
  open(place: SealedPlace, sealed: Uint8Array): Buffer {
    const end = sealed.length - tagBytes;
    const from = headBytes + nonceBytes;
    if (sealed[0] !== format || end < from) throw new Error(`a sealed value of ${place.column} has an unknown format`);
    const opened = createDecipheriv(cipher, this.#key, sealed.subarray(headBytes, from), { authTagLength: tagBytes });
    opened.setAAD(this.#boundTo(place)).setAuthTag(sealed.subarray(end));
    const octets = opened.update(sealed.subarray(from, end));
    try {
      opened.final();
    } catch {
      throw new Error(`a sealed value of ${place.column} was changed, or belongs to another row`);
    }
    return octets;
  }

  /** A hash that only the owner of the key can compute: a short text cannot be guessed from it. */
  mac(value: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(value).digest();
  }

  #nextNonce(): Buffer {
    if (++this.#count > 0xff_ff_ff_ff) {
      this.#nonce.set(randomBytes(prefixBytes));
      this.#count = 1;
    }
    this.#nonce.writeUInt32BE(this.#count, prefixBytes);
    return this.#nonce;
  }

  #boundTo({ column, id }: SealedPlace): Buffer {
    this.#bound.writeUInt32BE(columns[column], 0);
    this.#bound.writeBigUInt64BE(BigInt(id), 8);
    return this.#bound;
  }
}

/** The version of the key with which a value was sealed. */
export function keyVersionOf(sealed: Sealed): number {
  return ((sealed[1] ?? 0) << 8) | (sealed[2] ?? 0);
}
