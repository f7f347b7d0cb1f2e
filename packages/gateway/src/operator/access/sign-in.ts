/* How operators sign in to the console. */

import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Passwords } from '../../flow/account/passwords.ts';
import { change } from '../change.ts';
import type { ChangeNeeds } from '../change.ts';

type PasswordNeeds = ChangeNeeds & { readonly passwords: Pick<Passwords, 'hash'> };

/** Sets the password of an operator. All sessions of the operator end. */
export async function setOperatorPassword(
  needs: PasswordNeeds,
  operator: string,
  { password, codeStep = null }: { readonly password: string; readonly codeStep?: number | null },
): Promise<Result<null, Rejection>> {
  const hashed = await needs.passwords.hash(password);
  const at = needs.clock.now();
  const set = await change<'set-operator-password'>(needs, {
    kind: 'set-operator-password',
    at,
    operator,
    password: hashed,
    codeStep,
  });
  return set.ok ? ok(null) : set;
}
