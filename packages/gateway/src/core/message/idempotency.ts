import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { hourMs } from '@morsel/api/values/time.ts';

/** How long a key is remembered (decisions, section 4). */
export const idempotencyLifeMs = 7 * 24 * hourMs;

/** A key of an account, and what tells the request that came with it from others. */
export interface IdempotencyKey {
  readonly key: string;
  readonly hash: Uint8Array;
}

/** What the first success under a key said of its message: the same is said again. */
export interface FirstAccepted {
  readonly message: MessageId;
  readonly numParts: number;
  readonly totalCost: Micros;
  readonly clientBalance: Micros;
}

const pattern = /^[\u0020-\u007e]{1,255}$/;

export function isIdempotencyKey(input: string): boolean {
  return pattern.test(input);
}

/** Whether a request is the one that a key was used for first. */
export function isSameRequest(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
