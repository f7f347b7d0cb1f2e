/*
 * Decisions of the operations on logins. Only one login at a time can have a name (over SMPP, the system_id), because the
 * name identifies the client at a bind.
 */

import { passwordLength, userMax } from '@morsel/api/values/credentials.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { PasswordHash } from '../../../core/account/login.ts';
import { noAccount } from '../../../core/named.ts';
import { accountById, accountByName, loginByUser, loginTable } from '../../tables/account.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import { exists, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { rehearsed } from '../rehearsal.ts';

/** What the caller makes for a new login, outside the decision. */
interface MadeLogin {
  /** The given password, or a generated one if the request has none. */
  readonly secret: string;
  readonly hash: PasswordHash;
  /** Random characters, for a name that no other login has. */
  readonly suffix: string;
}

/** If the request has no password, only this answer shows the generated password. */
const add: Decision<'login.add', MadeLogin> = (rows, { account: name, password, from, ...given }, { at, made }) => {
  const { secret, hash, suffix } = made;
  const user = given.user ?? freeUser(rows, name, suffix);
  const account = rows.one(accountByName, name);
  if (!account) return noAccount(name);
  if (rows.one(loginByUser, user)) return exists(`a login with the system_id ${user} exists already`);
  const row = { account: account.id, user, password: hash, from, createdAt: at, removedAt: null, lastBindAt: null };
  rows.add(loginTable, { ...row, id: rows.nextId(loginTable) });
  return ok({ user, account: name, ...(password === undefined && { password: secret }), ...warningOf(secret) });
};

/** The account's name, cut for SMPP, with a suffix if another login has that name. */
function freeUser(rows: Rows, account: string, suffix: string): string {
  const whole = account.slice(0, userMax);
  if (!rows.one(loginByUser, whole)) return whole;
  return `${account.slice(0, userMax - suffix.length - 1)}-${suffix}`;
}

/** Sessions that are bound stay bound. */
const set: Decision<'login.set', PasswordHash | undefined> = (rows, { user, password, from }, { made }) => {
  const row = rows.one(loginByUser, user);
  if (!row) return noLogin(user);
  rewrite(row, { password: made, from });
  const { password: _hash, ...shown } = row;
  const account = rows.one(accountById, row.account)?.name ?? '';
  return ok({ ...shown, account, ...(password !== undefined && warningOf(password)) });
};

function warningOf({ length }: string): { readonly warning?: string } {
  if (length <= passwordLength) return {};
  return {
    warning: `the password has ${length} characters: SMPP 3.4 allows ${passwordLength}, and some clients cut or refuse a longer password`,
  };
}

/** Removes a login. Another login may then use its system_id. */
const remove: Decision<'login.remove'> = (rows, { user }, { at }) => {
  const row = rows.one(loginByUser, user);
  if (!row) return noLogin(user);
  row.removedAt = at;
  touch(row);
  return ok({ user });
};

function noLogin(user: string): Decided<never> {
  return missing(`there is no login with the system_id ${user}`);
}

export const loginDecisions = { 'login.add': add, 'login.set': set, 'login.remove': remove };

/** Times of the last binds of logins. They are written at intervals, not at each bind. */
interface TouchLogins {
  readonly at: Instant;
  readonly binds: readonly { readonly user: string; readonly at: Instant }[];
}

export const touchLoginsCommand = rehearsed((rows: Rows, { binds }: TouchLogins): Decided<null> => {
  for (const { user, at } of binds) {
    const row = rows.one(loginByUser, user);
    if (!row) continue;
    row.lastBindAt = at;
    touch(row);
  }
  return ok(null);
});
