/**
 * A queue that serves its owners in turn, one entry at a time, so that an owner with many entries does not delay the
 * others. Entries of one owner keep their order. When the queue is full, the owner with the most entries loses its
 * newest entry to an owner with fewer entries.
 */
export class FairQueue<T extends object> {
  readonly #max: number;
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds an entry behind the owner's others. If the queue was full, returns the dropped entry, maybe `waiting` itself.
   */
  enter(owner: string, waiting: T): T | undefined {
    const queue = this.#queues.get(owner) ?? [];
    const isFull = this.#size >= this.#max;
    const displaced = isFull ? this.#displace(queue.length + 1) : undefined;
    if (isFull && !displaced) return waiting;
    queue.push(waiting);
    this.#queues.set(owner, queue);
    this.#size += 1;
    return displaced;
  }

  next(): T | undefined {
    const { value: first } = this.#queues.entries().next();
    if (!first) return undefined;
    const [owner, queue] = first;
    const waiting = queue.shift();
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue);
    this.#size -= 1;
    return waiting;
  }

  /** Removes the newest entry of the owner with the most entries, if that owner has more than `others` entries. */
  #displace(others: number): T | undefined {
    let longest: T[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= others) return undefined;
    this.#size -= 1;
    return longest.pop();
  }
}
