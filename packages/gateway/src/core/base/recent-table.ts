/**
 * A table whose values expire after a fixed time. The time is divided into slices, each with its own small table, and
 * an expired slice is dropped as a whole. So a value stays for its full time and at most a tenth longer. A value
 * expires early only if the table is full. The caller passes the current time, which must never go back.
 */
export class RecentTable {
  readonly #slices: Slice[] = [];
  readonly #sliceMs: number;
  readonly #room: Room;
  #size = 0;

  constructor(keepMs: number, room: Room) {
    this.#sliceMs = keepMs / slicesKept;
    this.#room = room;
  }

  get size(): number {
    return this.#size;
  }

  /** The sum of the key's values. */
  sum(key: Key, nowMs: number): number {
    this.forget(nowMs);
    let sum = 0;
    for (const { values } of this.#slices) sum += values.get(key) ?? 0;
    return sum;
  }

  /** The exact time at which the key was last put. */
  newest(key: Key, nowMs: number): number | undefined {
    this.forget(nowMs);
    for (let at = this.#slices.length - 1; at >= 0; at--) {
      const value = this.#slices[at]?.values.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** How long until the sum of the key falls below `limit`; 0 if it is already below. */
  waitUntilBelow(key: Key, limit: number, nowMs: number): number {
    let sum = this.sum(key, nowMs);
    if (sum < limit) return 0;
    for (const { values, number } of this.#slices) {
      sum -= values.get(key) ?? 0;
      if (sum < limit) return (number + slicesKept + 1) * this.#sliceMs - nowMs;
    }
    return 0;
  }

  /** Adds 1 to the key's count. Returns a function that subtracts it again. */
  add(key: Key, nowMs: number): () => void {
    const { values } = this.#slice(nowMs);
    this.#put(values, key, (values.get(key) ?? 0) + 1);
    return () => {
      const count = values.get(key);
      if (count !== undefined) values.set(key, count - 1);
    };
  }

  /** Stores the current time under the key, in place of a count. Returns a function that restores the earlier time. */
  put(key: Key, nowMs: number): () => void {
    const { values } = this.#slice(nowMs);
    const before = values.get(key);
    this.#put(values, key, nowMs);
    return () => {
      // If a later time was put since, that time stays.
      if (values.get(key) === nowMs) values.set(key, before ?? Number.NEGATIVE_INFINITY);
    };
  }

  forget(nowMs: number): void {
    const oldest = Math.floor(nowMs / this.#sliceMs) - slicesKept;
    while ((this.#slices[0]?.number ?? oldest) < oldest) this.#drop();
  }

  clear(): void {
    while (this.#slices.length > 0) this.#drop();
  }

  #slice(nowMs: number): Slice {
    this.forget(nowMs);
    while (this.#slices.length > 0 && (this.#size >= keysMax || this.#room.left <= 0)) this.#drop();
    const number = Math.floor(nowMs / this.#sliceMs);
    const newest = this.#slices.at(-1);
    if (newest?.number === number) return newest;
    const slice: Slice = { number, values: new Map() };
    this.#slices.push(slice);
    return slice;
  }

  #put(values: Map<Key, number>, key: Key, value: number): void {
    if (!values.has(key)) {
      this.#size += 1;
      this.#room.left -= 1;
    }
    values.set(key, value);
  }

  #drop(): void {
    const slice = this.#slices.shift();
    if (!slice) return;
    this.#size -= slice.values.size;
    this.#room.left += slice.values.size;
    // After this, undoing a value of this slice has no effect.
    slice.values.clear();
  }
}

/** Numbers take less memory than texts as keys. */
type Key = number | string;

interface Slice {
  /** Number of the slice: its start divided by the length of a slice. */
  readonly number: number;
  readonly values: Map<Key, number>;
}

/** How many more keys all tables together may hold. */
export interface Room {
  left: number;
}

const slicesKept = 10;

/** Most keys in one table (about ten megabytes). When a table is full, its oldest slice is dropped. */
export const keysMax = 100_000;

/** Most keys in all tables together (about a hundred megabytes). */
export const keysOfAllMax = 1_000_000;
