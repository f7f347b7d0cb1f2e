/** A second in tenths, and the tenth that has begun, so that the count is never too low. */
const slotMs = 100;
const slots = 11;

/** Counts events in the last second, at a constant cost for each. Times are monotonic milliseconds. */
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

  /** The events in the last second, or in up to a tenth of a second more. */
  lastSecond(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

  /** The most events so far in one second. */
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
