import type { MessageId } from '../base/message-id.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/**
 * Wait after the first temporary refusal: long enough for a short failure of the carrier, short enough for a one-time
 * code.
 */
const firstRetryMs = 5 * secondMs;

/** Waits double up to this: each part asks a carrier that is down six times an hour. */
const retryMaxMs = 10 * minuteMs;

/** Waits are longer by up to this share, so that messages which failed together are not tried together again. */
const jitterShare = 0.2;

/** A try that would come after the validity is made this long before its end instead. */
const lastTryMs = 10 * secondMs;

/** After so many doublings the wait is at its maximum; this keeps the power small. */
const doublingsMax = 16;

interface Retry {
  readonly message: MessageId;
  /** Failed tries so far, including this one: from 1. */
  readonly tries: number;
}

/** How long a part waits after a temporary refusal. Parts of one message that fail together stay together. */
export function retryDelayMs(retry: Retry): number {
  const base = Math.min(retryMaxMs, firstRetryMs * 2 ** Math.min(retry.tries - 1, doublingsMax));
  return base + Math.floor(base * jitterShare * shareOf(retry));
}

/**
 * When a part that failed at `at` is tried again. A result at or after `expiresAt` means no more tries: the part waits
 * for the end of its validity.
 */
export function retryAt(retry: Retry, { at, expiresAt }: { at: Instant; expiresAt: Instant }): Instant {
  const due = at + retryDelayMs(retry);
  if (due < expiresAt) return due;
  const last = expiresAt - lastTryMs;
  return last >= at + firstRetryMs ? last : expiresAt;
}

/** A pseudo-random share from 0 to 1: all bits of both numbers, mixed. */
function shareOf({ message, tries }: Retry): number {
  const low = message % 2 ** 32;
  const high = Math.floor(message / 2 ** 32);
  let bits = low ^ Math.imul(high, 0x9e3779b1) ^ Math.imul(tries, 0xc2b2ae3d);
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
