/*
 * Commands about logins. Only one login at a time can have a system_id, because the system_id identifies the client at
 * a bind.
 */

import { ok } from '@morsel/api/values/result.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { PasswordHash } from '../../../core/account/login.ts';
import { accountByName, loginBySystemId, loginTable } from '../../tables/account.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { exists, missing, type Decided } from '../decided.ts';
import type { Reads } from '../../rows/reads.ts';

interface AddLogin {
  readonly at: Instant;
  readonly account: string;
  readonly systemId: string;
  readonly password: PasswordHash;
  readonly from: AllowList<AddressRange>;
}

export const addLoginCommand = {
  isSetting: true,
  reads(read: Reads, { account, systemId }: AddLogin): void {
    read.one(accountByName, account);
    read.one(loginBySystemId, systemId);
  },
  decide(rows: Rows, { account: name, systemId, password, from, at }: AddLogin): Decided<null> {
    const account = rows.one(accountByName, name);
    if (!account) return missing(`there is no account named ${name}`);
    if (rows.one(loginBySystemId, systemId)) return exists(`a login with the system_id ${systemId} exists already`);
    const times = { createdAt: at, removedAt: null, lastBindAt: null };
    rows.add(loginTable, { id: rows.nextId(loginTable), account: account.id, systemId, password, from, ...times });
    return ok(null);
  },
};

/** Changes some settings of a login. Its bound sessions go on. */
interface SetLogin {
  readonly at: Instant;
  readonly systemId: string;
  readonly password?: PasswordHash;
  readonly from?: AllowList<AddressRange>;
}

export const setLoginCommand = {
  isSetting: true,
  reads: readLogin,
  decide(rows: Rows, { systemId, password, from }: SetLogin): Decided<null> {
    const row = rows.one(loginBySystemId, systemId);
    if (!row) return noLogin(systemId);
    row.password = password ?? row.password;
    row.from = from ?? row.from;
    touch(row);
    return ok(null);
  },
};

/** Removes a login. Another login may then use its system_id. */
interface RemoveLogin {
  readonly at: Instant;
  readonly systemId: string;
}

export const removeLoginCommand = {
  isSetting: true,
  reads: readLogin,
  decide(rows: Rows, { systemId, at }: RemoveLogin): Decided<null> {
    const row = rows.one(loginBySystemId, systemId);
    if (!row) return noLogin(systemId);
    row.removedAt = at;
    touch(row);
    return ok(null);
  },
};

/** Times of the last binds of logins; written now and then. */
interface TouchLogins {
  readonly at: Instant;
  readonly binds: readonly { readonly systemId: string; readonly at: Instant }[];
}

export const touchLoginsCommand = {
  reads(read: Reads, { binds }: TouchLogins): void {
    for (const bind of binds) readLogin(read, bind);
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

function readLogin(read: Reads, { systemId }: Pick<SetLogin, 'systemId'>): void {
  read.one(loginBySystemId, systemId);
}

function noLogin(systemId: string): Decided<never> {
  return missing(`there is no login with the system_id ${systemId}`);
}
