/**
 * A queue for something scarce in which owners take turns. Nobody waits for more than one entry of each other owner,
 * however many those have. Entries of one owner keep their order. When the queue is full, the newest entry of the owner
 * with the most makes room for an owner with fewer.
 */
export class FairQueue<T extends object> {
  readonly #max: number;
  /** Queues by owner; the next owner is first. No queue is empty. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds `waiting` behind the others of `owner`. Returns the entry that lost its place, if any; this can be `waiting`
   * itself.
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

  /** Removes and returns the next entry. */
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

  /** Removes the newest entry of the owner with the most, if that owner has more than `others`. */
  #displace(others: number): T | undefined {
    let longest: T[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= others) return undefined;
    this.#size -= 1;
    return longest.pop();
  }
}
