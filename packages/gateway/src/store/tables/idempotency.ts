import type { FirstAccepted } from '../../core/message/idempotency.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** An idempotency key of an account (M7), and its message. */
export interface IdempotencyKeyRow {
  readonly change: 'new' | 'none';
  readonly account: number;
  readonly key: string;
  readonly hash: Uint8Array;
  readonly createdAt: Instant;
  readonly first: FirstAccepted;
}

/** The key of an account among the keys of all. */
export function idempotencyId(account: number, key: string): string {
  return `${account} ${key}`;
}
