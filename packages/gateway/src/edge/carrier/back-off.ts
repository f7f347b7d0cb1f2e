const failuresMax = 16;

/**
 * The wait before the next bind, after the carrier refused our system_id or password. Some carriers ban the IP address of a
 * client that tries more often.
 */
export const credentialsBackOffMs = 60_000;

/** Statuses of a bind with a wrong system_id or password. */
export const wrongCredentials = new Set([0x0e /* ESME_RINVPASWD */, 0x0f /* ESME_RINVSYSID */]);

/**
 * The wait before the next try to connect grows exponentially up to a cap. Random jitter keeps many links from connecting at the
 * same moment.
 */
export class BackOff {
  #failures = 0;

  /** `chance` is from 0 to 1. */
  nextMs(bounds: { readonly backOffMinMs: number; readonly backOffMaxMs: number }, chance: number): number {
    const cap = Math.min(bounds.backOffMaxMs, bounds.backOffMinMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, failuresMax);
    return cap / 2 + (chance * cap) / 2;
  }

  /** Call after a success. */
  reset(): void {
    this.#failures = 0;
  }
}
