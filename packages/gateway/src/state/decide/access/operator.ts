/* Decisions of the operations on operators and their keys. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MadeToken } from '../../../core/account/token.ts';
import {
  keysOfOperator,
  operatorByName,
  operatorKeyById,
  operatorKeyTable,
  operatorTable,
  signInOfOperator,
} from '../../tables/access.ts';
import { effect } from '../../tables/lookup.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { conflict, exists, inPast, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { rehearsed } from '../rehearsal.ts';

/** The most keys of an operator that are not revoked: all these keys are in the memory of each node. */
const keysMax = 50;

const add: Decision<'operator.add'> = (rows, { operator: name, role }, { at }) => {
  if (rows.one(operatorByName, name)) return exists(`an operator named ${name} exists already`);
  rows.add(operatorTable, { name, role, createdAt: at });
  return ok({ operator: name, role, createdAt: at });
};

/** A new role applies from the operator's next request on. */
const set: Decision<'operator.set'> = (rows, { operator: name, role }) => {
  const row = rows.one(operatorByName, name);
  if (!row) return noOperator(name);
  row.role = role;
  touch(row);
  return ok({ operator: name, role, createdAt: row.createdAt });
};

const deleteRequests = effect<[operator: string]>()('operator_request.delete-of-operator');

/**
 * Removes the operator's keys and idempotency records, because a later operator with this name is another person. The
 * audit log keeps the name.
 */
const remove: Decision<'operator.remove'> = (rows, { operator: name }) => {
  const row = rows.one(operatorByName, name);
  if (!row) return noOperator(name);
  for (const key of rows.all(keysOfOperator, name)) key.change = 'gone';
  const signIn = rows.one(signInOfOperator, name);
  if (signIn) signIn.change = 'gone';
  rows.run(deleteRequests, name);
  row.change = 'gone';
  return ok({ operator: name });
};

/** Only this answer ever shows the key. */
const addKey: Decision<'operatorKey.add', MadeToken> = (rows, { operator, expiresAt, from }, { at, made }) => {
  if (expiresAt !== null && expiresAt <= at) return inPast('expiresAt');
  if (!rows.one(operatorByName, operator)) return noOperator(operator);
  const working = rows
    .all(keysOfOperator, operator)
    .filter(({ kind, revokedAt }) => kind === 'key' && revokedAt === null);
  if (working.length >= keysMax)
    return conflict(`operator ${operator} has ${keysMax} keys: revoke one with operator-key revoke`);
  const { text: key, id, hash } = made;
  const none = { agent: null, revokedAt: null, lastUsedAt: null };
  rows.add(operatorKeyTable, { ...none, id, hash, operator, expiresAt, from, kind: 'key', createdAt: at });
  return ok({ key, id, operator, expiresAt });
};

/** Revoking the last key does not remove the operator's password; the answer says so. */
const revokeKey: Decision<'operatorKey.revoke'> = (rows, { id }, { at }) => {
  const key = rows.one(operatorKeyById, id);
  if (!key) return missing(`there is no operator key with the id ${id}`);
  key.revokedAt ??= at;
  touch(key);
  const { operator } = key;
  const warning = `operator ${operator} can still sign in to the console with a password: set another with operator sign-in-link ${operator}, or end all with operator remove ${operator}`;
  return ok({ id, operator, ...(rows.one(signInOfOperator, operator) && { warning }) });
};

const endSession: Decision<'operatorKey.end'> = (rows, { id }, { at, by }) => {
  const key = rows.one(operatorKeyById, id);
  if (key?.operator !== by || key.kind !== 'session') return missing(`you have no session with the id ${id}`);
  key.revokedAt ??= at;
  touch(key);
  return ok({ id });
};

export const operatorDecisions = {
  'operator.add': add,
  'operator.set': set,
  'operator.remove': remove,
  'operatorKey.add': addKey,
  'operatorKey.end': endSession,
  'operatorKey.revoke': revokeKey,
};

interface OneKey {
  readonly at: Instant;
  readonly id: string;
}

/** Records the use of a key, once a day. */
export const touchOperatorKeyCommand = rehearsed((rows: Rows, { at, id }: OneKey): Decided<null> => {
  const key = rows.one(operatorKeyById, id);
  if (!key) return ok(null);
  key.lastUsedAt = Math.max(at, key.lastUsedAt ?? 0);
  touch(key);
  return ok(null);
});

export function noOperator(name: string): Decided<never> {
  return missing(`there is no operator named ${name}`);
}
