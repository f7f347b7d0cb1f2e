import type { token } from '@morsel/api/admin/account/token.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { tokenScopes } from '@morsel/api/values/credentials.ts';
import { makeToken, tokenRandomBytes } from '../../core/account/token.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { change, type ChangeNeeds } from '../change.ts';

/* The operator's actions on API tokens. */

type Operations = typeof token.operations;

/** Makes a token. Only this answer ever shows the token. */
export async function addToken(
  needs: ChangeNeeds,
  { account, scopes, expiresAt, from }: InputOf<Operations['add']>,
): Promise<Result<AnswerOf<Operations['add']>, Rejection>> {
  const at = needs.clock.now();
  if (expiresAt !== null && expiresAt <= at) {
    return refused({ code: 'invalid_parameter', field: 'expiresAt', detail: 'must be in the future' });
  }
  const { text, id, hash } = makeToken(needs.random(tokenRandomBytes));
  const added = await change<'add-token'>(needs, {
    kind: 'add-token',
    at,
    account,
    id,
    hash,
    scopes: tokenScopes.filter((scope) => scopes.includes(scope)),
    expiresAt,
    from,
  });
  return added.ok ? ok({ token: text, id, account }) : added;
}

/**
 * Makes a new token with the rights of a former token. The former token ends at once, or after a time in which both
 * tokens work.
 */
export async function rotateToken(
  needs: ChangeNeeds,
  { id: former, after }: InputOf<Operations['rotate']>,
): Promise<Result<AnswerOf<Operations['rotate']>, Rejection>> {
  const at = needs.clock.now();
  const { text, id: newId, hash } = makeToken(needs.random(tokenRandomBytes));
  const endsAt = after === 0 ? null : at + after;
  const rotated = await change<'rotate-token'>(needs, { kind: 'rotate-token', at, id: former, endsAt, newId, hash });
  if (!rotated.ok) return rotated;
  const { account, expiresAt, endsAt: formerEndsAt } = rotated.value;
  return ok({ token: text, id: newId, account, expiresAt, former, formerEndsAt });
}

/** Revokes a token by its id. After the answer, nobody can use the token. */
export async function revokeToken(
  needs: ChangeNeeds,
  { id }: InputOf<Operations['revoke']>,
): Promise<Result<AnswerOf<Operations['revoke']>, Rejection>> {
  const revoked = await change<'revoke-token'>(needs, { kind: 'revoke-token', at: needs.clock.now(), id });
  return revoked.ok ? ok({ id }) : revoked;
}
