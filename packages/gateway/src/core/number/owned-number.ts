import type { NumberKind } from '@morsel/api/values/number.ts';
import { parseReceiver } from './address.ts';
import { shortCodePattern, type OwnedNumber } from './owners.ts';
import { isPrefix } from '@morsel/api/values/syntax.ts';
import { refused, ok, type Result } from '@morsel/api/values/result.ts';

/** A prefix needs at least one digit, because an empty prefix would own every number. */
const prefixDigitsMin = 1;

/** Parses a number, short code or prefix that an account is to own. */
export function parseOwnedNumber(input: string, kind: NumberKind): Result<OwnedNumber, string> {
  if (kind === 'prefix') {
    const digits = input.replace(/^\+/, '');
    return isPrefix(digits) && digits.length >= prefixDigitsMin
      ? ok({ kind, number: `+${digits}`, digits })
      : refused('a prefix must be 1 to 15 digits of an international number, beginning with the country code');
  }
  if (shortCodePattern.test(input)) return ok({ kind, number: input, digits: input });
  const number = parseReceiver(input);
  if (number.ok) return ok({ kind, number: number.value, digits: number.value.slice(1) });
  return refused('must be an international number, such as +41791112233, or a short code of 3 to 8 digits');
}
