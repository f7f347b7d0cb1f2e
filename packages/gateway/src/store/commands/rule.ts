import type { RuleName } from '@morsel/api/values/account.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** How often messages of an account broke a rule since the last command, and the last message that did. */
export interface RuleHits {
  readonly account: number;
  readonly rule: RuleName;
  readonly watched: number;
  readonly refused: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly sender: string;
  readonly receiver: string;
}

/** Adds to the counts of broken rules; written now and then, not on the path of a message. */
export interface CountRuleHits {
  readonly kind: 'count-rule-hits';
  readonly at: Instant;
  readonly hits: readonly RuleHits[];
}
