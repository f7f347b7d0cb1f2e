import { idempotencyLifeMs, isSameRequest } from '../../../core/message/idempotency.ts';
import type { IdempotencyKey } from '../../../core/message/idempotency.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Accept, Accepted } from '../../commands/commands.ts';
import { idempotencyId } from '../../tables/idempotency.ts';
import type { MessageRow, Rows } from '../../tables/rows.ts';

/**
 * What is to be said of a message whose key stands for one already (M7): the answer of then, or that this is another
 * request. Undefined for a key that is new, or whose life has passed. Commands are decided in order, so that of several
 * that race one is the first, whatever processes they come from.
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

/** Keeps the key in the commit of the message that it stands for from now on. */
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
