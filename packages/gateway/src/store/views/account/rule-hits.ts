import { ruleHitTable } from '../../../state/tables/account.ts';
import { integer, text } from '../../../state/tables/column.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import type { Queries } from '../queries.ts';
import { beforeNewest, pageOf, type ListInput, type Page } from '../page.ts';
import { Where } from '../where.ts';

const hitsShape = shape({
  ...pick(ruleHitTable, 'rule', 'watched', 'refused', 'firstAt', 'lastAt'),
  account: text,
  accountId: integer,
  lastSender: text,
  lastReceiver: text,
});
export type RuleHitsView = Omit<ShapeOf<typeof hitsShape>, 'accountId'>;

/** Reads how often each rule was broken, for one account or for all accounts, the most recent first. */
export async function readRuleHits(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Promise<Page<RuleHitsView>> {
  const [lastAt, id, rule = ''] = after?.split('/') ?? [beforeNewest];
  const where = new Where('(last_at, rule_hit.account, rule) < (?, ?, ?)', Number(lastAt), Number(id ?? 0), rule);
  where.given('rule_hit.account = (select id from account where name = ?)', account);
  const rows = await queries.rows(
    hitsShape,
    `select rule, watched, refused, first_at, last_at, account.name as account, account.id as account_id,
        sender as last_sender, receiver as last_receiver
      from rule_hit join account on account.id = rule_hit.account ${where.sql}
      order by last_at desc, rule_hit.account desc, rule desc limit ?`,
    ...where.values,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => `${row.lastAt}/${row.accountId}/${row.rule}`);
}
