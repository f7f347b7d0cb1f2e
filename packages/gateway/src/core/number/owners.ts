import type { NumberKind } from '@morsel/api/values/number.ts';

/*
 * Finds the account numbers and prefixes to which an inbound message may belong. Threads of the store load this file,
 * so it must not load the large number plan.
 */

/** A number, short code or prefix that an account owns. The account gets the inbound messages to it. */
export interface OwnedNumber {
  readonly kind: NumberKind;
  /** The number as `+` and digits; a short code has digits only. */
  readonly number: string;
  /** The digits without `+`, for comparing, because some carriers send a number with `+` and some without. */
  readonly digits: string;
}

export const shortCodePattern = /^\d{3,8}$/;
/** The fewest digits of an international number. */
const internationalMin = 7;

/** Writes the number with its `+`; a short code gets no `+`. */
export function numberText({ kind, digits }: Pick<OwnedNumber, 'kind' | 'digits'>): string {
  return kind === 'number' && shortCodePattern.test(digits) ? digits : `+${digits}`;
}

/** The number itself and, if it is international, all its prefixes. */
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
