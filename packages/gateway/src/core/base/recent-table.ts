/**
 * Counts that expire after a fixed time. The time is divided into slices, each with its own small table, and an expired
 * slice is dropped as a whole. So a count stays for its full time and at most a tenth longer. It expires early only if
 * the table is full. The caller passes the current time, which must never go back.
 */
export class RecentTable {
  readonly #slices: Slice[] = [];
  readonly #sliceMs: number;
  readonly #keysMax: number;
  #size = 0;

  constructor(keepMs: number, keysMax: number) {
    this.#sliceMs = keepMs / slicesKept;
    this.#keysMax = keysMax;
  }

  /** How many keys the slices have, each counted in each slice. */
  get size(): number {
    return this.#size;
  }

  sum(key: string, nowMs: number): number {
    this.#forget(nowMs);
    let sum = 0;
    for (const { counts } of this.#slices) sum += counts.get(key) ?? 0;
    return sum;
  }

  /** How long until the sum of the key falls below `limit`; 0 if it is already below. */
  waitUntilBelow(key: string, limit: number, nowMs: number): number {
    let sum = this.sum(key, nowMs);
    if (sum < limit) return 0;
    for (const { counts, number } of this.#slices) {
      sum -= counts.get(key) ?? 0;
      if (sum < limit) return (number + slicesKept + 1) * this.#sliceMs - nowMs;
    }
    return 0;
  }

  /** Adds 1 to the key's count. */
  add(key: string, nowMs: number): void {
    const { counts } = this.#slice(nowMs);
    const count = counts.get(key);
    if (count === undefined) this.#size += 1;
    counts.set(key, (count ?? 0) + 1);
  }

  #forget(nowMs: number): void {
    const oldest = Math.floor(nowMs / this.#sliceMs) - slicesKept;
    while ((this.#slices[0]?.number ?? oldest) < oldest) this.#drop();
  }

  #slice(nowMs: number): Slice {
    this.#forget(nowMs);
    while (this.#slices.length > 0 && this.#size >= this.#keysMax) this.#drop();
    const number = Math.floor(nowMs / this.#sliceMs);
    const newest = this.#slices.at(-1);
    if (newest?.number === number) return newest;
    const slice: Slice = { number, counts: new Map() };
    this.#slices.push(slice);
    return slice;
  }

  #drop(): void {
    this.#size -= this.#slices.shift()?.counts.size ?? 0;
  }
}

interface Slice {
  /** Number of the slice: its start divided by the length of a slice. */
  readonly number: number;
  readonly counts: Map<string, number>;
}

const slicesKept = 10;
