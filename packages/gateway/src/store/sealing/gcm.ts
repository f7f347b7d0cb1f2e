/*
 * AES-256-GCM for many short values under one key (NIST SP 800-38D). OpenSSL encrypts the counter blocks of many values in one
 * call, and the hash over each value (GHASH) is computed here: a call of OpenSSL for each value costs 5 to 11 us, this 1 to 2.
 * The result is that of OpenSSL, octet by octet, and OpenSSL opens it.
 */

import { createCipheriv, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const blockBytes = 16;
const wordBytes = 4;
export const nonceBytes = 12;
export const tagBytes = 16;
/** What is authenticated with a value. */
export const boundBytes = 16;
/** The name of the cipher. */
export const gcm = 'aes-256-gcm';

/** Half of a nonce is random for each object, and the other half counts, so no nonce is used twice. */
const prefixBytes = 8;
const countMax = 0xff_ff_ff_ff;

/** Values whose counter blocks are encrypted together, and the blocks of each: one for the tag, and the others for its octets. */
const together = 32;
const blocksOfValue = 12;
const strideBytes = blocksOfValue * blockBytes;

/** The longest value: a text of one part has up to 160 octets. */
export const shortMax = (blocksOfValue - 1) * blockBytes;

export class ShortValueGcm {
  readonly #key: KeyObject;
  readonly #table: Int32Array;
  readonly #hash = new Int32Array(4);
  readonly #work = Buffer.alloc(shortMax);
  readonly #workWords = wordsOf(this.#work);
  /** The counter blocks, and the same encrypted. */
  readonly #counters = Buffer.alloc(together * strideBytes);
  readonly #counterWords = wordsOf(this.#counters);
  #stream = this.#counterWords;
  #next = together;
  #count = countMax;

  constructor(key: KeyObject) {
    this.#key = key;
    this.#table = tableOf(wordsOf(ecb(key, Buffer.alloc(blockBytes))));
    for (let block = 0; block < together * blocksOfValue; block++) {
      this.#counterWords.setInt32(block * blockBytes + nonceBytes, (block % blocksOfValue) + 1);
    }
  }

  /**
   * Encrypts a value of up to `shortMax` octets. Writes the nonce, the encrypted octets and the tag from `at` on. `bound` is
   * authenticated with it.
   */
  seal(value: Uint8Array, bound: DataView, { into, at }: { readonly into: Buffer; readonly at: number }): void {
    const place = this.#nextPlace();
    const [hash, work, words, stream, { length }] = [this.#hash, this.#work, this.#workWords, this.#stream, value];
    for (let part = 0; part < 4; part++) hash[part] = bound.getInt32(part * wordBytes);
    multiply(hash, this.#table);
    work.set(value);
    for (let block = 0; block < length; block += blockBytes) {
      for (let octet = block; octet < block + blockBytes; octet += wordBytes) {
        words.setInt32(octet, words.getInt32(octet) ^ stream.getInt32(place + blockBytes + octet));
      }
      if (block + blockBytes > length) work.fill(0, length, block + blockBytes);
      for (let part = 0; part < 4; part++) hash[part] = (hash[part] ?? 0) ^ words.getInt32(block + part * wordBytes);
      multiply(hash, this.#table);
    }
    hash[1] = (hash[1] ?? 0) ^ (boundBytes * 8);
    hash[3] = (hash[3] ?? 0) ^ (length * 8);
    multiply(hash, this.#table);
    this.#counters.copy(into, at, place, place + nonceBytes);
    work.copy(into, at + nonceBytes, 0, length);
    const end = at + nonceBytes + length;
    for (let part = 0; part < 4; part++) {
      into.writeInt32BE((hash[part] ?? 0) ^ stream.getInt32(place + part * wordBytes), end + part * wordBytes);
    }
  }

  #nextPlace(): number {
    if (this.#next === together) this.#fill();
    return this.#next++ * strideBytes;
  }

  #fill(): void {
    const counters = this.#counters;
    if (this.#count + together > countMax) {
      const prefix = randomBytes(prefixBytes);
      for (let block = 0; block < counters.length; block += blockBytes) counters.set(prefix, block);
      this.#count = 0;
    }
    for (let value = 0; value < together; value++) {
      const count = ++this.#count;
      const from = value * strideBytes + prefixBytes;
      for (let block = 0; block < strideBytes; block += blockBytes) this.#counterWords.setUint32(from + block, count);
    }
    this.#stream = wordsOf(ecb(this.#key, counters));
    this.#next = 0;
  }
}

function wordsOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Multiplies with the hash key, octet by octet from the last one (section 6.3, with the tables of Shoup's method). */
function multiply(factor: Int32Array, table: Int32Array): void {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let part = 3; part >= 0; part--) {
    const octets = factor[part] ?? 0;
    for (let shift = 0; shift < 32; shift += 8) {
      const lost = table[productWords + (d & 255)] ?? 0;
      const entry = ((octets >>> shift) & 255) << 2;
      d = ((d >>> 8) | (c << 24)) ^ (table[entry + 3] ?? 0);
      c = ((c >>> 8) | (b << 24)) ^ (table[entry + 2] ?? 0);
      b = ((b >>> 8) | (a << 24)) ^ (table[entry + 1] ?? 0);
      a = (a >>> 8) ^ lost ^ (table[entry] ?? 0);
    }
  }
  factor[0] = a;
  factor[1] = b;
  factor[2] = c;
  factor[3] = d;
}

/** The products of the hash key with each octet, in four words each. Behind them, what replaces the octet that a shift loses. */
const productWords = 256 * 4;

function tableOf(hashKey: DataView): Int32Array {
  const table = new Int32Array(productWords + 256);
  let product = [0, 4, 8, 12].map((at) => hashKey.getInt32(at));
  // Bit 0 of a block is its highest one.
  for (let bit = 128; bit >= 1; bit >>= 1) {
    for (let octet = 1; octet < 256; octet++) {
      if ((octet & bit) === 0) continue;
      for (const [part, each] of product.entries()) table[octet * 4 + part] = (table[octet * 4 + part] ?? 0) ^ each;
    }
    product = timesX(product);
  }
  for (let octet = 0; octet < 256; octet++) {
    let lost = [0, 0, 0, octet];
    for (let bit = 0; bit < 8; bit++) lost = timesX(lost);
    table[productWords + octet] = lost[0] ?? 0;
  }
  return table;
}

/** Multiplies by x: a shift, reduced by x^128 + x^7 + x^2 + x + 1. */
function timesX(words: readonly number[]): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = words;
  const reduced = (d & 1) === 0 ? 0 : 0xe1_00_00_00;
  return [(a >>> 1) ^ reduced, (b >>> 1) | (a << 31), (c >>> 1) | (b << 31), (d >>> 1) | (c << 31)];
}

function ecb(key: KeyObject, blocks: Buffer): Buffer {
  return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(blocks);
}
