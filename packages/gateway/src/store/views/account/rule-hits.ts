import { ok } from '@morsel/api/values/result.ts';
import { ruleHitTable } from '../../../state/tables/account.ts';
import { integer, text } from '../../../state/tables/column.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { accountIdOf } from './ids-of-names.ts';

const hitsShape = shape({
  ...pick(ruleHitTable, 'rule', 'watched', 'refused', 'firstAt', 'lastAt'),
  account: text,
  accountId: integer,
  lastSender: text,
  lastReceiver: text,
});

/** How often each rule was broken, the most recent first. */
export const readRuleHits: View<'account.rules'> = async (queries, { account, after, limit }) => {
  const owner = await accountIdOf(queries, account);
  if (!owner.ok) return owner;
  const [lastAt, id, rule = ''] = after?.split('/') ?? [beforeNewest];
  const where = new Where('(last_at, rule_hit.account, rule) < (?, ?, ?)', Number(lastAt), Number(id ?? 0), rule);
  where.given('rule_hit.account = ?', owner.value);
  const rows = await queries.rows(
    hitsShape,
    `select rule, watched, refused, first_at, last_at, account.name as account, account.id as account_id,
        sender as last_sender, receiver as last_receiver
      from rule_hit join account on account.id = rule_hit.account ${where.sql}
      order by last_at desc, rule_hit.account desc, rule desc limit ?`,
    ...where.values,
    limit + 1,
  );
  return ok(pageOf(rows, limit, (row) => `${row.lastAt}/${row.accountId}/${row.rule}`));
};
