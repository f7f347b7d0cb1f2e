/* Views of logins, for the operator. */

import { loginTable } from '../../../state/tables/account.ts';
import { text } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf, type ListInput, type Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

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
export async function readLogins(
  queries: Queries,
  { account, removed, after, limit }: LoginsInput,
): Promise<Page<LoginView>> {
  const place = Number(after ?? beforeNewest);
  const isInRemoved =
    removed && after !== undefined && (await queries.first(loginTable, 'where id = ?', place))?.removedAt !== null;
  const read = async (state: 'null' | 'not null', below: number, max: number) => {
    const where = new Where(`login.removed_at is ${state} and login.id < ?`, below);
    where.given('login.account = (select id from account where name = ?)', account);
    return queries.rows(
      loginShape,
      `select ${columns} ${where.sql} order by login.id desc limit ?`,
      ...where.values,
      max,
    );
  };
  const rows = isInRemoved ? [] : await read('null', place, limit + 1);
  const left = limit + 1 - rows.length;
  if (removed && left > 0) rows.push(...(await read('not null', isInRemoved ? place : beforeNewest, left)));
  return pageOf(rows, limit, (row) => String(row.id));
}

/** The login with this system_id that is not removed; undefined if it does not exist. */
export async function readLogin(queries: Queries, systemId: string): Promise<LoginView | undefined> {
  return queries.row(loginShape, `select ${columns} where login.system_id = ? and login.removed_at is null`, systemId);
}
