import type { Instant } from '@morsel/api/values/time.ts';
import type { IdempotencyKeyRow } from '../../tables/idempotency.ts';
import { readIdempotencyKey } from '../../sqlite/tables/idempotency-keys.ts';
import type { Queries } from '../queries.ts';

interface Wanted {
  readonly account: number;
  readonly key: string;
  /** Only keys that were stored after this instant; older keys have expired. */
  readonly after: Instant;
}

/** Reads the message that was accepted with an idempotency key. */
export function readIdempotency(queries: Queries, { account, key, after }: Wanted): IdempotencyKeyRow | undefined {
  const row = readIdempotencyKey(queries, account, key);
  return row && row.createdAt > after ? row : undefined;
}
