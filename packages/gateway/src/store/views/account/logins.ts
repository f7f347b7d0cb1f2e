/* Views of logins, for the operator. */

import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { allowedFrom } from '../../sqlite/tables/rule-rows.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

export interface LoginView {
  readonly systemId: string;
  readonly account: string;
  readonly from: AllowList<AddressRange>;
  readonly createdAt: Instant;
  readonly removedAt: Instant | null;
  readonly lastBindAt: Instant | null;
}

export interface LoginsInput extends ListInput {
  readonly account: string | null;
  /** Whether to include removed logins. */
  readonly removed: boolean;
}

const columns = `login.id, login.system_id, account.name as account, login.allowed_from, login.created_at, login.removed_at,
    login.last_bind_at from login join account on account.id = login.account`;

/** The logins of an account, or all: the newest first, removed ones last. Nothing of their passwords. */
export function readLogins(queries: Queries, { account, removed, after, limit }: LoginsInput): Page<LoginView> {
  const rows = queries.all(
    `select ${columns}
      where (login.removed_at is null or ?2) and (?1 is null or account.name = ?1)
        and (?3 is null or (login.removed_at is not null, -login.created_at, -login.id) >
          (select removed_at is not null, -created_at, -id from login where id = ?3))
      order by login.removed_at is not null, login.created_at desc, login.id desc limit ?4`,
    account,
    removed ? 1 : 0,
    after === undefined ? null : Number(after),
    limit + 1,
  );
  const { items, next } = pageOf(rows, limit, (row) => String(integer(row, 'id')));
  return { items: items.map(loginViewFrom), next };
}

/** The login in use with a system_id; undefined when there is none. */
export function readLogin(queries: Queries, systemId: string): LoginView | undefined {
  const row = queries.get(`select ${columns} where login.system_id = ? and login.removed_at is null`, systemId);
  return row && loginViewFrom(row);
}

function loginViewFrom(row: Record): LoginView {
  return {
    systemId: text(row, 'system_id'),
    account: text(row, 'account'),
    from: allowedFrom(row),
    createdAt: integer(row, 'created_at'),
    removedAt: integerOrNull(row, 'removed_at'),
    lastBindAt: integerOrNull(row, 'last_bind_at'),
  };
}
