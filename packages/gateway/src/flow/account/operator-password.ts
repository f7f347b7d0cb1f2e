/* How operators sign in to the console. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import type { PasswordHash } from '../../core/account/login.ts';
import { invalid, type Rejection } from '../../core/base/rejection.ts';
import type { Passwords } from './passwords.ts';

/** Hashes a new password of an operator, unless it is easy to guess. */
export async function hashOperatorPassword(
  passwords: Pick<Passwords, 'hash'>,
  operator: string,
  password: string,
): Promise<Result<PasswordHash, Rejection>> {
  if (await isEasyToGuess(password, operator)) {
    return invalid(
      'password',
      'must not be a common password or a variation of one: choose several words that do not belong together',
    );
  }
  return ok(await passwords.hash(password));
}

/** The fewest guesses that a password must need: zxcvbn's best score, "very unguessable" (USENIX Security 2016). */
const guessesMin = 1e10;
/** The same limit for a password without its separators. Common passwords in a row are worth 1e8. */
const wordGuessesMin = 3e8;
/** The longest beginning of a password that is looked at, because the time grows with the square of its length. */
const lookedAtMax = 64;

/** Words that come to mind first for this gateway, and for a new password of this month. */
const usualWords =
  `morsel gateway console sms monday tuesday wednesday thursday friday saturday sunday january february march april may
  june july august september october november december spring summer autumn fall winter`.split(/\s+/);

/** Whether the password is common or a variation of common ones, or is made of the operator's name, usual words, keys in a row or repeats. */
export async function isEasyToGuess(password: string, operator: string): Promise<boolean> {
  // Passwords are seldom set, so the list of 49,000 common passwords is loaded only when needed.
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const estimate = new ZxcvbnFactory({ dictionary, graphs, maxLength: lookedAtMax });
  const guesses = (text: string) => estimate.check(text, [operator, joined(operator), ...usualWords]).guesses;
  return guesses(password) < guessesMin || guesses(joined(password)) < wordGuessesMin;
}

/** Removes what separates words, which zxcvbn counts as hard to guess. A random password keeps 9 of 12 characters. */
function joined(words: string): string {
  return words.replaceAll(/(?<=[\p{L}\p{N}]{3})[^\p{L}\p{N}]{1,3}(?=[\p{L}\p{N}]{3})/gu, '');
}
