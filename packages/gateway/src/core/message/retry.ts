import type { MessageId } from '../base/message-id.ts';
import { minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** After the first refusal for the moment: long enough for a carrier's hiccup to pass, short enough for a one-time code. */
const firstRetryMs = 5 * secondMs;

/** Waits double to here and stay: a carrier that is down for hours is asked by each part six times an hour. */
const retryMaxMs = 10 * minuteMs;

/** The wait is longer by up to this share of it, so that messages which failed together do not come back together. */
const jitterShare = 0.2;

/** A try whose turn would come after the validity is made this long before its end instead: nothing expires untried. */
const lastTryMs = 10 * secondMs;

/** Doublings after which any wait is at its most, so that the power stays a small number. */
const doublingsMax = 16;

interface Retry {
  readonly message: MessageId;
  /** Failed tries so far, this one among them: from 1. */
  readonly tries: number;
}

/** How long a part waits that a carrier refused for the moment. The parts of a message that fail together stay together. */
export function retryDelayMs(retry: Retry): number {
  const base = Math.min(retryMaxMs, firstRetryMs * 2 ** Math.min(retry.tries - 1, doublingsMax));
  return base + Math.floor(base * jitterShare * shareOf(retry));
}

/**
 * When a part that failed at `at` is tried again. An instant at or after `expiresAt` says that it is not: it only waits for
 * the end of its validity.
 */
export function retryAt(retry: Retry, { at, expiresAt }: { at: Instant; expiresAt: Instant }): Instant {
  const due = at + retryDelayMs(retry);
  if (due < expiresAt) return due;
  const last = expiresAt - lastTryMs;
  return last >= at + firstRetryMs ? last : expiresAt;
}

/** A share from 0 to 1 that looks like chance and is none: all bits of both numbers, mixed. */
function shareOf({ message, tries }: Retry): number {
  const low = message % 2 ** 32;
  const high = Math.floor(message / 2 ** 32);
  let bits = low ^ Math.imul(high, 0x9e3779b1) ^ Math.imul(tries, 0xc2b2ae3d);
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
