/**
 * Numbers by key that expire: a ring of small tables, one for each slice of the time. The oldest table is emptied as a
 * whole. A key counts for its time and at most a tenth longer, and shorter only if room is short. The caller passes the
 * time, which must not go back.
 */
export class RecentTable<K extends number | string> {
  readonly #slices: Slice<K>[] = [];
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

  /** The sum for the key. */
  sum(key: K, nowMs: number): number {
    this.forget(nowMs);
    let sum = 0;
    for (const { values } of this.#slices) sum += values.get(key) ?? 0;
    return sum;
  }

  /** The last value of the key. */
  newest(key: K, nowMs: number): number | undefined {
    this.forget(nowMs);
    for (let at = this.#slices.length - 1; at >= 0; at--) {
      const value = this.#slices[at]?.values.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** How long until the sum of the key is below `limit`; 0 if it is already. */
  waitUntilBelow(key: K, limit: number, nowMs: number): number {
    let sum = this.sum(key, nowMs);
    if (sum < limit) return 0;
    for (const { values, number } of this.#slices) {
      sum -= values.get(key) ?? 0;
      if (sum < limit) return (number + slicesKept + 1) * this.#sliceMs - nowMs;
    }
    return 0;
  }

  /** Counts the key once more. Returns a function that undoes it. */
  add(key: K, nowMs: number): () => void {
    const { values } = this.#slice(nowMs);
    this.#put(values, key, (values.get(key) ?? 0) + 1);
    return () => {
      const count = values.get(key);
      if (count !== undefined) values.set(key, count - 1);
    };
  }

  /** Stores a value for the key. Returns a function that undoes it. */
  put(key: K, nowMs: number, value: number): () => void {
    const { values } = this.#slice(nowMs);
    const before = values.get(key);
    this.#put(values, key, value);
    return () => {
      // A later value stays.
      if (values.get(key) === value) values.set(key, before ?? Number.NEGATIVE_INFINITY);
    };
  }

  /** Drops expired slices. */
  forget(nowMs: number): void {
    const oldest = Math.floor(nowMs / this.#sliceMs) - slicesKept;
    while ((this.#slices[0]?.number ?? oldest) < oldest) this.#drop();
  }

  /** Drops everything. */
  clear(): void {
    while (this.#slices.length > 0) this.#drop();
  }

  #slice(nowMs: number): Slice<K> {
    this.forget(nowMs);
    while (this.#slices.length > 0 && (this.#size >= keysMax || this.#room.left <= 0)) this.#drop();
    const number = Math.floor(nowMs / this.#sliceMs);
    const newest = this.#slices.at(-1);
    if (newest?.number === number) return newest;
    const slice: Slice<K> = { number, values: new Map() };
    this.#slices.push(slice);
    return slice;
  }

  #put(values: Map<K, number>, key: K, value: number): void {
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
    // A later undo finds nothing.
    slice.values.clear();
  }
}

interface Slice<K> {
  /** Its place in time, counted in slices. */
  readonly number: number;
  readonly values: Map<K, number>;
}

/** Keys that all tables together may still hold. */
export interface Room {
  left: number;
}

const slicesKept = 10;

/** Most keys of one table, some ten megabytes. When it is full the oldest slice makes room. */
export const keysMax = 100_000;

/** Most keys of all tables, some hundred megabytes. */
export const keysOfAllMax = 1_000_000;
