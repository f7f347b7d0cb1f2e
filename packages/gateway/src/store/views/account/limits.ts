/* The limit of an account that refuses a message now, for quotes. */

import { judgeLimits, limitsFor, type Limit, type LimitedMessage } from '../../../core/account/limits.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { placeOfCount } from '../../../state/decide/account/limits.ts';
import { limitCountTable } from '../../../state/tables/account.ts';
import type { Queries } from '../queries.ts';
import { hashingKeyOf } from '../sealed.ts';
import { eachOf } from '../page.ts';
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
  const countOf = async (limit: Limit) =>
    queries.first(limitCountTable, where, ...placeOfCount(await hashingKeyOf(queries), account, limit));
  const limits = await eachOf(limitsFor(payer.rules, message), async (limit) => ({
    limit,
    counted: limit.rule === 'rate' ? undefined : await countOf(limit),
  }));
  const judged = judgeLimits(payer, limits, at);
  return judged.ok ? undefined : judged.error;
}
