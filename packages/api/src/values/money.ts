import { ok, refused, type Result } from './result.ts';

/* Amounts of money: exact millionths of a currency unit, how they are read, and how they are written. */

declare const micros: unique symbol;

/** An amount in millionths of a currency unit. It is never a `number`, because floats round amounts. */
export type Micros = bigint & { readonly [micros]: true };

export function toMicros(value: bigint): Micros {
  return value as Micros;
}

export const zeroMicros = toMicros(0n);

/** The most digits before the decimal point. Sums of such amounts fit into SQLite's 64-bit integers. */
const wholeDigitsMax = 12;
const decimalsMax = 6;

/**
 * Reads an amount such as `12`, `0.0075` or `-3.5` exactly. A refusal's reason is an error message for the operator.
 */
export function parseMicros(input: string): Result<Micros, string> {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(input.trim());
  if (!match) return refused('an amount is digits with an optional decimal point, such as 100 or 0.0075');
  const [, sign = '', whole = '', decimals = ''] = match;
  if (decimals.length > decimalsMax) return refused(`an amount has at most ${decimalsMax} decimals`);
  if (whole.length > wholeDigitsMax)
    return refused(`an amount has at most ${wholeDigitsMax} digits before the decimal point`);
  const value = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(decimalsMax, '0'));
  return ok(toMicros(sign ? -value : value));
}

const [groups, pair] = [/(?<=\d)[ '’\u00a0\u202f](?=\d{3}(?!\d))/g, /^-?\d{1,3}([.,])\d{3}(?:\1\d{3})*(?!\1)[.,]\d*$/];

/**
 * An amount as people type it, in the form that `parseMicros` reads: `1.000,50`, `1,000.50` and `1 000.50` are 1000.50,
 * and `0,5` is 0.5. A comma before three digits alone stays, and is refused: it may be of either kind.
 */
export function typedAmount(input: string): string {
  const text = input.trim().replaceAll(groups, '');
  const [, group] = pair.exec(text) ?? /^-?\d{1,3}([.,])\d{3}(?:\1\d{3})+$/.exec(text) ?? [];
  const ungrouped = group === undefined ? text : text.replaceAll(group, '');
  return ungrouped.replace(group === undefined ? /,(?!\d{3}$)|(?<=^-?0),/ : ',', '.');
}

/** Writes an amount exactly, without trailing zeros. The text is also a valid JSON number. */
export function formatMicros(amount: Micros): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimalsMax + 1, '0');
  const whole = digits.slice(0, -decimalsMax);
  const decimals = digits.slice(-decimalsMax).replace(/0+$/, '');
  return decimals ? `${sign}${whole}.${decimals}` : `${sign}${whole}`;
}

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

const currencyPattern = /^[A-Z]{3}$/;

/** Whether a text has the form of a currency code. The currency need not exist. */
export function isCurrency(input: string): boolean {
  return currencyPattern.test(input);
}

export const entryKinds = ['top-up', 'charge', 'refund', 'adjustment'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Stages of the ledger check in their order. */
export const checkStages = ['guards', 'accounts', 'entries', 'messages'] as const;
export type CheckStage = (typeof checkStages)[number];
/** The start of a ledger check: before the first row of the first stage. */
export const checkStart = `${checkStages[0]}/0`;
