import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 20;
/** Who has waited long looks less often: a look is often a request to a gateway. */
const lookEveryMaxMs = 100;

/**
 * Waits for a condition. If it does not come in time, fails with what is missing. A wait is at most a tenth longer than it had
 * to be.
 */
export async function waitUntil<T>(
  what: string | (() => string),
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 15_000,
  everyMs = lookEveryMs,
): Promise<T> {
  const beganAt = performance.now();
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > limitMs) {
      throw new Error(`after ${limitMs} ms still not: ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(Math.max(everyMs, Math.min(lookEveryMaxMs, waitedMs / 10)));
  }
}
