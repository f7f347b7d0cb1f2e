import type { Instant } from '@morsel/api/values/time.ts';
import { isSameRequest } from '../../../core/message/idempotency.ts';
import { messageId, micros } from '../../../state/tables/column.ts';
import { idempotencyKeyTable, messageTable } from '../../../state/tables/message.ts';
import { group, pick, shape } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { hashingKeyOf } from '../sealed.ts';

interface WantedKey {
  readonly account: number;
  readonly key: string;
  /** The hash of the present request. */
  readonly hash: Uint8Array;
  /** Only keys stored after this instant count; older keys have expired. */
  readonly after: Instant;
}

const keyShape = shape({
  ...pick(idempotencyKeyTable, 'hash'),
  first: group({ message: messageId, ...pick(messageTable, 'numParts', 'totalCost'), clientBalance: micros }),
});

export async function readIdempotency(queries: Queries, { account, key, hash, after }: WantedKey) {
  const known = await queries.row(
    keyShape,
    `select hash, message as first_message, num_parts as first_num_parts,
        total_cost as first_total_cost, balance_after as first_client_balance
      from idempotency_key join message on message.id = idempotency_key.message
      where idempotency_key.account = ? and key = ? and created_at > ?`,
    account,
    key,
    after,
  );
  if (!known) return undefined;
  const hashing = await hashingKeyOf(queries);
  return { isSame: isSameRequest(known.hash, hashing.mac(hash)), first: known.first };
}
