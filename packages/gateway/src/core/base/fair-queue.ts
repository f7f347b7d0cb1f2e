/**
 * Those who wait for something scarce. Whoever they belong to have turns, one after the other, so that nobody waits for more
 * than one of each other's, however many of another's wait; those of one keep their order. When all places are taken, the
 * newest of whoever has the most makes room for one of who has fewer.
 */
export class FairQueue<T extends object> {
  readonly #max: number;
  /** By whom they belong to, who is next first. No queue is empty. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Puts `waiting` behind the others of `owner`. Returns who has no place now: nobody, another, or `waiting` itself. */
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

  /** Whose turn it is; it waits no longer. */
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

  /** Takes out the newest of who has the most, if those are more than `others`. */
  #displace(others: number): T | undefined {
    let longest: T[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= others) return undefined;
    this.#size -= 1;
    return longest.pop();
  }
}
