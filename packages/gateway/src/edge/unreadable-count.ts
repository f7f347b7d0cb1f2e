/** A peer that cannot write a PDU writes many: the log is told of the first, and then how many there were in a minute. */
const toldEveryMs = 60_000;

/** Counts what could not be read of one peer, and says when it is time to tell. */
export class UnreadableCount {
  #all = 0;
  #told = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  get all(): number {
    return this.#all;
  }

  /** How many there were since it was told last, if it is to be told now. `now` is monotonic. */
  add(now: number): number | undefined {
    this.#all += 1;
    if (now - this.#toldAt < toldEveryMs) return undefined;
    const count = this.#all - this.#told;
    this.#told = this.#all;
    this.#toldAt = now;
    return count;
  }
}
