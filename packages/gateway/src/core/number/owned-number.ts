import type { NumberKind } from '@morsel/api/values/number.ts';
import { parseReceiver } from './address.ts';
import { isPrefix } from '@morsel/api/values/syntax.ts';
import { refused, ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/** A number, short code or range that an account owns: it gets the inbound messages to it. */
export interface OwnedNumber {
  readonly kind: NumberKind;
  /** `+` and digits, or the bare digits of a short code. */
  readonly number: string;
  /** Without the `+`, for comparing: carriers name one number with and without it. */
  readonly digits: string;
}

const shortCodePattern = /^\d{3,8}$/;
/** An empty prefix would own every number. */
const prefixDigitsMin = 1;
/** The fewest digits of an international number (decisions, section 1). */
const internationalMin = 7;

/** Parses a number, a short code or a prefix. */
export function parseOwnedNumber(input: string, kind: NumberKind): Result<OwnedNumber, string> {
  if (kind === 'prefix') {
    const digits = input.replace(/^\+/, '');
    return isPrefix(digits) && digits.length >= prefixDigitsMin
      ? ok({ kind, number: `+${digits}`, digits })
      : refused('a prefix is 1 to 15 digits of an international number, country code first');
  }
  if (shortCodePattern.test(input)) return ok({ kind, number: input, digits: input });
  const number = parseReceiver(input);
  if (number.ok) return ok({ kind, number: number.value, digits: number.value.slice(1) });
  return refused('must be an international number, such as +41791112233, or a short code of 3 to 8 digits');
}

/** Writes a number of which only the digits are known: short codes have no plus. */
export function numberText({ kind, digits }: Pick<OwnedNumber, 'kind' | 'digits'>): string {
  return kind === 'number' && shortCodePattern.test(digits) ? digits : `+${digits}`;
}

/** All keys that may own a receiver: its digits, and all their prefixes if it is international. */
export function ownersOf(receiver: string): readonly Pick<OwnedNumber, 'kind' | 'digits'>[] {
  const digits = receiver.replace(/^\+/, '');
  if (!/^\d{1,20}$/.test(digits)) return [];
  const exact = { kind: 'number', digits } as const;
  if (!receiver.startsWith('+') || digits.length < internationalMin) return [exact];
  const prefixes = Array.from({ length: digits.length }, (_, at) => ({
    kind: 'prefix' as const,
    digits: digits.slice(0, digits.length - at),
  }));
  return [exact, ...prefixes];
}
