/* How operators sign in to the console. */

import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Passwords } from '../../flow/account/passwords.ts';
import { change } from '../change.ts';
import type { ChangeNeeds } from '../change.ts';
import { invalid } from '../fields.ts';

type PasswordNeeds = ChangeNeeds & { readonly passwords: Pick<Passwords, 'hash'> };

/** Sets the password of an operator. All sessions of the operator end. */
export async function setOperatorPassword(
  needs: PasswordNeeds,
  operator: string,
  { password, codeStep = null }: { readonly password: string; readonly codeStep?: number | null },
): Promise<Result<null, Rejection>> {
  if (await isEasyToGuess(password, operator)) {
    return invalid(
      'password',
      'must not be a common password or a variation of one: choose several words that do not belong together',
    );
  }
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

/** Fewer guesses than this find the password: "somewhat guessable" in the scale of zxcvbn (USENIX Security 2016). */
const guessesMin = 1e8;
/** The longest beginning of a password that is looked at, because the time grows with the square of its length. */
const lookedAtMax = 64;

/** Whether the password is in the list of common ones, is a variation of one, or is made of the operator's name, keys in a row or repeats. */
async function isEasyToGuess(password: string, operator: string): Promise<boolean> {
  // Passwords are set seldom, so the list of 49,000 is not in memory before.
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const estimate = new ZxcvbnFactory({ dictionary, graphs, maxLength: lookedAtMax });
  return estimate.check(password, [operator, 'morsel', 'gateway', 'console']).guesses < guessesMin;
}
