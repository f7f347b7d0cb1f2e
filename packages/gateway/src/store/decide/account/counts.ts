/* Counts that are written now and then, not on the path of a message. */

import { ok } from '@morsel/api/values/result.ts';
import { dayMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { ruleHitTable, tokenDayTable } from '../../tables/account.ts';
import type { RowOf } from '../../tables/table.ts';
import type { Rows } from '../../tables/rows.ts';
import type { Decided } from '../decided.ts';

/** How often an account's messages broke a rule since this was last said, and the last one that did. */
export type RuleHits = Readonly<Omit<RowOf<typeof ruleHitTable>, 'change'>>;

/** What a token was used for on a day since this was last said. */
export interface TokenUse {
  readonly token: string;
  /** Requests that it authenticated, whatever became of them. */
  readonly requests: number;
  /** Messages that were accepted and charged. */
  readonly messages: number;
  /** When it was used last: says the day, too. */
  readonly lastAt: Instant;
}

/** Adds to what was counted before. */
interface AddCounts {
  readonly at: Instant;
  readonly ruleHits: readonly RuleHits[];
  readonly tokenUses: readonly TokenUse[];
}

const tokenDaysKept = 400;

export const addCountsCommand = {
  decide(rows: Rows, { ruleHits, tokenUses }: AddCounts): Decided<null> {
    for (const hits of ruleHits) rows.put(ruleHitTable, hits);
    for (const use of tokenUses) {
      const day = countTokenUse(rows, use);
      // The day of its last use always stays.
      rows.run('delete from token_day where token = ? and day < ?', use.token, day - tokenDaysKept);
    }
    return ok(null);
  },
};

/** Adds a use to those of its token on its day. Returns the day, counted from 1970. */
export function countTokenUse(rows: Rows, use: TokenUse): number {
  const day = Math.floor(use.lastAt / dayMs);
  rows.put(tokenDayTable, { ...use, day });
  return day;
}
