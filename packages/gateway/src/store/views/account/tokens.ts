/* Reads tokens, and what each was used for by day. Nothing of a token but its id is ever read. */

import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import { allowedFrom, scopesFrom } from '../../sqlite/tables/rule-rows.ts';
import type { Queries } from '../queries.ts';
import type { ListInput, Page } from '../page.ts';
import { pageOf } from '../page.ts';

export interface TokenView {
  readonly id: string;
  readonly account: string;
  readonly scopes: readonly TokenScope[];
  readonly from: AllowList<AddressRange>;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
}

/**
 * The tokens of an account, or all, the newest first, after the one with the id `after`. Of a token only its id is
 * shown.
 */
export function readTokens(
  queries: Queries,
  { account, after, limit }: ListInput & { readonly account: string | null },
): Page<TokenView> {
  const rows = queries.all(
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
  const tokens = rows.map((row) => ({
    id: text(row, 'id'),
    account: text(row, 'account'),
    scopes: scopesFrom(row),
    from: allowedFrom(row),
    createdAt: integer(row, 'created_at'),
    expiresAt: integerOrNull(row, 'expires_at'),
    revokedAt: integerOrNull(row, 'revoked_at'),
    lastUsedAt: integerOrNull(row, 'last_used_at'),
  }));
  return pageOf(tokens, limit, ({ id }) => id);
}

export interface TokenUsageView {
  /** A date in UTC. */
  readonly day: string;
  readonly account: string;
  readonly token: string;
  readonly requests: number;
  readonly messages: number;
}

/** What the tokens of an account, or all, were used for by day, the newest first. */
export function readTokenUsage(
  queries: Queries,
  {
    account,
    token,
    after,
    limit,
  }: ListInput & { readonly account: string | null; readonly token?: string | undefined },
): Page<TokenUsageView> {
  const [day = null, id = null] = after?.split('/') ?? [];
  const rows = queries.all(
    `select date(token_day.day * 86400, 'unixepoch') as day, account.name as account, token, requests, messages
      from token_day join token on token.id = token_day.token join account on account.id = token.account
      where (?1 is null or account.name = ?1) and (?2 is null or token = ?2)
        and (?3 is null or (token_day.day, token) < (unixepoch(?3) / 86400, ?4))
      order by token_day.day desc, token desc limit ?5`,
    account,
    token ?? null,
    day,
    id,
    limit + 1,
  );
  const days = rows.map((row) => ({
    day: text(row, 'day'),
    account: text(row, 'account'),
    token: text(row, 'token'),
    requests: integer(row, 'requests'),
    messages: integer(row, 'messages'),
  }));
  return pageOf(days, limit, (each) => `${each.day}/${each.token}`);
}
