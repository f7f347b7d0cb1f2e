/**
 * Amounts of money. The gateway writes them exactly, with at most 6 decimals, as JSON numbers. A JavaScript number
 * keeps 15 digits for certain, so each amount is also read as text.
 */

/** `12.5`, `-0.0075`, `9007199254740993.000001`: digits with a point, no exponent, no needless zeros. */
export type Decimal = string;

/** A JSON number (RFC 8259 section 6), in pieces. */
const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Zeros that an exponent may add: far more than money needs, and too few to fill the memory. */
const exponentMax = 400;

/** The exact decimal of a JSON number; undefined for no JSON number, or one of absurd size. */
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

/** The amount in millionths of its currency, to calculate with. Throws a RangeError for more than 6 decimals. */
export function toMicros(amount: Decimal): bigint {
  const found = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount);
  if (!found) throw new RangeError('an amount has digits and at most 6 decimals');
  const [, sign = '', whole = '', decimals = ''] = found;
  const micros = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'));
  return sign === '-' ? -micros : micros;
}
