import type { RuleName } from '@morsel/api/values/account.ts';
import { dayMs } from '@morsel/api/values/time.ts';
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

/** What a token was used for on a day since this was last said. */
export interface TokenUse {
  readonly token: string;
  /** Requests that it authenticated, whatever became of them. */
  requests: number;
  /** Messages that were accepted and charged. */
  messages: number;
  /** When it was used last: says the day, too. */
  lastAt: Instant;
}

/** Adds a use to those of its token on its day. */
export function addTokenUse(uses: Map<string, TokenUse>, use: TokenUse): void {
  const key = `${use.token} ${Math.floor(use.lastAt / dayMs)}`;
  const known = uses.get(key);
  if (!known) {
    uses.set(key, { ...use });
    return;
  }
  known.requests += use.requests;
  known.messages += use.messages;
  known.lastAt = Math.max(known.lastAt, use.lastAt);
}

/** Adds to what was counted before. It is written now and then, not on the path of a message. */
export interface AddCounts {
  readonly kind: 'add-counts';
  readonly at: Instant;
  readonly ruleHits: readonly RuleHits[];
  readonly tokenUses: readonly TokenUse[];
}
