import metadata from 'libphonenumber-js/metadata.max';

/** E.164 (section 6) allows 15 digits in all; the metadata know longer numbers too, which are of no use here. */
const nationalLengthMax = 14;
const e164Max = 15;

/** Places in a plan of the metadata: `[country code, prefix for calls abroad, pattern, possible lengths, ...]`. */
const countryCodeAt = 0;
const lengthsAt = 3;

/**
 * Lengths in use that the metadata leave out: Benin moved to ten digits in 2024, but its eight-digit universal access
 * and internet telephony numbers stayed (libphonenumber 9.0.35, PhoneNumberMetadata.xml, BJ).
 */
const lengthsAdded: readonly (readonly [countryCode: number, length: number])[] = [[229, 8]];

const zero = 0x30;

/** Indexed by country code; bit `n` says that it has numbers of `n` national digits. No bit: no such country code. */
const lengthBits = buildLengthBits();

/**
 * Whether a number with this country code and this length can exist, in any region and of any type; not whether it was
 * ever given to anyone. `digits` is the international form without its plus. libphonenumber's own parser takes some
 * 25 µs a number, which is too much for every message: this asks a table that was made from its metadata.
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

/** Whether the digits are a country code, all of it. */
export function isCountryCode(digits: string): boolean {
  return /^[1-9]\d{0,2}$/.test(digits) && (lengthBits[Number(digits)] ?? 0) !== 0;
}

/** The country code that an international number, without its plus, begins with; undefined if there is none such. */
function countryCodeOf(digits: string): string | undefined {
  return [1, 2, 3].map((length) => digits.slice(0, length)).find((code) => (lengthBits[Number(code)] ?? 0) !== 0);
}

/**
 * The international form of a number that stands in the form of its own country, next to a number of that country: a phone
 * that its carrier names so wrote to one of ours. Undefined if no such number can exist. One that begins with the country
 * code is taken for what it looks like, an international one under the wrong name (smpp-in-the-wild, 12).
 */
export function internationalOf(national: string, beside: string): string | undefined {
  const countryCode = countryCodeOf(beside);
  if (countryCode === undefined) return undefined;
  if (national.startsWith(countryCode) && canExist(national)) return national;
  const whole = countryCode + national.replace(/^0/, '');
  return whole.length <= e164Max && canExist(whole) ? whole : undefined;
}

function buildLengthBits(): Uint16Array {
  const table = new Uint16Array(1000);
  const add = (countryCode: number, length: number): void => {
    if (length <= nationalLengthMax) table[countryCode] = (table[countryCode] ?? 0) | (1 << length);
  };
  // Regions that share a country code (+1, +7, +44 ...) are united, and codes of no region (+800, +882 ...) join them.
  for (const plan of [...Object.values(metadata.countries), ...Object.values(metadata.nonGeographic)]) {
    const lengths: unknown = plan[lengthsAt];
    if (!Array.isArray(lengths)) continue;
    for (const length of lengths) add(Number(plan[countryCodeAt]), Number(length));
  }
  for (const [countryCode, length] of lengthsAdded) add(countryCode, length);
  return table;
}
