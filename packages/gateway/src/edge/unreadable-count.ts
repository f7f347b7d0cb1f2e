/** A peer that writes one unreadable PDU writes many. The first is logged, and then one line a minute with their number. */
const logEveryMs = 60_000;

/** Counts the unreadable PDUs of one peer, and says when to log. */
export class UnreadableCount {
  #all = 0;
  #logged = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  get all(): number {
    return this.#all;
  }

  /** The number since the last log line, if it is time for the next one. `now` is monotonic. */
  add(now: number): number | undefined {
    this.#all += 1;
    if (now - this.#loggedAt < logEveryMs) return undefined;
    const count = this.#all - this.#logged;
    this.#logged = this.#all;
    this.#loggedAt = now;
    return count;
  }
}
