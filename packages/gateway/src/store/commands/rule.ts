import type { RuleName } from '@morsel/api/values/account.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** How often an account's messages broke a rule since this was last said, and the last one that did. */
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

/** Add to what is known of broken rules; written now and then, not on the path of a message. */
export interface CountRuleHits {
  readonly kind: 'count-rule-hits';
  readonly at: Instant;
  readonly hits: readonly RuleHits[];
}
