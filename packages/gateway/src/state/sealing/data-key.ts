/*
 * One key of an account, or of the gateway itself. It seals values with AES-256-GCM, and binds each value to its row
 * and column. A value that was moved to another place cannot be opened.
 */

import { createCipheriv, createDecipheriv, createHmac, randomFillSync, type KeyObject } from 'node:crypto';

/** The name of the cipher (NIST SP 800-38D). */
export const gcm = 'aes-256-gcm';
export const nonceBytes = 12;
export const tagBytes = 16;

/** A stored value: format, key version, nonce, encrypted octets, tag. */
export type Sealed = Uint8Array & { readonly sealed: true };

/** The number of each column with sealed values. A number is never reused, because sealed values are bound to it. */
const columns = {
  /** Its second number is the place of the secret among those of its kind. */
  'carrier.secrets': 1,
  'webhook_secret.secret': 4,
  'message.content': 5,
  'inbound.content': 6,
  'inbound_part.content': 7,
  'unmatched_receipt.octets': 9,
  'alarm_receiver.secret': 10,
  'operator_sign_in.code_secret': 11,
  'account.callback_secret': 12,
} as const;

/** Where a value is stored. */
export interface SealedPlace {
  readonly column: keyof typeof columns;
  /** The id of the row. */
  readonly id: number;
  /** The second number of the row's key, such as the number of a part. */
  readonly number?: number;
}

const format = 1;
const headBytes = 3;

/** The octets that are authenticated with a value: its place. */
const boundBytes = 16;

/** Random nonces are made many at once, because each call of the generator costs more than the encryption of a text. */
const nonces = Buffer.alloc(256 * nonceBytes);
let nextNonceAt = nonces.length;

function nextNonce(): Buffer {
  if (nextNonceAt === nonces.length) {
    randomFillSync(nonces);
    nextNonceAt = 0;
  }
  return nonces.subarray(nextNonceAt, (nextNonceAt += nonceBytes));
}

export class DataKey {
  readonly #key: KeyObject;
  readonly #version: number;
  readonly #bound = new DataView(new ArrayBuffer(boundBytes));
  /**
   * The octets of `#bound`, for OpenSSL. After about ten thousand calls, Node 24.21 refuses a DataView here, because
   * the caller is optimized then.
   */
  readonly #boundOctets = new Uint8Array(this.#bound.buffer);

  constructor(key: KeyObject, version: number) {
    this.#key = key;
    this.#version = version;
  }

  seal(place: SealedPlace, value: Uint8Array | string): Sealed {
    const octets = typeof value === 'string' ? Buffer.from(value) : value;
    const sealed = Buffer.allocUnsafe(headBytes + nonceBytes + octets.length + tagBytes);
    sealed[0] = format;
    sealed[1] = this.#version >> 8;
    sealed[2] = this.#version;
    this.#setBound(place);
    const nonce = nextNonce();
    const made = createCipheriv(gcm, this.#key, nonce).setAAD(this.#boundOctets);
    sealed.set(nonce, headBytes);
    sealed.set(made.update(octets), headBytes + nonceBytes);
    made.final();
    sealed.set(made.getAuthTag(), headBytes + nonceBytes + octets.length);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is what makes the brand
    return sealed as unknown as Sealed;
  }

  /** Opens a value. Throws if the value was changed, or belongs to another place. */
  open(place: SealedPlace, sealed: Uint8Array): Buffer {
    const end = sealed.length - tagBytes;
    const from = headBytes + nonceBytes;
    if (sealed[0] !== format || end < from) throw new Error(`a sealed value of ${place.column} has an unknown format`);
    const opened = createDecipheriv(gcm, this.#key, sealed.subarray(headBytes, from), { authTagLength: tagBytes });
    this.#setBound(place);
    opened.setAAD(this.#boundOctets).setAuthTag(sealed.subarray(end));
    const octets = opened.update(sealed.subarray(from, end));
    try {
      opened.final();
    } catch {
      throw new Error(`a sealed value of ${place.column} was changed, or belongs to another row`);
    }
    return octets;
  }

  /** A hash that only an owner of the key can compute, so that a short text cannot be guessed from the hash. */
  mac(value: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(value).digest();
  }

  #setBound({ column, id, number = 0 }: SealedPlace): void {
    const bound = this.#bound;
    bound.setUint32(0, columns[column]);
    bound.setUint32(4, number);
    bound.setUint32(8, Math.floor(id / 2 ** 32));
    bound.setUint32(12, id % 2 ** 32);
  }
}

/** The version of the key with which a value was sealed. */
export function keyVersionOf(sealed: Uint8Array): number {
  return ((sealed[1] ?? 0) << 8) | (sealed[2] ?? 0);
}
