/** A second in tenths, and the one that has begun: what is counted is never less than what came in the last second. */
const slotMs = 100;
const slots = 11;

/** Counts what came in the last second. Each count costs the same, whatever came. Times are monotonic milliseconds. */
export class RecentRate {
  readonly #counts = new Uint32Array(slots);
  #slot: number;
  #sum = 0;
  #peak = 0;

  constructor(now: number) {
    this.#slot = Math.floor(now / slotMs);
  }

  add(now: number): void {
    this.#moveTo(now);
    const place = this.#slot % slots;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#sum += 1;
  }

  /** How many came in the last second, or in up to a tenth of a second more. */
  lastSecond(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

  /** The most that ever came in a second. */
  get peak(): number {
    return Math.max(this.#peak, this.#sum);
  }

  #moveTo(now: number): void {
    const slot = Math.floor(now / slotMs);
    if (slot <= this.#slot) return;
    this.#peak = this.peak;
    for (let each = Math.max(this.#slot + 1, slot - slots + 1); each <= slot; each++) {
      this.#sum -= this.#counts[each % slots] ?? 0;
      this.#counts[each % slots] = 0;
    }
    this.#slot = slot;
  }
}
