import { setTimeout as sleep } from 'node:timers/promises';

/** Only a failing test waits for this long: a machine with much else to do is slow. */
const waitMaxMs = 60_000;
const lookEveryMs = 20;
/** The checks become less frequent, because a check is often a request to a gateway. */
const lookEveryMaxMs = 100;

/**
 * Waits for a condition. If the condition does not hold in time, fails with what is missing. A wait is at most a tenth
 * longer than needed.
 */
export async function waitUntil<T>(
  what: string | (() => string),
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = waitMaxMs,
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
