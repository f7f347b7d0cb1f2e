/* Views of refused requests, one by one or counted by account and code, and of broken rules. */

import { ok } from '@morsel/api/values/result.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { refusalTable, ruleHitTable } from '../../../state/tables/account.ts';
import { integer, text } from '../../../state/tables/column.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { accountIdOf } from './ids-of-names.ts';

/** Lists refusals, the newest first. The table is small, so filters need no index of their own. */
const list: View<'refusal.list'> = async (queries, input) => {
  const where = new Where('id < ?', Number(input.after ?? beforeNewest))
    .given('account = ?', input.account)
    .given('code = ?', input.code)
    .given('request_id = ?', input.requestId)
    .given('at >= ?', input.since);
  const tail = `${where.sql} order by id desc limit ?`;
  const rows = await queries.find(refusalTable, tail, ...where.values, input.limit + 1);
  const { items, next } = pageOf(rows, input.limit, ({ id }) => String(id));
  return ok({ items: items.map((row) => ({ ...row, account: row.account || null })), next });
};

const sumShape = shape({ account: text, code: text, refusals: integer, hour: integer, newest: text });

/** Counts refused requests, the most frequent first. */
const summary: View<'refusal.summary'> = async (queries, input) => {
  const where = new Where('hour >= ?', Math.floor(input.since / hourMs)).given('account = ?', input.account);
  const sums = await queries.rows(
    sumShape,
    `select account, code, sum(refusals) as refusals, min(hour) as hour, max(last_at || ' ' || request_id) as newest
      from refusal_hour ${where.sql} group by account, code order by sum(refusals) desc, account, code limit ?`,
    ...where.values,
    input.limit,
  );
  const items = sums.map(({ account, hour, newest, ...sum }) => {
    const [lastAt = '', requestId = ''] = newest.split(' ');
    return { ...sum, account: account || null, firstAt: hour * hourMs, lastAt: Number(lastAt), requestId };
  });
  return ok({ items, next: null });
};

const hitsShape = shape({
  ...pick(ruleHitTable, 'rule', 'watched', 'refused', 'firstAt', 'lastAt'),
  account: text,
  accountId: integer,
  lastSender: text,
  lastReceiver: text,
});

/** How often each rule was broken, the most recent first. */
const rules: View<'account.rules'> = async (queries, { account, after, limit }) => {
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

export const refusalViews = { 'refusal.list': list, 'refusal.summary': summary, 'account.rules': rules };
