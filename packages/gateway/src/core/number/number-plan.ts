/*
 * Tables of country codes: the regions that share each code, and how long its numbers may be. The tables are filled
 * once from libphonenumber, because its parser takes about 20 µs for each number, too much for every message.
 */

import { getCountries, getCountryCallingCode, isPossiblePhoneNumber, Metadata } from 'libphonenumber-js/max';

/** libphonenumber knows longer numbers, but E.164 (section 6) allows 15 digits in all. */
const nationalLengthMax = 14;
const e164Max = 15;

/** Services and networks without a region (ITU-T E.164, 6.2.2 and 6.2.3), which libphonenumber does not list. */
const codesOfNoRegion = [800, 808, 870, 878, 881, 882, 883, 888, 979];

/**
 * Lengths of numbers that are in use but missing in libphonenumber. Benin moved to ten digits in 2024, but kept its
 * numbers of eight digits for universal access and internet telephony (libphonenumber 9.0.35, PhoneNumberMetadata.xml,
 * BJ).
 */
const lengthsAdded: readonly (readonly [countryCode: number, length: number])[] = [[229, 8]];

const zero = 0x30;

export interface Region {
  /** The region's code in ISO 3166-1, such as `CH`. */
  readonly name: string;
  /** Whether the first digits tell this region from others with the same country code. */
  readonly hasLeadingDigits: boolean;
}

const { lengthBits, regions } = readPlans();

/** Whether such a number can exist; it may be unassigned. `digits` is the international number without `+`. */
export function canExist(digits: string): boolean {
  let countryCode = 0;
  // No country code begins with another country code (E.164, section 6.1), so the first match is the only match.
  for (let length = 1; length <= 3; length++) {
    countryCode = countryCode * 10 + digits.charCodeAt(length - 1) - zero;
    const bits = lengthBits[countryCode] ?? 0;
    if (bits !== 0) return ((bits >>> Math.min(31, digits.length - length)) & 1) === 1;
  }
  return false;
}

export function isCountryCode(digits: string): boolean {
  return /^[1-9]\d{0,2}$/.test(digits) && (lengthBits[Number(digits)] ?? 0) !== 0;
}

/** Whether a number can begin with these digits: with a country code, or with the first digits of one. */
export function mayBegin(digits: string): boolean {
  return (
    countryCodeOf(digits) !== undefined ||
    Object.keys(lengthBits).some((code) => isCountryCode(code) && code.startsWith(digits))
  );
}

/** The country code of an international number without `+`; undefined if the country code is unknown. */
export function countryCodeOf(digits: string): string | undefined {
  return [1, 2, 3].map((length) => digits.slice(0, length)).find((code) => (lengthBits[Number(code)] ?? 0) !== 0);
}

export function regionsOf(countryCode: string): readonly Region[] {
  return regions.get(countryCode) ?? [];
}

/** The possible lengths of numbers after this country code, the shortest first. */
export function lengthsOf(countryCode: string): readonly number[] {
  const bits = lengthBits[Number(countryCode)] ?? 0;
  return Array.from({ length: nationalLengthMax }, (_, at) => at + 1).filter((length) => ((bits >>> length) & 1) === 1);
}

/**
 * Converts a number from national to international form, with the country code of `beside`. Some carriers give the
 * sender of an inbound message in the national form of the receiver's country. If the number already begins with the
 * country code, it counts as international. Undefined if no such number can exist.
 */
export function internationalOf(national: string, beside: string): string | undefined {
  const countryCode = countryCodeOf(beside);
  if (countryCode === undefined) return undefined;
  if (national.startsWith(countryCode) && canExist(national)) return national;
  const whole = countryCode + national.replace(/^0/, '');
  return whole.length <= e164Max && canExist(whole) ? whole : undefined;
}

/** In `lengthBits`, bit `n` of a country code is set if numbers of `n` digits exist after it. */
function readPlans(): { readonly lengthBits: Uint16Array; readonly regions: ReadonlyMap<string, readonly Region[]> } {
  const table = new Uint16Array(1000);
  const shared = new Map<string, Region[]>();
  const add = (countryCode: number, length: number): void => {
    if (length <= nationalLengthMax) table[countryCode] = (table[countryCode] ?? 0) | (1 << length);
  };
  const metadata = new Metadata();
  // Several regions may share a country code, such as +1, +7 or +44.
  for (const name of getCountries()) {
    metadata.selectNumberingPlan(name);
    const code = getCountryCallingCode(name);
    for (const length of metadata.numberingPlan?.possibleLengths() ?? []) add(Number(code), length);
    const region = { name, hasLeadingDigits: Boolean(metadata.numberingPlan?.leadingDigits()) };
    shared.set(code, [...(shared.get(code) ?? []), region]);
  }
  for (const code of codesOfNoRegion) {
    for (let length = 1; length <= nationalLengthMax; length++) {
      if (isPossiblePhoneNumber(`+${code}${'0'.repeat(length)}`)) add(code, length);
    }
  }
  for (const [countryCode, length] of lengthsAdded) add(countryCode, length);
  return { lengthBits: table, regions: shared };
}
