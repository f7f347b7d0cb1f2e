import { hash } from 'node:crypto';
import type { Understood } from './admission.ts';
import type { MessageId } from '../base/message-id.ts';
import type { Micros } from '../base/money.ts';
import { hourMs } from '../base/time.ts';

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

/**
 * SHA-256 of what a request asks for: equal for requests that are equal after normalising, whatever token they came with.
 * JSON quotes every text, so no two requests are written alike. A field that a later version adds has to be undefined
 * where it has its default, which leaves it out: requests from before the update still have their hashes then.
 */
export function hashRequest(understood: Understood): Uint8Array {
  const { sender, receiver, text, dcs, clientRef, validityMs, priority, flash, sendAt } = understood;
  const request = { sender, receiver, text, dcs, clientRef, validityMs, priority, flash, sendAt };
  return hash('sha256', JSON.stringify(request), 'buffer');
}

/** Whether a request is the one that a key was used for first. */
export function isSameRequest(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
