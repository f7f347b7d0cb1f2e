/*
 * Country codes, the regions that share each of them, and the lengths of their numbers. libphonenumber's own parser
 * takes about 20 µs a number, too much for every message, so a table is filled from it once.
 */

import { getCountries, getCountryCallingCode, isPossiblePhoneNumber, Metadata } from 'libphonenumber-js/max';

/** E.164 (section 6) allows 15 digits; longer numbers that libphonenumber knows cannot be dialled here. */
const nationalLengthMax = 14;
const e164Max = 15;

/**
 * Country codes without a region: services and networks (ITU-T E.164, section 6.2.2 and 6.2.3). No function lists them.
 */
const codesOfNoRegion = [800, 808, 870, 878, 881, 882, 883, 888, 979];

/**
 * Lengths in use that libphonenumber lacks. Benin moved to ten digits in 2024, but its eight-digit universal access and
 * internet telephony numbers stayed (libphonenumber 9.0.35, PhoneNumberMetadata.xml, BJ).
 */
const lengthsAdded: readonly (readonly [countryCode: number, length: number])[] = [[229, 8]];

const zero = 0x30;

export interface Region {
  /** As in ISO 3166-1: `CH`. */
  readonly name: string;
  /** Whether its first digits distinguish its numbers from other regions of the same country code. */
  readonly hasLeadingDigits: boolean;
}

const { lengthBits, regions } = readPlans();

/**
 * Whether a number with this country code and length can exist, in any region and of any type. It may be unassigned.
 * `digits` is the international form without its plus.
 */
export function canExist(digits: string): boolean {
  let countryCode = 0;
  // No country code is the start of another (E.164 section 6.1), so the first that is known is the only one.
  for (let length = 1; length <= 3; length++) {
    countryCode = countryCode * 10 + digits.charCodeAt(length - 1) - zero;
    const bits = lengthBits[countryCode] ?? 0;
    if (bits !== 0) return ((bits >>> Math.min(31, digits.length - length)) & 1) === 1;
  }
  return false;
}

/** Whether the digits are a complete country code. */
export function isCountryCode(digits: string): boolean {
  return /^[1-9]\d{0,2}$/.test(digits) && (lengthBits[Number(digits)] ?? 0) !== 0;
}

/** The country code that an international number, without its plus, begins with; undefined if it begins with none. */
export function countryCodeOf(digits: string): string | undefined {
  return [1, 2, 3].map((length) => digits.slice(0, length)).find((code) => (lengthBits[Number(code)] ?? 0) !== 0);
}

/** The regions that share a country code. */
export function regionsOf(countryCode: string): readonly Region[] {
  return regions.get(countryCode) ?? [];
}

/** How many national digits the numbers of a country code may have, shortest first. */
export function lengthsOf(countryCode: string): readonly number[] {
  const bits = lengthBits[Number(countryCode)] ?? 0;
  return Array.from({ length: nationalLengthMax }, (_, at) => at + 1).filter((length) => ((bits >>> length) & 1) === 1);
}

/**
 * The international form of a number in national form, read in the country of `other`: carriers may name a sender to
 * one of our numbers so. Undefined if no such number can exist. A number that begins with the country code is read as
 * international with a wrong type of number.
 */
export function internationalOf(national: string, beside: string): string | undefined {
  const countryCode = countryCodeOf(beside);
  if (countryCode === undefined) return undefined;
  if (national.startsWith(countryCode) && canExist(national)) return national;
  const whole = countryCode + national.replace(/^0/, '');
  return whole.length <= e164Max && canExist(whole) ? whole : undefined;
}

/** Lengths by country code; bit `n` says that it has numbers of `n` digits. No bit means no such country code. */
function readPlans(): { readonly lengthBits: Uint16Array; readonly regions: ReadonlyMap<string, readonly Region[]> } {
  const table = new Uint16Array(1000);
  const shared = new Map<string, Region[]>();
  const add = (countryCode: number, length: number): void => {
    if (length <= nationalLengthMax) table[countryCode] = (table[countryCode] ?? 0) | (1 << length);
  };
  const metadata = new Metadata();
  // Regions that share a country code (+1, +7, +44 ...) are merged.
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
