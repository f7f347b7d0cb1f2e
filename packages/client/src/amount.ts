/**
 * Amounts of money. The gateway writes exact amounts, with at most 6 decimals, as JSON numbers. A JavaScript number is
 * exact only to 15 digits, so the client also returns each amount as text.
 */

/**
 * An exact amount as text, such as `12.5`, `-0.0075` or `9007199254740993.000001`. The text has no exponent and no
 * unnecessary zeros.
 */
export type Decimal = string;

/** Matches the parts of a JSON number (RFC 8259 section 6). */
const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * The largest exponent that we accept. An amount of money never needs a larger exponent, and a very large exponent
 * could fill the memory with zeros.
 */
const exponentMax = 400;

/**
 * Converts the text of a JSON number to an exact decimal; returns undefined if the text is not a JSON number or its
 * exponent is too large.
 */
export function toDecimal(source: string): Decimal | undefined {
  const found = jsonNumber.exec(source);
  if (!found) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = found;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > exponentMax) return undefined;
  const digits = '0'.repeat(Math.max(0, -exponent)) + whole + fraction + '0'.repeat(Math.max(0, exponent));
  const point = Math.max(0, -exponent) + whole.length + exponent;
  const integer = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const decimals = digits.slice(point).replace(/0+$/, '');
  const text = decimals === '' ? integer : `${integer}.${decimals}`;
  return text === '0' ? '0' : `${sign}${text}`;
}

/**
 * Converts an amount to millionths of its currency, for calculations. Throws RangeError if the amount has more than 6
 * decimals.
 */
export function toMicros(amount: Decimal): bigint {
  const found = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount);
  if (!found) throw new RangeError('an amount must be a number with at most 6 decimals');
  const [, sign = '', whole = '', decimals = ''] = found;
  const micros = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'));
  return sign === '-' ? -micros : micros;
}
