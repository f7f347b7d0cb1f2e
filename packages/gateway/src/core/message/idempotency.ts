import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { hourMs } from '@morsel/api/values/time.ts';

/** How long a key is remembered. */
export const idempotencyLifeMs = 7 * 24 * hourMs;

/** A key of an account, with a hash that distinguishes its request from others. */
export interface IdempotencyKey {
  readonly key: string;
  readonly hash: Uint8Array;
}

/** The first success under a key; repeats answer the same. */
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

/** Whether a request is the one that first used the key. */
export function isSameRequest(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
