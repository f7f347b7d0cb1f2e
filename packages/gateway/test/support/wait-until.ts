import { setTimeout as sleep } from 'node:timers/promises';

/** The limit of a wait. It is long for the sake of busy machines; only a failing test waits that long. */
const waitMaxMs = 60_000;
const lookEveryMs = 20;
/** The checks become less frequent, because a check is often a request to a gateway. */
const lookEveryMaxMs = 100;

/**
 * Waits for a condition. If the condition does not become true in time, fails with a text that says what is missing.
 * A wait is at most a tenth longer than needed.
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
