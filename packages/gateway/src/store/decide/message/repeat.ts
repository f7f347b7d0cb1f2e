import { idempotencyLifeMs, isSameRequest } from '../../../core/message/idempotency.ts';
import type { IdempotencyKey } from '../../../core/message/idempotency.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Accept, Accepted } from '../../commands/commands.ts';
import { idempotencyId } from '../../tables/idempotency.ts';
import type { MessageRow, Rows } from '../../tables/rows.ts';

/**
 * The answer to a message with a known idempotency key (M7): the first answer, or a refusal of a different request.
 * Undefined for a new or expired key. Commands are decided in order, so exactly one of several racing requests is the
 * first, whichever process sent it.
 */
export function decideRepeat(
  rows: Rows,
  command: Accept,
  { key, hash }: IdempotencyKey,
): Result<Accepted, Rejection> | undefined {
  const known = rows.idempotencyKeys.get(idempotencyId(command.account, key));
  if (!known || known.createdAt <= command.at - idempotencyLifeMs) return undefined;
  if (!isSameRequest(known.hash, hash)) return refused({ code: 'idempotency_conflict' });
  return ok({ clientBalance: known.first.clientBalance, reference: null, first: known.first });
}

/** Stores the key in the commit of its message. */
export function keepKey(rows: Rows, { account, id, numParts, fresh }: MessageRow, { key, hash }: IdempotencyKey): void {
  if (!fresh) throw new Error('a key is kept with the message that it came with');
  const { accept, balanceAfter } = fresh;
  rows.idempotencyKeys.set(idempotencyId(account, key), {
    change: 'new',
    account,
    key,
    hash,
    createdAt: accept.at,
    first: { message: id, numParts, totalCost: accept.totalCost, clientBalance: balanceAfter },
  });
}
