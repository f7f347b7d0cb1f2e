import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  PhoneNumber,
  type PhoneNumberType,
} from 'libphonenumber-js/max';
import { countryCodeOf, lengthsOf, regionsOf, type Region } from './number-plan.ts';

/*
 * Finds the region and type of a number with libphonenumber. This takes about 20 µs for each number, so it is done only
 * for accounts with rules about destinations.
 */

export interface NumberType {
  /** As in ISO 3166-1. Undefined if the country code has no region (+882), or several and none of them fits. */
  readonly region: string | undefined;
  readonly mayBeOf: readonly string[];
  /** Premium-rate or shared-cost: its owner may be paid for traffic. Also unknown numbers with such a beginning. */
  readonly isPremium: boolean;
  /** Whether the number is certainly a fixed line. False where mobile numbers look the same, as with +1. */
  readonly isFixedLine: boolean;
  /** Whether the number is in an assigned range of any type. */
  readonly isKnown: boolean;
}

/** Finds the type of a number. `digits` is an international number without `+` that can exist (`number-plan.ts`). */
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

/** Whether a text is a region with phone numbers, written as in ISO 3166-1, such as `CH`. */
export function isRegion(region: string): boolean {
  return isSupportedCountry(region);
}

const unknown = { isPremium: false, isFixedLine: false, isKnown: false };

/**
 * Looks up a number in libphonenumber. Its parser is used only where several regions share a country code. Elsewhere it
 * would do harm: it drops digits that look like a national prefix, such as the 8 of +375 810.
 */
function find(digits: string, regions: readonly Region[]): PhoneNumber | undefined {
  const e164 = `+${digits}`;
  if (regions.length <= 1) return new PhoneNumber(e164);
  const parsed = parsePhoneNumberFromString(e164, { extract: false });
  return parsed?.number === e164 ? parsed : undefined;
}

/** For a number without a region in libphonenumber: the only region left, or several possible regions. */
function regionOfRest(regions: readonly Region[]): Pick<NumberType, 'region' | 'mayBeOf'> {
  const open = regions.filter(({ hasLeadingDigits }) => !hasLeadingDigits);
  const left = (open.length > 0 ? open : regions).map(({ name }) => name);
  return left.length === 1 ? { region: left[0], mayBeOf: [] } : { region: undefined, mayBeOf: left };
}

function isPremium(type: PhoneNumberType | undefined): boolean {
  return type === 'PREMIUM_RATE' || type === 'SHARED_COST';
}

/**
 * Whether an unknown number becomes a premium number if it is cut or extended to a valid length. Networks route a
 * number by its first digits: they drop surplus digits, and may connect a number that is too short.
 */
function beginsAsPremium(digits: string, countryCode: string): boolean {
  const regions = regionsOf(countryCode);
  return lengthsOf(countryCode).some((length) => {
    const whole = countryCode.length + length;
    return isPremium(find(digits.slice(0, whole).padEnd(whole, '0'), regions)?.getType());
  });
}
