/* Decisions of the operations on tokens. */

import { tokenScopes } from '@morsel/api/values/credentials.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { MadeToken } from '../../../core/account/token.ts';
import { noAccount } from '../../../core/named.ts';
import { accountById, accountByName, tokenById, tokenTable } from '../../tables/account.ts';
import { touch } from '../../rows/rows.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { inPast, missing } from '../decided.ts';
import type { Decision } from '../decision.ts';

const add: Decision<'token.add', MadeToken> = (rows, { account: name, scopes, ...given }, { at, made }) => {
  if (given.expiresAt !== null && given.expiresAt <= at) return inPast('expiresAt');
  const account = rows.one(accountByName, name);
  if (!account) return noAccount(name);
  const { text, id, hash } = made;
  const inOrder = tokenScopes.filter((scope) => scopes.includes(scope));
  rows.add(tokenTable, { ...given, id, hash, scopes: inOrder, account: account.id, createdAt: at, revokedAt: null });
  return ok({ token: text, id, account: name });
};

/** Replaces a token by one with the same rights and expiry. The former token ends now, or after a time of overlap. */
const rotate: Decision<'token.rotate', MadeToken> = (rows, { id: former, after }, { at, made }) => {
  const row = rows.one(tokenById, former);
  if (!row) return missing(`there is no token with the id ${former}`);
  const account = rows.one(accountById, row.account)?.name ?? '';
  const { expiresAt, revokedAt } = row;
  if (revokedAt !== null || (expiresAt !== null && expiresAt <= at)) {
    const how = revokedAt === null ? 'has expired' : 'is revoked';
    return invalid('id', `token ${former} ${how}: make a new token with token add ${account}`);
  }
  const { text, id, hash } = made;
  rows.add(tokenTable, { ...row, change: 'new', id, hash, createdAt: at });
  const formerEndsAt = Math.min(at + after, expiresAt ?? Number.POSITIVE_INFINITY);
  if (formerEndsAt === at) row.revokedAt = at;
  else row.expiresAt = formerEndsAt;
  touch(row);
  return ok({ token: text, id, account, expiresAt, former, formerEndsAt });
};

const revoke: Decision<'token.revoke'> = (rows, { id }, { at }) => {
  const row = rows.one(tokenById, id);
  if (!row) return missing(`there is no token with the id ${id}`);
  row.revokedAt ??= at;
  touch(row);
  return ok({ id });
};

export const tokenDecisions = { 'token.add': add, 'token.rotate': rotate, 'token.revoke': revoke };
