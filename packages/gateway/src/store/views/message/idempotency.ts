import type { Instant } from '@morsel/api/values/time.ts';
import type { FirstAccepted } from '../../../core/message/idempotency.ts';
import { messageId, micros } from '../../tables/column.ts';
import { idempotencyKeyTable, messageTable } from '../../tables/message.ts';
import { group, pick, shape } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';

interface WantedKey {
  readonly account: number;
  readonly key: string;
  /** Only keys that were stored after this instant; older keys have expired. */
  readonly after: Instant;
}

interface KnownKey {
  readonly hash: Uint8Array;
  /** The first answer, which is in its message. */
  readonly first: FirstAccepted;
}

const keyShape = shape({
  ...pick(idempotencyKeyTable, 'hash'),
  first: group({ message: messageId, ...pick(messageTable, 'numParts', 'totalCost'), clientBalance: micros }),
});

/** Reads the message that was accepted with an idempotency key. */
export async function readIdempotency(
  queries: Queries,
  { account, key, after }: WantedKey,
): Promise<KnownKey | undefined> {
  return queries.row(
    keyShape,
    `select hash, message as first_message, num_parts as first_num_parts,
        total_cost as first_total_cost, balance_after as first_client_balance
      from idempotency_key join message on message.id = idempotency_key.message
      where idempotency_key.account = ? and key = ? and created_at > ?`,
    account,
    key,
    after,
  );
}
