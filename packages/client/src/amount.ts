/*
 * Reads JSON of the gateway with its amounts of money. The gateway writes exact amounts, with at most 6 decimals, as JSON
 * numbers. A JavaScript number is exact only to 15 digits, so the client also returns each amount as text.
 */

import { amountFields } from './contract.ts';

/** An exact amount as text, such as `12.5`, `-0.0075` or `9007199254740993.000001`. */
export type Decimal = string;

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

export interface Members {
  readonly all: Readonly<Record<string, unknown>>;
  /** The amounts among the members, with all their digits. */
  readonly exact: Readonly<Record<string, Decimal>>;
}

/** Reads the members of a JSON object; returns undefined if the text is not a JSON object. */
export function readJson(text: string): Members | undefined {
  try {
    const all: unknown = JSON.parse(text);
    if (!isObject(all) || Array.isArray(all)) return undefined;
    // The text is valid JSON, so everything outside of strings that looks like a number is a number. Not every browser
    // gives the digits to a function that JSON.parse calls.
    const digits: Record<string, string> = JSON.parse(
      text.replaceAll(stringOrNumber, (token) => (token[0] === '"' ? token : `"${token}"`)),
    );
    const amounts = amountFields.filter((name) => typeof all[name] === 'number');
    return { all, exact: Object.fromEntries(amounts.map((name) => [name, digits[name] ?? ''])) };
  } catch {
    return undefined;
  }
}

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Whether a value was sent by the gateway, which always sends this member. If it was, the client trusts its other
 * members, too: the value has the type of the contract.
 */
export function isSent<T extends object>(value: object, member: keyof T): value is T {
  return Object.hasOwn(value, member);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
