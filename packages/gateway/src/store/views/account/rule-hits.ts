import type { Instant } from '@morsel/api/values/time.ts';
import { integer, text } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';

export interface RuleHitsView {
  readonly account: string;
  readonly rule: string;
  readonly watched: number;
  readonly refused: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  readonly lastSender: string;
  readonly lastReceiver: string;
}

/** Reads how often each rule was broken, for one account or for all accounts, the most recent first. */
export function readRuleHits(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Page<RuleHitsView> {
  const [lastAt = null, id = null, rule = null] = after?.split('/') ?? [];
  const rows = queries.all(
    `select rule_hit.*, account.name as account_name from rule_hit join account on account.id = rule_hit.account
      where (?1 is null or account.name = ?1)
        and (?2 is null or (rule_hit.last_at, rule_hit.account, rule_hit.rule) < (cast(?2 as integer), cast(?3 as integer), ?4))
      order by rule_hit.last_at desc, rule_hit.account desc, rule_hit.rule desc limit ?5`,
    account,
    lastAt,
    id,
    rule,
    limit + 1,
  );
  const places = new Map<RuleHitsView, string>();
  const hits = rows.map((row) => {
    const hit = {
      account: text(row, 'account_name'),
      rule: text(row, 'rule'),
      watched: integer(row, 'watched'),
      refused: integer(row, 'refused'),
      firstAt: integer(row, 'first_at'),
      lastAt: integer(row, 'last_at'),
      lastSender: text(row, 'sender'),
      lastReceiver: text(row, 'receiver'),
    };
    places.set(hit, `${hit.lastAt}/${integer(row, 'account')}/${hit.rule}`);
    return hit;
  });
  return pageOf(hits, limit, (hit) => places.get(hit) ?? '');
}
