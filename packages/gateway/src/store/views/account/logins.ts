import type { AddressRange } from '@morsel/api/values/address-range.ts';
import type { AllowList } from '@morsel/api/values/allow-list.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { integer, integerOrNull, text } from '../../sqlite/columns.ts';
import { allowedFrom } from '../../sqlite/tables/rule-rows.ts';
import type { Queries } from '../queries.ts';

export interface LoginView {
  readonly systemId: string;
  readonly account: string;
  readonly from: AllowList<AddressRange>;
  readonly createdAt: Instant;
  readonly removedAt: Instant | null;
  readonly lastBindAt: Instant | null;
}

export interface LoginsInput {
  readonly account: string | null;
  readonly isRemovedToo?: boolean;
}

/** The logins of an account, or all of them, the newest first and those that were removed last: nothing of their passwords. */
export function readLogins(queries: Queries, { account, isRemovedToo }: LoginsInput): LoginView[] {
  return queries
    .all(
      `select login.system_id, account.name as account, login.allowed_from, login.created_at, login.removed_at, login.last_bind_at
        from login join account on account.id = login.account
        where (login.removed_at is null or ?2) and (?1 is null or account.name = ?1)
        order by login.removed_at is not null, login.created_at desc, login.id desc`,
      account,
      isRemovedToo === true ? 1 : 0,
    )
    .map((row) => ({
      systemId: text(row, 'system_id'),
      account: text(row, 'account'),
      from: allowedFrom(row),
      createdAt: integer(row, 'created_at'),
      removedAt: integerOrNull(row, 'removed_at'),
      lastBindAt: integerOrNull(row, 'last_bind_at'),
    }));
}
