/* Views of logins, for the operator. */

import { loginTable } from '../../tables/account.ts';
import { text } from '../../tables/column.ts';
import { shape } from '../../tables/table.ts';
import type { ShapeOf } from '../../tables/table.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

const { password: _password, ...loginMembers } = loginTable.members;
const loginShape = shape({ ...loginMembers, account: text });

export type LoginView = Omit<ShapeOf<typeof loginShape>, 'id'>;

export interface LoginsInput extends ListInput {
  readonly account: string | null;
  /** Whether to include removed logins. */
  readonly removed: boolean;
}

const columns = `login.id, login.system_id, account.name as account, login.allowed_from, login.created_at, login.removed_at,
    login.last_bind_at from login join account on account.id = login.account`;

/**
 * Reads the logins of an account, or of all accounts: the newest first, removed logins last. Passwords are not read.
 */
export function readLogins(queries: Queries, { account, removed, after, limit }: LoginsInput): Page<LoginView> {
  const rows = queries.rows(
    loginShape,
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
  return pageOf(rows, limit, (row) => String(row.id));
}

/** The login with this system_id that is not removed; undefined if it does not exist. */
export function readLogin(queries: Queries, systemId: string): LoginView | undefined {
  return queries.row(loginShape, `select ${columns} where login.system_id = ? and login.removed_at is null`, systemId);
}
