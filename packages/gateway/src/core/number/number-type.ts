import { isSupportedCountry, parsePhoneNumberFromString, PhoneNumber } from 'libphonenumber-js/max';
import type { PhoneNumberType } from 'libphonenumber-js/max';
import { countryCodeOf, lengthsOf, regionsOf } from './number-plan.ts';
import type { Region } from './number-plan.ts';

/*
 * Where a number is and of what type, by libphonenumber. It is asked only for accounts with rules of destinations, as
 * it takes some 20 µs a number.
 */

export interface NumberType {
  /**
   * Its region as in ISO 3166-1, or undefined: a code of no region, such as +882 of satellite and other networks, or a
   * number that fits none of the regions that share its code.
   */
  readonly region: string | undefined;
  /** The regions that a number may be of all the same where it fits none. */
  readonly mayBeOf: readonly string[];
  /**
   * Of premium rate or shared cost: whoever sends there may be paid for it. A number that is not known is premium, too, if it
   * begins as such numbers do.
   */
  readonly isPremium: boolean;
  /** Only of a fixed line: where mobile numbers look the same, as in +1, no number is. */
  readonly isFixedLine: boolean;
  /** In a range that was given out, of whatever type. */
  readonly isKnown: boolean;
}

/** `digits` is the international form without its plus, of a number that can exist (`number-plan.ts`). */
export function numberType(digits: string): NumberType {
  const countryCode = countryCodeOf(digits);
  if (countryCode === undefined) return { ...unknown, region: undefined, mayBeOf: [] };
  const regions = regionsOf(countryCode);
  const number = find(digits, regions);
  const type = number?.getType();
  const isKnown = type !== undefined;
  return {
    ...(number?.country === undefined ? regionOfRest(regions) : { region: number.country, mayBeOf: [] }),
    isPremium: isKnown ? isPremium(type) : beginsAsPremium(digits, countryCode),
    isFixedLine: type === 'FIXED_LINE',
    isKnown,
  };
}

/** Whether there are numbers of a region, which is written as in ISO 3166-1: `CH`. */
export function isRegion(region: string): boolean {
  return isSupportedCountry(region);
}

const unknown = { isPremium: false, isFixedLine: false, isKnown: false };

/**
 * The number as the library knows it. Its parser tells apart the regions that share a country code, but it drops a national
 * prefix after the country code: of +375 810 it drops the 8. So it is asked only where regions share a code.
 */
function find(digits: string, regions: readonly Region[]): PhoneNumber | undefined {
  const e164 = `+${digits}`;
  if (regions.length <= 1) return new PhoneNumber(e164);
  const parsed = parsePhoneNumberFromString(e164, { extract: false });
  return parsed?.number === e164 ? parsed : undefined;
}

/** Where a number is that no leading digits and no range place: in the one region that is left, or in any of several. */
function regionOfRest(regions: readonly Region[]): Pick<NumberType, 'region' | 'mayBeOf'> {
  const open = regions.filter(({ hasLeadingDigits }) => !hasLeadingDigits);
  const left = (open.length > 0 ? open : regions).map(({ name }) => name);
  return left.length === 1 ? { region: left[0], mayBeOf: [] } : { region: undefined, mayBeOf: left };
}

function isPremium(type: PhoneNumberType | undefined): boolean {
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST';
}

/**
 * Whether a number that is not known becomes a premium one when it is cut or filled up to another length of its country. Networks
 * connect a number by how it begins: they drop digits beyond its end, and may connect one that is too short.
 */
function beginsAsPremium(digits: string, countryCode: string): boolean {
  const regions = regionsOf(countryCode);
  return lengthsOf(countryCode).some((length) => {
    const whole = countryCode.length + length;
    return isPremium(find(digits.slice(0, whole).padEnd(whole, '0'), regions)?.getType());
  });
}
