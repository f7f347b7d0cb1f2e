/* The view of logins. */

import { ok } from '@morsel/api/values/result.ts';
import { loginTable } from '../../../state/tables/account.ts';
import { text } from '../../../state/tables/column.ts';
import { shape } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';
import { accountIdOf } from './ids-of-names.ts';

const { password: _password, ...loginMembers } = loginTable.members;
const loginShape = shape({ ...loginMembers, account: text });

const columns = `login.id, login.user_name, account.name as account, login.allowed_from, login.created_at, login.removed_at,
    login.last_bind_at from login join account on account.id = login.account`;

/** Lists logins, the newest first and removed ones last. Passwords are not read. */
const list: View<'login.list'> = async (queries, { account, removed, after, limit }) => {
  const owner = await accountIdOf(queries, account);
  if (!owner.ok) return owner;
  const place = Number(after ?? beforeNewest);
  const isInRemoved =
    removed && after !== undefined && (await queries.first(loginTable, 'where id = ?', place))?.removedAt !== null;
  const read = async (state: 'null' | 'not null', below: number, max: number) => {
    const where = new Where(`login.removed_at is ${state} and login.id < ?`, below);
    where.given('login.account = ?', owner.value);
    const sql = `select ${columns} ${where.sql} order by login.id desc limit ?`;
    return queries.rows(loginShape, sql, ...where.values, max);
  };
  const rows = isInRemoved ? [] : await read('null', place, limit + 1);
  const left = limit + 1 - rows.length;
  if (removed && left > 0) rows.push(...(await read('not null', isInRemoved ? place : beforeNewest, left)));
  return ok(pageOf(rows, limit, (row) => String(row.id)));
};

export const loginViews = { 'login.list': list };
