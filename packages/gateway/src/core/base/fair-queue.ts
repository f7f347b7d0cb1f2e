/**
 * Those who wait for something scarce. Whoever they belong to have turns, one after the other, so that nobody waits for more
 * than one of each other's, however many of another's wait; those of one keep their order. When all places are taken, the
 * newest of whoever has the most makes room for one of who has fewer.
 */
export class FairQueue<T extends object> {
  readonly #max: number;
  /** By whom they belong to, who is next first. No line is empty. */
  readonly #lines = new Map<string, T[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts `waiting` behind the others of `owner`. Returns who has no place now: nobody, another, or `waiting` itself. */
  enter(owner: string, waiting: T): T | undefined {
    const line = this.#lines.get(owner) ?? [];
    const isFull = this.#size >= this.#max;
    const displaced = isFull ? this.#displace(line.length + 1) : undefined;
    if (isFull && !displaced) return waiting;
    line.push(waiting);
    this.#lines.set(owner, line);
    this.#size += 1;
    return displaced;
  }

  /** Whose turn it is; it waits no longer. */
  next(): T | undefined {
    const { value: first } = this.#lines.entries().next();
    if (!first) return undefined;
    const [owner, line] = first;
    const waiting = line.shift();
    this.#lines.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
    this.#size -= 1;
    return waiting;
  }

  /** Takes out the newest of who has the most, if those are more than `others`. */
  #displace(others: number): T | undefined {
    let longest: T[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= others) return undefined;
    this.#size -= 1;
    return longest.pop();
  }
}
