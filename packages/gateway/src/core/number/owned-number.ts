import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Rejection } from '../base/rejection.ts';
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

interface GivenNumber {
  readonly number: string;
  readonly kind: NumberKind;
}

/** Reads a number from an operator. If it can only be the beginning of longer ones, the error suggests `--prefix`. */
export function readNumber(given: GivenNumber): Result<OwnedNumber, Rejection> {
  const owned = parseOwnedNumber(given.number, given.kind);
  if (owned.ok) return owned;
  const isRange =
    given.kind === 'number' && given.number.startsWith('+') && parseOwnedNumber(given.number, 'prefix').ok;
  const detail = isRange ? `${owned.error}; for all numbers that begin with these digits use --prefix` : owned.error;
  return refused({ code: 'invalid_parameter', field: 'number', detail });
}
