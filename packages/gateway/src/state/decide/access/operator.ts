/* Commands about operators and their keys. */

import type { Role } from '@morsel/api/admin/access/role.ts';
import type { AddressRange, AllowList } from '@morsel/api/values/address-range.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reads } from '../../rows/reads.ts';
import {
  keysOfOperator,
  operatorByName,
  operatorKeyById,
  operatorKeyTable,
  operatorTable,
  signInOfOperator,
} from '../../tables/access.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { conflict, exists, missing, type Decided } from '../decided.ts';

/** The most keys of an operator that are not revoked: all of them are in the memory of each node. */
const keysMax = 50;

interface NamedOperator {
  readonly name: string;
}

interface OperatorWithRole extends NamedOperator {
  readonly at: Instant;
  readonly role: Role;
}

export const addOperatorCommand = {
  isSetting: true,
  reads: readOperator,
  decide(rows: Rows, { at, name, role }: OperatorWithRole): Decided<null> {
    if (rows.one(operatorByName, name)) return exists(`an operator named ${name} exists already`);
    rows.add(operatorTable, { name, role, createdAt: at });
    return ok(null);
  },
};

/** Gives an operator another role, which counts from the next request on. */
export const setOperatorCommand = {
  isSetting: true,
  reads: readOperator,
  decide(rows: Rows, { name, role }: OperatorWithRole): Decided<null> {
    const row = rows.one(operatorByName, name);
    if (!row) return noOperator(name);
    row.role = role;
    touch(row);
    return ok(null);
  },
};

/** Removes an operator with all keys, and what was done with idempotency keys: a later operator of this name is another one. The
 * audit log keeps the name. */
export const removeOperatorCommand = {
  isSetting: true,
  reads(read: Reads, { name }: NamedOperator): void {
    read.one(operatorByName, name);
    read.all(keysOfOperator, name);
    read.one(signInOfOperator, name);
  },
  decide(rows: Rows, { name }: NamedOperator): Decided<null> {
    const row = rows.one(operatorByName, name);
    if (!row) return noOperator(name);
    for (const key of rows.all(keysOfOperator, name)) key.change = 'gone';
    const signIn = rows.one(signInOfOperator, name);
    if (signIn) signIn.change = 'gone';
    rows.run('delete from operator_request where operator = ?', name);
    row.change = 'gone';
    return ok(null);
  },
};

interface AddOperatorKey {
  readonly at: Instant;
  readonly operator: string;
  readonly id: string;
  readonly hash: Uint8Array;
  readonly expiresAt: Instant | null;
  readonly from: AllowList<AddressRange>;
}

export const addOperatorKeyCommand = {
  isSetting: true,
  reads(read: Reads, { operator, id }: AddOperatorKey): void {
    read.one(operatorByName, operator);
    read.all(keysOfOperator, operator);
    read.one(operatorKeyById, id);
  },
  decide(rows: Rows, { at, ...key }: AddOperatorKey): Decided<null> {
    if (!rows.one(operatorByName, key.operator)) return noOperator(key.operator);
    const working = rows
      .all(keysOfOperator, key.operator)
      .filter(({ kind, revokedAt }) => kind === 'key' && revokedAt === null);
    if (working.length >= keysMax) {
      return conflict(`operator ${key.operator} has ${keysMax} keys: revoke one with operator-key revoke`);
    }
    rows.add(operatorKeyTable, { ...key, kind: 'key', agent: null, createdAt: at, revokedAt: null, lastUsedAt: null });
    return ok(null);
  },
};

interface OneKey {
  readonly at: Instant;
  readonly id: string;
}

export const revokeOperatorKeyCommand = {
  isSetting: true,
  reads: readKey,
  decide(rows: Rows, { at, id }: OneKey): Decided<{ readonly operator: string }> {
    const key = rows.one(operatorKeyById, id);
    if (!key) return missing(`there is no operator key with the id ${id}`);
    key.revokedAt ??= at;
    touch(key);
    return ok({ operator: key.operator });
  },
};

/** Records the use of a key, once a day. */
export const touchOperatorKeyCommand = {
  reads: readKey,
  decide(rows: Rows, { at, id }: OneKey): Decided<null> {
    const key = rows.one(operatorKeyById, id);
    if (!key) return ok(null);
    key.lastUsedAt = Math.max(at, key.lastUsedAt ?? 0);
    touch(key);
    return ok(null);
  },
};

function readOperator(read: Reads, { name }: NamedOperator): void {
  read.one(operatorByName, name);
}

function readKey(read: Reads, { id }: OneKey): void {
  read.one(operatorKeyById, id);
}

function noOperator(name: string): Decided<never> {
  return missing(`there is no operator named ${name}`);
}
