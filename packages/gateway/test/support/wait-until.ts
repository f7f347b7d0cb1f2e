import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 20;

/** Waits for a condition. If it does not come in time, fails with what is missing. */
export async function waitUntil<T>(
  what: string | (() => string),
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 15_000,
  everyMs = lookEveryMs,
): Promise<T> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > endsAt) {
      throw new Error(`after ${limitMs} ms still not: ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(everyMs);
  }
}
