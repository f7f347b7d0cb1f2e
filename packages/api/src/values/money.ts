import { ok, refused } from './result.ts';
import type { Result } from './result.ts';

declare const micros: unique symbol;

/** An amount in millionths of a currency unit. Money is never a `number`: floats lose cents. */
export type Micros = bigint & { readonly [micros]: true };

export function toMicros(value: bigint): Micros {
  return value as Micros;
}

export const zeroMicros = toMicros(0n);

/** SQLite keeps 64-bit integers; a billion times less than that leaves room for every sum we make. */
const wholeDigitsMax = 12;
const decimalsMax = 6;

/** Reads `12`, `0.0075` or `-3.5` exactly. The reason of a refusal is a sentence for the operator. */
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

/** The exact decimal form without trailing zeros: a valid JSON number and the same text everywhere. */
export function formatMicros(amount: Micros): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimalsMax + 1, '0');
  const whole = digits.slice(0, -decimalsMax);
  const decimals = digits.slice(-decimalsMax).replace(/0+$/, '');
  return decimals ? `${sign}${whole}.${decimals}` : `${sign}${whole}`;
}

const currencyPattern = /^[A-Z]{3}$/;

/** An ISO 4217 code in capitals; which codes exist is the operator's business. */
export function isCurrency(input: string): boolean {
  return currencyPattern.test(input);
}

/** The kinds of ledger entries. */
export const entryKinds = ['top-up', 'charge', 'refund', 'adjustment'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** The stages of a check of the ledger, in their order. */
export const checkStages = ['guards', 'accounts', 'entries', 'messages'] as const;
export type CheckStage = (typeof checkStages)[number];
/** Where a check begins: before the first row of the first stage. */
export const checkStart = `${checkStages[0]}/0`;
