import { formatMicros, toMicros } from '../values/money.ts';

/** A JSON value, in which a bigint is an amount in millionths. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | bigint
  | readonly Json[]
  | { readonly [member: string]: Json };

/** Amounts are written from their digits, never as floats (promise M5). Undefined members are left out. */
export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return formatMicros(toMicros(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`;
}

/** Returns each number as its text, so that amounts keep all digits. Throws SyntaxError for invalid JSON. */
export function readJson(text: string): unknown {
  // V8 has passed the third argument since version 11.4 (ECMAScript proposal "JSON.parse source text access").
  return JSON.parse(text, (_member: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  );
}

/** Undefined for a text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
