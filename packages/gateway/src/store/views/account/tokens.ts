/* Views of tokens, and of their use by day. The secret part of a token is never read. */

import { tokenDayTable, tokenTable } from '../../../state/tables/account.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { dayMs } from '@morsel/api/values/time.ts';
import type { Queries } from '../queries.ts';
import { type ListInput, type Page, eachOf, beforeNewest, pageOf } from '../page.ts';
import { Where } from '../where.ts';

const { hash: _hash, ...tokenMembers } = tokenTable.members;
const tokenShape = shape({ ...tokenMembers, account: text, lastUsedAt: nullable(integer) });
export type TokenView = ShapeOf<typeof tokenShape>;

/**
 * Reads the tokens of an account, or of all accounts, the newest first. The page starts after the token with the id
 * `after`.
 */
export async function readTokens(
  queries: Queries,
  { account, after = '', limit }: ListInput & { readonly account: string | null },
): Promise<Page<TokenView>> {
  const madeAt =
    after === ''
      ? beforeNewest
      : ((await queries.value(integer, 'select created_at from token where id = ?', after)) ?? 0);
  const where = new Where('(token.created_at, token.id) < (?, ?)', madeAt, after);
  where.and("account.status <> 'removed'").given('token.account = (select id from account where name = ?)', account);
  const rows = await queries.rows(
    tokenShape,
    `select token.id, account.name as account, token.created_at, token.expires_at, token.revoked_at,
        (select last_at from token_day where token = token.id order by day desc limit 1) as last_used_at, token.scopes, token.allowed_from
      from token join account on account.id = token.account ${where.sql}
      order by token.created_at desc, token.id desc limit ?`,
    ...where.values,
    limit + 1,
  );
  return pageOf(rows, limit, ({ id }) => id);
}

const usageShape = shape({ day: integer, account: text, ...pick(tokenDayTable, 'token', 'requests', 'messages') });
type TokenDay = ShapeOf<typeof usageShape>;

/** `day` is a date in UTC. */
export interface TokenUsageView extends Omit<TokenDay, 'day'> {
  readonly day: string;
}

interface UsageInput extends ListInput {
  readonly account: string | null;
  readonly token?: string | undefined;
}

/** Reads how often tokens were used on each day, for one account or for all accounts, the newest day first. */
export async function readTokenUsage(queries: Queries, wanted: UsageInput): Promise<Page<TokenUsageView>> {
  const [date, token = ''] = wanted.after?.split('/') ?? [];
  const place = { day: date === undefined ? beforeNewest : Date.parse(date) / dayMs, token };
  const max = wanted.limit + 1;
  const rows =
    wanted.account === null && wanted.token === undefined
      ? await usageWhere(queries, new Where('(token_day.day, token_day.token) < (?, ?)', place.day, token), max)
      : await usageOfTokens(queries, await tokensOf(queries, wanted), { ...place, max });
  const shown = rows.map((row) => ({ ...row, day: new Date(row.day * dayMs).toISOString().slice(0, 10) }));
  return pageOf(shown, wanted.limit, (each) => `${each.day}/${each.token}`);
}

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

/** The newest days of each token, which are merged: the index of days has those of all accounts. */
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

async function tokensOf(queries: Queries, { account, token }: UsageInput): Promise<readonly string[]> {
  const where = new Where().given('id = ?', token);
  where.given('account = (select id from account where name = ?)', account);
  return queries.values(text, `select id from token ${where.sql}`, ...where.values);
}
