/* Views of tokens, and of their use by day. The secret part of a token is never read. */

import { tokenDayTable, tokenTable } from '../../../state/tables/account.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { ok } from '@morsel/api/values/result.ts';
import { dayMs } from '@morsel/api/values/time.ts';
import type { Queries } from '../queries.ts';
import { eachOf, beforeNewest, pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { accountIdOf } from './ids-of-names.ts';

const { hash: _hash, ...tokenMembers } = tokenTable.members;
const tokenShape = shape({ ...tokenMembers, account: text, lastUsedAt: nullable(integer) });

/** Tokens, the newest first. */
const list: View<'token.list'> = async (queries, { account, after = '', limit }) => {
  const owner = await accountIdOf(queries, account);
  if (!owner.ok) return owner;
  const sql = 'select created_at from token where id = ?';
  const madeAt = after === '' ? beforeNewest : ((await queries.value(integer, sql, after)) ?? 0);
  const where = new Where('(token.created_at, token.id) < (?, ?)', madeAt, after)
    .and("account.status <> 'removed'")
    .given('token.account = ?', owner.value);
  const rows = await queries.rows(
    tokenShape,
    `select token.id, account.name as account, token.created_at, token.expires_at, token.revoked_at,
        (select last_at from token_day where token = token.id order by day desc limit 1) as last_used_at, token.scopes, token.allowed_from
      from token join account on account.id = token.account ${where.sql}
      order by token.created_at desc, token.id desc limit ?`,
    ...where.values,
    limit + 1,
  );
  return ok(pageOf(rows, limit, ({ id }) => id));
};

const usageShape = shape({ day: integer, account: text, ...pick(tokenDayTable, 'token', 'requests', 'messages') });
type TokenDay = ShapeOf<typeof usageShape>;

/** The use of tokens by day, the newest day first. Days are dates in UTC. */
const usage: View<'token.usage'> = async (queries, { account, token: wanted, after, limit }) => {
  const owner = await accountIdOf(queries, account);
  if (!owner.ok) return owner;
  const [date, token = ''] = after?.split('/') ?? [];
  const place = { day: date === undefined ? beforeNewest : Date.parse(date) / dayMs, token, max: limit + 1 };
  const of = new Where().given('id = ?', wanted).given('account = ?', owner.value);
  const rows = of.isEmpty
    ? await usageWhere(queries, new Where('(token_day.day, token_day.token) < (?, ?)', place.day, token), place.max)
    : await usageOfTokens(queries, await queries.values(text, `select id from token ${of.sql}`, ...of.values), place);
  const shown = rows.map((row) => ({ ...row, day: new Date(row.day * dayMs).toISOString().slice(0, 10) }));
  return ok(pageOf(shown, limit, (each) => `${each.day}/${each.token}`));
};

export const tokenViews = { 'token.list': list, 'token.usage': usage };

async function usageWhere(queries: Queries, where: Where, max: number): Promise<TokenDay[]> {
  return queries.rows(
    usageShape,
    `select token_day.day, account.name as account, token_day.token, requests, messages
      from token_day join token on token.id = token_day.token join account on account.id = token.account ${where.sql}
      order by token_day.day desc, token_day.token desc limit ?`,
    ...where.values,
    max,
  );
}

/** Reads each token's days and merges them, because the index by day has the tokens of all accounts. */
async function usageOfTokens(
  queries: Queries,
  tokens: readonly string[],
  { day, token, max }: { readonly day: number; readonly token: string; readonly max: number },
): Promise<TokenDay[]> {
  const usages = await eachOf(tokens, (each) => {
    const where = new Where('token_day.token = ? and token_day.day < ?', each, each < token ? day + 1 : day);
    return usageWhere(queries, where, max);
  });
  return usages
    .flat()
    .toSorted((one, other) => other.day - one.day || (one.token < other.token ? 1 : -1))
    .slice(0, max);
}
