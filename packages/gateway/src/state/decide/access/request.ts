/*
 * Changes of operators with an idempotency key. The key is stored in the commit of the change, so that a request whose answer was
 * lost can be repeated and changes nothing.
 */

import { formatInstant, type Instant } from '@morsel/api/values/time.ts';
import { refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { idempotencyLifeMs, isSameRequest, type IdempotencyKey } from '../../../core/message/idempotency.ts';
import { hashingKey, readKeys } from '../../rows/keys.ts';
import type { Reads } from '../../rows/reads.ts';
import { operatorRequestByKey, operatorRequestTable } from '../../tables/access.ts';
import { rewrite, type Rows } from '../../rows/rows.ts';

/** A request of an operator with an idempotency key. */
export interface KeyedRequest extends IdempotencyKey {
  readonly at: Instant;
  readonly operator: string;
}

export function readRequest(read: Reads, { operator, key }: Pick<KeyedRequest, 'operator' | 'key'>): void {
  readKeys(read, null);
  read.one(operatorRequestByKey, operator, key);
}

/** Decides a change once for each idempotency key. */
export function decideOnce<R extends Result<unknown, Rejection>>(
  rows: Rows,
  { at, operator, key, hash: ofRequest }: KeyedRequest,
  decide: () => R,
): R | { readonly ok: false; readonly error: Rejection } {
  const known = rows.one(operatorRequestByKey, operator, key);
  const hash = hashingKey(rows).mac(ofRequest);
  if (known && known.createdAt > at - idempotencyLifeMs) {
    return refused(doneBefore(known.createdAt, isSameRequest(known.hash, hash)));
  }
  const done = decide();
  if (!done.ok) return done;
  if (known) rewrite(known, { hash, createdAt: at });
  else rows.add(operatorRequestTable, { operator, key, hash, createdAt: at });
  return done;
}

/** The refusal of a repeated idempotency key whose first answer is no longer in memory. */
export function doneBefore(at: Instant, isSame: boolean): Rejection {
  if (!isSame) return { code: 'idempotency_conflict' };
  return {
    code: 'conflict',
    detail: `this request was done at ${formatInstant(at)}, and the gateway does not have its answer any more: see audit list`,
  };
}
