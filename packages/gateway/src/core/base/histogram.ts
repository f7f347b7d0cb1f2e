/* Counts observations by size, in a plain array of numbers: an observation costs a message next to nothing. */

/** Upper bounds of the buckets, ascending; the last bucket has no bound. */
type Bounds = readonly number[];

/** Times of commits and requests, in seconds. */
export const shortTimes: Bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Times until a receipt arrives, in seconds: from a second to three days. */
export const longTimes: Bounds = [1, 2, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 259_200];
export const groupSizes: Bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000];

export class HistogramCount {
  readonly bounds: Bounds;
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: Bounds) {
    this.bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  get count(): number {
    return this.#counts.reduce((sum, each) => sum + each, 0);
  }

  /** The lowest bound that this share of the observations keeps; undefined if there is none, or no observation. */
  within(share: number): number | undefined {
    const wanted = this.count * share;
    const bucket = wanted === 0 ? -1 : this.cumulative().findIndex((count) => count >= wanted);
    return this.bounds[bucket];
  }

  get sum(): number {
    return this.#sum;
  }

  /** For each bound, the number of observations up to that bound; the last element counts all observations. */
  cumulative(): readonly number[] {
    let sum = 0;
    return this.#counts.map((count) => (sum += count));
  }
}
