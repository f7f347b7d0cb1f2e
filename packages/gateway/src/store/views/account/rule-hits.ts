import { ruleHitTable } from '../../tables/account.ts';
import { integer, text } from '../../tables/column.ts';
import { pick, shape } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { ShapeOf } from '../../tables/table.ts';

const hitsShape = shape({
  ...pick(ruleHitTable, 'rule', 'watched', 'refused', 'firstAt', 'lastAt'),
  account: text,
  accountId: integer,
  lastSender: text,
  lastReceiver: text,
});
export type RuleHitsView = Omit<ShapeOf<typeof hitsShape>, 'accountId'>;

/** Reads how often each rule was broken, for one account or for all accounts, the most recent first. */
export function readRuleHits(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Page<RuleHitsView> {
  const [lastAt = null, id = null, rule = null] = after?.split('/') ?? [];
  const rows = queries.rows(
    hitsShape,
    `select rule, watched, refused, first_at, last_at, account.name as account, account.id as account_id,
        sender as last_sender, receiver as last_receiver
      from rule_hit join account on account.id = rule_hit.account
      where (?1 is null or account.name = ?1)
        and (?2 is null or (last_at, account.id, rule) < (cast(?2 as bigint), cast(?3 as bigint), ?4))
      order by last_at desc, account.id desc, rule desc limit ?5`,
    account,
    lastAt,
    id,
    rule,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => `${row.lastAt}/${row.accountId}/${row.rule}`);
}
