const failuresMax = 16;

/** After a refused system_id or password: some carriers ban the IP address of a client that tries more often. */
export const credentialsBackOffMs = 60_000;

export const wrongCredentials = new Set([0x0e /* ESME_RINVPASWD */, 0x0f /* ESME_RINVSYSID */]);

/** Grows exponentially up to a cap. Random jitter keeps many links from connecting at the same moment. */
export class BackOff {
  #failures = 0;

  /** `chance` is from 0 to 1. */
  nextMs(bounds: { readonly backOffMinMs: number; readonly backOffMaxMs: number }, chance: number): number {
    const cap = Math.min(bounds.backOffMaxMs, bounds.backOffMinMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, failuresMax);
    return cap / 2 + (chance * cap) / 2;
  }

  reset(): void {
    this.#failures = 0;
  }
}
