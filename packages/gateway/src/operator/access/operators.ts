import type { operator } from '@morsel/api/admin/access/operator.ts';
import type { operatorKey } from '@morsel/api/admin/access/operator-key.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { makeToken, tokenRandomBytes } from '../../core/account/token.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Reader } from '../../store/reader.ts';
import { change, type ChangeNeeds } from '../../flow/change.ts';
import { invalid } from '../../state/decide/decided.ts';

/* The owner's actions on operators and their keys. */

type Operators = typeof operator.operations;
type Keys = typeof operatorKey.operations;

export async function addOperator(
  needs: ChangeNeeds,
  { operator: name, role }: InputOf<Operators['add']>,
): Promise<Result<AnswerOf<Operators['add']>, Rejection>> {
  const at = needs.clock.now();
  const added = await change<'add-operator'>(needs, { kind: 'add-operator', at, name, role });
  return added.ok ? ok({ operator: name, role, createdAt: at }) : added;
}

/** Removes an operator. After the answer, nobody can use a key of the operator. */
export async function removeOperator(
  needs: ChangeNeeds,
  { operator: name }: InputOf<Operators['remove']>,
): Promise<Result<AnswerOf<Operators['remove']>, Rejection>> {
  const removed = await change<'remove-operator'>(needs, { kind: 'remove-operator', name });
  return removed.ok ? ok({ operator: name }) : removed;
}

/** Makes a key. Only this answer ever shows the key. */
export async function addOperatorKey(
  needs: ChangeNeeds,
  { operator: name, expiresAt, from }: InputOf<Keys['add']>,
): Promise<Result<AnswerOf<Keys['add']>, Rejection>> {
  const at = needs.clock.now();
  if (expiresAt !== null && expiresAt <= at) return invalid('expiresAt', 'must be in the future');
  const { text: key, id, hash } = makeToken(needs.random(tokenRandomBytes), 'morselop');
  const command = { at, operator: name, id, hash, expiresAt, from };
  const added = await change<'add-operator-key'>(needs, { kind: 'add-operator-key', ...command });
  return added.ok ? ok({ key, id, operator: name, expiresAt }) : added;
}

/** Revokes a key. A password of its operator stays, and the answer says so. */
export async function revokeOperatorKey(
  needs: ChangeNeeds & { readonly reader: Pick<Reader, 'ask'> },
  { id }: InputOf<Keys['revoke']>,
): Promise<Result<AnswerOf<Keys['revoke']>, Rejection>> {
  const at = needs.clock.now();
  const revoked = await change<'revoke-operator-key'>(needs, { kind: 'revoke-operator-key', at, id });
  if (!revoked.ok) return revoked;
  const { operator: name } = revoked.value;
  const signIn = await needs.reader.ask('operatorSignIn', name);
  // The key is revoked, whether or not this can be read.
  const hasPassword = signIn.ok && signIn.value !== undefined;
  const warning = `operator ${name} can still sign in to the console with a password: set another with operator sign-in-link ${name}, or end all with operator remove ${name}`;
  return ok({ id, operator: name, ...(hasPassword && { warning }) });
}
