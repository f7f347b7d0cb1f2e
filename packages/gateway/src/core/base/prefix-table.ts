/**
 * Finds the longest prefix of a number. Each prefix is stored as an integer with a leading 1, so that `04` and `4`
 * differ. A look-up then reads a map a few times and cuts no strings.
 */
export class PrefixTable<T> {
  readonly #values = new Map<number, T>();
  #longest = 0;

  set(prefix: string, value: T): void {
    this.#values.set(Number(`1${prefix}`), value);
    this.#longest = Math.max(this.#longest, prefix.length);
  }

  get(prefix: string): T | undefined {
    return this.#values.get(Number(`1${prefix}`));
  }

  /** The value of the longest prefix of `digits`, which may begin with a `+`. */
  longest(digits: string): T | undefined {
    let found = this.#values.get(1);
    let key = 1;
    const start = digits.charCodeAt(0) === plus ? 1 : 0;
    const end = Math.min(digits.length, start + this.#longest);
    for (let at = start; at < end; at++) {
      key = key * 10 + digits.charCodeAt(at) - zero;
      const value = this.#values.get(key);
      if (value !== undefined) found = value;
    }
    return found;
  }

  /** The values of all prefixes of `digits`, the longest prefix first. */
  all(digits: string): T[] {
    const bare = digits.charCodeAt(0) === plus ? digits.slice(1) : digits;
    const found: T[] = [];
    for (let length = Math.min(bare.length, this.#longest); length >= 0; length--) {
      const value = this.#values.get(Number(`1${bare.slice(0, length)}`));
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  get size(): number {
    return this.#values.size;
  }
}

const plus = 0x2b;
const zero = 0x30;
