import { unitPrice as priceField } from './price-fields.ts';
import { everyNumber } from '../../values/price.ts';
import { isPrefix } from '../../values/syntax.ts';
import type { Micros } from '../../values/money.ts';
import { ok, refused, type Result } from '../../values/result.ts';

/** Reads a prefix as people and spreadsheets write it: with a plus, with `00`, or with spaces. */
export function readPrefix(cell: string): Result<string, string> {
  if (cell === everyNumber) return ok('');
  const digits = cell.replaceAll(/[\s\u00a0]/g, '').replace(/^(?:\+|00)/, '');
  if (digits === '') return refused(`the row has no prefix: write ${everyNumber} for every number`);
  if (/^\d[.,]?\d*e\+?\d+$/i.test(digits)) {
    return refused('the prefix is written with an exponent and may have lost digits: write all digits');
  }
  return isPrefix(digits)
    ? ok(digits)
    : refused('the prefix must be 1 to 15 digits of an international number, country code first');
}

/** A file must not mix points and commas. */
export type DecimalMark = 'point' | 'comma' | 'none';

/** Reads a price. A comma counts as the decimal mark only if it cannot separate thousands. */
export function readPrice(cell: string): Result<{ readonly unitPrice: Micros; readonly mark: DecimalMark }, string> {
  if (cell === '') return refused('the row has no price');
  if (cell.startsWith('-')) return refused('the price is negative');
  if (/^[\d.,]+e[+-]?\d+$/i.test(cell)) return refused('the price is written with an exponent: write all digits');
  const isComma = /^\d+,\d+$/.test(cell);
  // 1,234 can be 1.234 or 1234.
  if (/^[1-9]\d{0,2}(?:,\d{3})+$/.test(cell)) {
    return refused('the comma in the price may separate thousands or decimals: use a decimal point');
  }
  if (!isComma && !/^\d+(?:\.\d+)?$/.test(cell)) {
    return refused('the price must be digits with a decimal point, such as 0.0075');
  }
  const unitPrice = priceField.read(cell.replace(',', '.'));
  if (!unitPrice.ok) return refused(`the price ${unitPrice.error.replace(/^an amount has/, 'has')}`);
  return ok({ unitPrice: unitPrice.value, mark: isComma ? 'comma' : cell.includes('.') ? 'point' : 'none' });
}
