import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { hourMs } from '@morsel/api/values/time.ts';

export const idempotencyLifeMs = 7 * 24 * hourMs;

export interface IdempotencyKey {
  readonly key: string;
  readonly hash: Uint8Array;
}

/** The first successful answer under an idempotency key; repeated requests get the same answer. */
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

/** Whether a request equals the first request with the same idempotency key, by the hashes of both. */
export function isSameRequest(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
