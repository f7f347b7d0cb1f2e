/** A tenth of a second at full speed may come at once: submit_sm arrive in bursts, and carriers forgive that much. */
const burstS = 0.1;

/**
 * Tells whether a submit_sm at `nowMs` is within `perSecond`. Who was too fast is refused for `penaltyMs`, and longer if
 * it goes on: some carriers count what they refuse (smpp-in-the-wild, 16).
 */
export function openPace(perSecond: number, penaltyMs = 0): (nowMs: number) => boolean {
  const burst = Math.max(1, perSecond * burstS);
  let tokens = burst;
  let lastMs = -Infinity;
  let refusedUntilMs = -Infinity;
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - lastMs) / 1000) * perSecond);
    lastMs = nowMs;
    if (tokens < 1 || nowMs < refusedUntilMs) {
      refusedUntilMs = nowMs + penaltyMs;
      return false;
    }
    tokens -= 1;
    return true;
  };
}
