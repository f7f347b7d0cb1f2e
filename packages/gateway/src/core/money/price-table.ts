/*
 * The prices of one version of a price list, in a hash table of typed arrays. The table moves between threads without
 * copying, and finds the longest prefix with a few reads.
 */

import { toMicros, type Micros } from '@morsel/api/values/money.ts';

/** The arrays of a hash table with open addressing. An empty slot has the key 0. */
export interface PackedPrices {
  /** Prefixes with a leading 1, so that `04` and `4` differ: at most sixteen digits, which a float stores exactly. */
  readonly keys: Float64Array<ArrayBuffer>;
  readonly micros: BigInt64Array<ArrayBuffer>;
  readonly size: number;
  /** Bit n is set if a prefix with n digits exists. A look-up skips all other lengths. */
  readonly lengths: number;
}

const plus = 0x2b;
const zero = 0x30;
/**
 * 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming 3, section 6.4). It spreads keys that differ
 * only in their last digits.
 */
const spread = 0x9e3779b1;
/** Least number of slots for each price. At most half of the slots are used, so that a search ends soon. */
const slotsEach = 2;
/** Number of slots in the smallest table. The number of slots is always a power of two. */
const slotsMin = 16;

/** The prices in a table never change. */
export class PriceTable {
  readonly #keys: Float64Array;
  readonly #micros: BigInt64Array;
  readonly #lengths: number;
  readonly #mask: number;
  readonly size: number;

  constructor(packed: PackedPrices) {
    this.#keys = packed.keys;
    this.#micros = packed.micros;
    this.#lengths = packed.lengths;
    this.#mask = packed.keys.length - 1;
    this.size = packed.size;
  }

  /** The slot of the longest prefix of `digits`, which may begin with a `+`; -1 if no prefix has a price. */
  find(digits: string): number {
    let found = (this.#lengths & 1) === 0 ? -1 : this.#slotOf(1, 0);
    let key = 1;
    let hash = 0;
    let rest = this.#lengths >>> 1;
    for (let at = digits.charCodeAt(0) === plus ? 1 : 0; rest !== 0 && at < digits.length; at++) {
      const digit = digits.charCodeAt(at) - zero;
      key = key * 10 + digit;
      hash = hashOn(hash, digit);
      if ((rest & 1) === 1) {
        const slot = this.#slotOf(key, hash);
        if (slot !== -1) found = slot;
      }
      rest >>>= 1;
    }
    return found;
  }

  /** The key in a slot. If two keys are prefixes of the same number, the longer prefix has the greater key. */
  keyAt(slot: number): number {
    return this.#keys[slot] ?? 0;
  }

  priceAt(slot: number): Micros {
    return toMicros(this.#micros[slot] ?? 0n);
  }

  get(prefix: string): Micros | undefined {
    const slot = this.#slotOf(keyOf(prefix), hashOf(prefix));
    return slot === -1 ? undefined : this.priceAt(slot);
  }

  /** All prices by prefix, in no order. */
  *entries(): Generator<[prefix: string, price: Micros]> {
    for (const [slot, key] of this.#keys.entries()) {
      // Removes the leading 1 of the key.
      if (key !== 0) yield [String(key).slice(1), this.priceAt(slot)];
    }
  }

  #slotOf(key: number, hash: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const there = this.#keys[slot];
      if (there === key) return slot;
      if (there === 0) return -1;
    }
  }
}

/** The caller adds each prefix only once. */
export class PricePacker {
  #keys = new Float64Array(slotsMin);
  #micros = new BigInt64Array(slotsMin);
  /** The hash of each key, stored so that it need not be computed again when the table grows. */
  #hashes = new Int32Array(slotsMin);
  #size = 0;
  #lengths = 0;

  add(prefix: string, unitPrice: Micros): void {
    if (this.#size * slotsEach >= this.#keys.length) this.#grow();
    this.#put(keyOf(prefix), unitPrice, hashOf(prefix));
    this.#size += 1;
    this.#lengths |= 1 << prefix.length;
  }

  pack(): PackedPrices {
    return { keys: this.#keys, micros: this.#micros, size: this.#size, lengths: this.#lengths };
  }

  #put(key: number, micros: bigint, hash: number): void {
    const mask = this.#keys.length - 1;
    let slot = hash & mask;
    while (this.#keys[slot] !== 0) slot = (slot + 1) & mask;
    this.#keys[slot] = key;
    this.#micros[slot] = micros;
    this.#hashes[slot] = hash;
  }

  #grow(): void {
    const [keys, micros, hashes] = [this.#keys, this.#micros, this.#hashes];
    this.#keys = new Float64Array(keys.length * 2);
    this.#micros = new BigInt64Array(keys.length * 2);
    this.#hashes = new Int32Array(keys.length * 2);
    for (const [slot, key] of keys.entries()) {
      if (key !== 0) this.#put(key, micros[slot] ?? 0n, hashes[slot] ?? 0);
    }
  }
}

export function priceTable(prices: readonly { readonly prefix: string; readonly unitPrice: Micros }[]): PriceTable {
  const packer = new PricePacker();
  for (const { prefix, unitPrice } of prices) packer.add(prefix, unitPrice);
  return new PriceTable(packer.pack());
}

function keyOf(prefix: string): number {
  return Number(`1${prefix}`);
}

function hashOf(prefix: string): number {
  let hash = 0;
  for (let at = 0; at < prefix.length; at++) hash = hashOn(hash, prefix.charCodeAt(at) - zero);
  return hash;
}

/** The high bits of the product are mixed best, so they are copied to the low bits, which select the slot. */
function hashOn(hash: number, digit: number): number {
  const mixed = Math.imul(hash + digit + 1, spread);
  return mixed ^ (mixed >>> 15);
}
