import type { Instant } from '@morsel/api/values/time.ts';
import { integer, text } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

export interface RuleHitsView {
  readonly account: string;
  readonly rule: string;
  readonly watched: number;
  readonly refused: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly sender: string;
  readonly receiver: string;
}

/** How often the rules of an account, or of all, were broken: what was broken last comes first. */
export function readRuleHits(queries: Queries, account: string | null): RuleHitsView[] {
  return queries
    .all(
      `select rule_hit.*, account.name as account_name from rule_hit join account on account.id = rule_hit.account
        where ?1 is null or account.name = ?1 order by rule_hit.last_at desc`,
      account,
    )
    .map((row) => ({
      account: text(row, 'account_name'),
      rule: text(row, 'rule'),
      watched: integer(row, 'watched'),
      refused: integer(row, 'refused'),
      firstAt: integer(row, 'first_at'),
      lastAt: integer(row, 'last_at'),
      sender: text(row, 'sender'),
      receiver: text(row, 'receiver'),
    }));
}
