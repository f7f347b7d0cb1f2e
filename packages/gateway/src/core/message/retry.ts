import type { MessageId } from '../base/message-id.ts';
import { minuteMs, secondMs, type Instant } from '@morsel/api/values/time.ts';

/* When a part that a carrier refused for a temporary reason is tried again. */

/** Long enough for a short failure of the carrier to end, and short enough for a one-time code. */
const firstRetryMs = 5 * secondMs;

/** Each wait is twice the last one, up to this maximum. After that, each part is tried six times an hour. */
const retryMaxMs = 10 * minuteMs;

/** Each wait is longer by a random share up to this, so that messages that failed together are spread. */
const jitterShare = 0.2;

/** If the next try would come after the end of the validity, it is made this long before that end instead. */
const lastTryMs = 10 * secondMs;

/** The wait reaches its maximum after fewer doublings than this. The limit only keeps `2 ** doublings` small. */
const doublingsMax = 16;

interface Retry {
  readonly message: MessageId;
  /** Number of failed tries so far, including this one; at least 1. */
  readonly tries: number;
}

/** The wait before the next try. Parts of one message that fail together are tried again together. */
export function retryDelayMs(retry: Retry): number {
  const base = Math.min(retryMaxMs, firstRetryMs * 2 ** Math.min(retry.tries - 1, doublingsMax));
  return base + Math.floor(base * jitterShare * shareOf(retry));
}

/** When the part is tried again. If the result is `expiresAt` or later, the part is not tried again and expires. */
export function retryAt(retry: Retry, { at, expiresAt }: { at: Instant; expiresAt: Instant }): Instant {
  const due = at + retryDelayMs(retry);
  if (due < expiresAt) return due;
  const last = expiresAt - lastTryMs;
  return last >= at + firstRetryMs ? last : expiresAt;
}

/** A pseudo-random number from 0 to 1 that depends on all bits of the message id and the number of tries. */
function shareOf({ message, tries }: Retry): number {
  const low = message % 2 ** 32;
  const high = Math.floor(message / 2 ** 32);
  let bits = low ^ Math.imul(high, 0x9e3779b1) ^ Math.imul(tries, 0xc2b2ae3d);
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
