const failuresMax = 16;

/** How long to wait until the next try: exponential, with a cap, and jitter so that many links do not come back at one moment. */
export class BackOff {
  #failures = 0;

  /** `chance` is from 0 to 1. */
  nextMs(bounds: { readonly backOffMinMs: number; readonly backOffMaxMs: number }, chance: number): number {
    const cap = Math.min(bounds.backOffMaxMs, bounds.backOffMinMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, failuresMax);
    return cap / 2 + (chance * cap) / 2;
  }

  /** It worked. */
  reset(): void {
    this.#failures = 0;
  }
}
