import type { NumberKind } from '@morsel/api/values/number.ts';

/* Which numbers of accounts an inbound message is for. Threads of the store load this, and so no number plan. */

/** A number, short code or range that an account owns: it gets the inbound messages to it. */
export interface OwnedNumber {
  readonly kind: NumberKind;
  /** `+` and digits, or the bare digits of a short code. */
  readonly number: string;
  /** Without the `+`, for comparing: carriers name one number with and without it. */
  readonly digits: string;
}

export const shortCodePattern = /^\d{3,8}$/;
/** The fewest digits of an international number. */
const internationalMin = 7;

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
