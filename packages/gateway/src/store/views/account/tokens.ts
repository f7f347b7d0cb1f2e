/* Views of tokens, and of their use by day. The secret part of a token is never read. */

import { tokenDayTable, tokenTable } from '../../tables/account.ts';
import { integer, nullable, text } from '../../tables/column.ts';
import { pick, shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import type { Queries } from '../queries.ts';
import type { ListInput, Page } from '../page.ts';
import { pageOf } from '../page.ts';

const { hash: _hash, ...tokenMembers } = tokenTable.members;
const tokenShape = shape({ ...tokenMembers, account: text, lastUsedAt: nullable(integer) });
export type TokenView = ShapeOf<typeof tokenShape>;

/**
 * Reads the tokens of an account, or of all accounts, the newest first. The page starts after the token with the id
 * `after`.
 */
export function readTokens(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Page<TokenView> {
  const rows = queries.rows(
    tokenShape,
    `select token.id, account.name as account, token.created_at, token.expires_at, token.revoked_at,
        (select last_at from token_day where token = token.id order by day desc limit 1) as last_used_at, token.scopes, token.allowed_from
      from token join account on account.id = token.account
      where account.status <> 'removed' and (?1 is null or account.name = ?1)
        and (?2 is null or (token.created_at, token.id) < (select created_at, id from token where id = ?2))
      order by token.created_at desc, token.id desc limit ?3`,
    account,
    after ?? null,
    limit + 1,
  );
  return pageOf(rows, limit, ({ id }) => id);
}

/** `day` is a date in UTC. */
const usageShape = shape({ day: text, account: text, ...pick(tokenDayTable, 'token', 'requests', 'messages') });
export type TokenUsageView = ShapeOf<typeof usageShape>;

/** Reads how often tokens were used on each day, for one account or for all accounts, the newest day first. */
export function readTokenUsage(
  queries: Queries,
  wanted: ListInput & { readonly account: string | null; readonly token?: string | undefined },
): Page<TokenUsageView> {
  const [day = null, id = null] = wanted.after?.split('/') ?? [];
  const rows = queries.rows(
    usageShape,
    `select date(token_day.day * 86400, 'unixepoch') as day, account.name as account, token, requests, messages
      from token_day join token on token.id = token_day.token join account on account.id = token.account
      where (?1 is null or account.name = ?1) and (?2 is null or token = ?2)
        and (?3 is null or (token_day.day, token) < (unixepoch(?3) / 86400, ?4))
      order by token_day.day desc, token desc limit ?5`,
    wanted.account,
    wanted.token ?? null,
    day,
    id,
    wanted.limit + 1,
  );
  return pageOf(rows, wanted.limit, (each) => `${each.day}/${each.token}`);
}
