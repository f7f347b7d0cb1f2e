/**
 * The log is limited, because a peer that sends one unreadable PDU usually sends many. The first one is logged, and
 * then one line a minute with the number of further ones.
 */
const logEveryMs = 60_000;

/** Counts the unreadable PDUs of one peer, and decides when to log the count. */
export class UnreadableCount {
  #all = 0;
  #logged = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  get all(): number {
    return this.#all;
  }

  /**
   * Counts an unreadable PDU. If the next log line is due, returns the number of PDUs since the last line. `now` is in monotonic
   * milliseconds.
   */
  add(now: number): number | undefined {
    this.#all += 1;
    if (now - this.#loggedAt < logEveryMs) return undefined;
    const count = this.#all - this.#logged;
    this.#logged = this.#all;
    this.#loggedAt = now;
    return count;
  }
}
