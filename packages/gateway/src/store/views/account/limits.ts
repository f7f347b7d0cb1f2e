/* The limit of an account that refuses a message now, for quotes. */

import { brokenLimit, brokenRate, limitsFor, type LimitedMessage } from '../../../core/account/limits.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { placeOfCount } from '../../../state/decide/account/limits.ts';
import { limitCountTable } from '../../../state/tables/account.ts';
import type { Queries } from '../queries.ts';
import { hashingKeyOf } from '../sealed.ts';
import { readPayer } from './accounts.ts';

interface Asked extends LimitedMessage {
  readonly account: number;
  readonly at: Instant;
}

/** The refusal by the first limit that the message would break; undefined if it keeps all. */
export async function readBrokenLimit(
  queries: Queries,
  { account, at, ...message }: Asked,
): Promise<Rejection | undefined> {
  const payer = await readPayer(queries, account);
  if (!payer || payer.rules === null) return undefined;
  const where = 'where account = ? and rule = ? and seconds = ? and subject = ?';
  for (const limit of limitsFor(payer.rules, message)) {
    if (limit.mode !== 'refuse') continue;
    const count = async () =>
      queries.first(limitCountTable, where, ...placeOfCount(await hashingKeyOf(queries), account, limit));
    const broken = limit.rule === 'rate' ? brokenRate(payer, limit, at) : brokenLimit(limit, await count(), at);
    if (broken) return broken;
  }
  return undefined;
}
