/* Decides commands about tokens: add, rotate and revoke. */

import { ok, refused } from '@morsel/api/values/result.ts';
import type { AddToken, RevokeToken, RotateToken } from '../../commands/commands.ts';
import { touch } from '../../tables/rows.ts';
import type { Rows } from '../../tables/rows.ts';
import { missing } from '../decided.ts';
import type { Decided } from '../decided.ts';

export function decideAddToken(rows: Rows, command: AddToken): Decided<'add-token'> {
  const account = rows.accountsByName.get(command.account);
  if (!account) return missing(`there is no account named ${command.account}`);
  rows.tokens.set(command.id, {
    change: 'new',
    id: command.id,
    account: account.id,
    hash: command.hash,
    scopes: command.scopes,
    from: command.from,
    createdAt: command.at,
    expiresAt: command.expiresAt,
    revokedAt: null,
  });
  return ok({ id: command.id });
}

/**
 * Replaces a token. The new token has the account, scopes, addresses and expiry of the former token. The former token
 * expires at `endsAt`, or at its own expiry if that is earlier.
 */
export function decideRotateToken(rows: Rows, command: RotateToken): Decided<'rotate-token'> {
  const { id, newId, hash, at } = command;
  const former = rows.tokens.get(id);
  if (!former) return missing(`there is no token with the id ${id}`);
  const account = rows.accounts.get(former.account)?.name ?? '';
  if (former.revokedAt !== null || (former.expiresAt !== null && former.expiresAt <= at)) {
    const how = former.revokedAt === null ? 'has expired' : 'is revoked';
    return refused({
      code: 'invalid_parameter',
      field: 'id',
      detail: `token ${id} ${how}: make a new token with token add ${account}`,
    });
  }
  const { expiresAt } = former;
  rows.tokens.set(newId, { ...former, change: 'new', id: newId, hash, createdAt: at });
  const endsAt = Math.min(command.endsAt ?? at, expiresAt ?? Number.POSITIVE_INFINITY);
  if (endsAt === at) former.revokedAt = at;
  else former.expiresAt = endsAt;
  touch(former);
  return ok({ account, endsAt, expiresAt });
}

export function decideRevokeToken(rows: Rows, command: RevokeToken): Decided<'revoke-token'> {
  const token = rows.tokens.get(command.id);
  if (!token) return missing(`there is no token with the id ${command.id}`);
  token.revokedAt ??= command.at;
  touch(token);
  return ok(null);
}
