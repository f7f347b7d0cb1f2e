import { formatMicros, type Micros } from './money.ts';

/** The number of decimals of currencies that do not have two (ISO 4217, list one). */
const decimals: { readonly [currency: string]: number } = {
  ...inEach(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...inEach(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...inEach(4, 'CLF UYW'),
};
const decimalsUsual = 2;

/** Writes an amount with at least the decimals of its currency. Further decimals are kept; nothing is rounded. */
export function showMicros(amount: Micros, currency: string): string {
  const [whole = '', fraction = ''] = formatMicros(amount).split('.');
  const shown = fraction.padEnd(decimals[currency] ?? decimalsUsual, '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}

function inEach(count: number, currencies: string): { readonly [currency: string]: number } {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, count]));
}
