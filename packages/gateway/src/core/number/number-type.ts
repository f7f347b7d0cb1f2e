import { isSupportedCountry, parsePhoneNumberFromString, PhoneNumber } from 'libphonenumber-js/max';
import type { PhoneNumberType } from 'libphonenumber-js/max';
import { countryCodeOf, lengthsOf, regionsOf } from './number-plan.ts';
import type { Region } from './number-plan.ts';

/*
 * The region and type of a number, by libphonenumber. Only accounts with rules about destinations need it, because it
 * takes about 20 µs a number.
 */

export interface NumberType {
  /**
   * Its region as in ISO 3166-1. Undefined for a code without a region, such as +882 of satellite networks, and for a
   * number that fits none of the regions that share its code.
   */
  readonly region: string | undefined;
  /** The possible regions of a number that fits none. */
  readonly mayBeOf: readonly string[];
  /**
   * Premium rate or shared cost: senders may be paid for traffic to it. An unknown number is premium, too, if it begins
   * as such numbers do.
   */
  readonly isPremium: boolean;
  /** Certainly a fixed line. Where mobile numbers look the same, as in +1, this is false. */
  readonly isFixedLine: boolean;
  /** In an assigned range, of any type. */
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

/** Whether a region has numbers; it is written as in ISO 3166-1: `CH`. */
export function isRegion(region: string): boolean {
  return isSupportedCountry(region);
}

const unknown = { isPremium: false, isFixedLine: false, isKnown: false };

/**
 * The number as libphonenumber knows it. Its parser distinguishes regions that share a country code, but drops a
 * national prefix after the country code: the 8 of +375 810. So it is used only where regions share a code.
 */
function find(digits: string, regions: readonly Region[]): PhoneNumber | undefined {
  const e164 = `+${digits}`;
  if (regions.length <= 1) return new PhoneNumber(e164);
  const parsed = parsePhoneNumberFromString(e164, { extract: false });
  return parsed?.number === e164 ? parsed : undefined;
}

/**
 * The region of a number that no leading digits and no range decide: the one region that is left, or any of several.
 */
function regionOfRest(regions: readonly Region[]): Pick<NumberType, 'region' | 'mayBeOf'> {
  const open = regions.filter(({ hasLeadingDigits }) => !hasLeadingDigits);
  const left = (open.length > 0 ? open : regions).map(({ name }) => name);
  return left.length === 1 ? { region: left[0], mayBeOf: [] } : { region: undefined, mayBeOf: left };
}

function isPremium(type: PhoneNumberType | undefined): boolean {
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST';
}

/**
 * Whether an unknown number becomes a premium one when it is cut or extended to another length of its country. Networks
 * connect a number by its first digits: they drop surplus digits, and may connect a number that is too short.
 */
function beginsAsPremium(digits: string, countryCode: string): boolean {
  const regions = regionsOf(countryCode);
  return lengthsOf(countryCode).some((length) => {
    const whole = countryCode.length + length;
    return isPremium(find(digits.slice(0, whole).padEnd(whole, '0'), regions)?.getType());
  });
}
