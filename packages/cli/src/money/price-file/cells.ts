import { unitPrice as priceField } from '@morsel/api/admin/money/price.ts';
import { everyNumber } from '@morsel/api/values/price.ts';
import { isPrefix } from '@morsel/api/values/syntax.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/* Reads the cells of price files: a cell is read exactly, or refused. */

/** A prefix as people and spreadsheets write it: with a plus, with `00`, with spaces between the digits. */
export function readPrefix(cell: string): Result<string, string> {
  if (cell === everyNumber) return ok('');
  const digits = cell.replaceAll(/[\s\u00a0]/g, '').replace(/^(?:\+|00)/, '');
  if (digits === '') return refused(`it has no prefix: ${everyNumber} stands for every number`);
  if (/^\d[.,]?\d*e\+?\d+$/i.test(digits)) {
    return refused('its prefix is written with an exponent and may have lost digits: write all of them');
  }
  return isPrefix(digits)
    ? ok(digits)
    : refused('its prefix is not 1 to 15 digits of an international number, country code first');
}

/** The decimal mark of a price: a file must not mix both. */
export type DecimalMark = 'point' | 'comma' | 'none';

/** A price of a part. A comma is read as the decimal mark only if it can be nothing else. */
export function readPrice(cell: string): Result<{ readonly unitPrice: Micros; readonly mark: DecimalMark }, string> {
  if (cell === '') return refused('it has no price');
  if (cell.startsWith('-')) return refused('its price is negative');
  if (/^[\d.,]+e[+-]?\d+$/i.test(cell)) return refused('its price is written with an exponent: write it out');
  const isComma = /^\d+,\d+$/.test(cell);
  // 1,234 can be 1.234 or 1234.
  if (/^[1-9]\d{0,2}(?:,\d{3})+$/.test(cell)) {
    return refused('its price may mean thousands or decimals: write it with a decimal point');
  }
  if (!isComma && !/^\d+(?:\.\d+)?$/.test(cell)) {
    return refused('its price is not digits with a decimal point, such as 0.0075');
  }
  const unitPrice = priceField.read(cell.replace(',', '.'));
  if (!unitPrice.ok) return refused(`its price ${unitPrice.error.replace(/^an amount has/, 'has')}`);
  return ok({ unitPrice: unitPrice.value, mark: isComma ? 'comma' : cell.includes('.') ? 'point' : 'none' });
}
