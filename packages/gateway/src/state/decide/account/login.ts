/*
 * Decisions of the operations on logins. Only one login at a time can have a system_id, because the system_id
 * identifies the client at a bind.
 */

import { passwordLength, systemIdMax } from '@morsel/api/values/credentials.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { PasswordHash } from '../../../core/account/login.ts';
import { noAccount } from '../../../core/named.ts';
import { accountById, accountByName, loginBySystemId, loginTable } from '../../tables/account.ts';
import { rewrite, touch, type Rows } from '../../rows/rows.ts';
import type { Reads } from '../../rows/reads.ts';
import { exists, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';

/** What the caller makes for a new login, outside the decision. */
interface MadeLogin {
  /** The given password, or a generated one if the request has none. */
  readonly secret: string;
  readonly hash: PasswordHash;
  /** Random characters, for a system_id that no other login has. */
  readonly suffix: string;
}

/** If the request has no password, only this answer shows the generated password. */
const add: Decision<'login.add', MadeLogin> = (rows, { account: name, password, from, ...given }, { at, made }) => {
  const { secret, hash, suffix } = made;
  const systemId = given.systemId ?? freeSystemId(rows, name, suffix);
  const account = rows.one(accountByName, name);
  if (!account) return noAccount(name);
  if (rows.one(loginBySystemId, systemId)) return exists(`a login with the system_id ${systemId} exists already`);
  const row = { account: account.id, systemId, password: hash, from, createdAt: at, removedAt: null, lastBindAt: null };
  rows.add(loginTable, { ...row, id: rows.nextId(loginTable) });
  return ok({ systemId, account: name, ...(password === undefined && { password: secret }), ...warningOf(secret) });
};

/** The account's name, cut for SMPP, with a suffix if another login has that name. */
function freeSystemId(rows: Rows, account: string, suffix: string): string {
  const whole = account.slice(0, systemIdMax);
  if (!rows.one(loginBySystemId, whole)) return whole;
  return `${account.slice(0, systemIdMax - suffix.length - 1)}-${suffix}`;
}

/** Sessions that are bound stay bound. */
const set: Decision<'login.set', PasswordHash | undefined> = (rows, { systemId, password, from }, { made }) => {
  const row = rows.one(loginBySystemId, systemId);
  if (!row) return noLogin(systemId);
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
const remove: Decision<'login.remove'> = (rows, { systemId }, { at }) => {
  const row = rows.one(loginBySystemId, systemId);
  if (!row) return noLogin(systemId);
  row.removedAt = at;
  touch(row);
  return ok({ systemId });
};

function noLogin(systemId: string): Decided<never> {
  return missing(`there is no login with the system_id ${systemId}`);
}

export const loginDecisions = { 'login.add': add, 'login.set': set, 'login.remove': remove };

/** Times of the last binds of logins. They are written at intervals, not at each bind. */
interface TouchLogins {
  readonly at: Instant;
  readonly binds: readonly { readonly systemId: string; readonly at: Instant }[];
}

export const touchLoginsCommand = {
  reads(read: Reads, { binds }: TouchLogins): void {
    for (const { systemId } of binds) read.one(loginBySystemId, systemId);
  },
  decide(rows: Rows, { binds }: TouchLogins): Decided<null> {
    for (const { systemId, at } of binds) {
      const row = rows.one(loginBySystemId, systemId);
      if (!row) continue;
      row.lastBindAt = at;
      touch(row);
    }
    return ok(null);
  },
};
