import type { Instant } from '@morsel/api/values/time.ts';
import type { IdempotencyKeyRow } from '../../tables/idempotency.ts';
import { readIdempotencyKey } from '../../sqlite/tables/idempotency-keys.ts';
import type { Queries } from '../queries.ts';

interface Wanted {
  readonly account: number;
  readonly key: string;
  /** A key stored at or before it has expired. */
  readonly after: Instant;
}

/** The message of an account's idempotency key. */
export function readIdempotency(queries: Queries, { account, key, after }: Wanted): IdempotencyKeyRow | undefined {
  const row = readIdempotencyKey(queries, account, key);
  return row && row.createdAt > after ? row : undefined;
}
