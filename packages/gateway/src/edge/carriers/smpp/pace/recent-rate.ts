/** The last second has ten slots of this length and the current slot, so that the count never misses an event. */
const slotMs = 100;
const slots = 11;

/** Counts the events of the last second, at a constant cost for each event. Times are monotonic milliseconds. */
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

  lastSecond(now: number): number {
    this.#moveTo(now);
    return this.#sum;
  }

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
