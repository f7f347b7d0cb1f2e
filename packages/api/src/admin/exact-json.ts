import { formatMicros, toMicros } from '../values/money.ts';

/** Writes JSON. A bigint is an amount in millionths, and becomes a number with its exact digits. */
export type Json =
  | string
  | number
  | boolean
  | null
  | undefined
  | bigint
  | readonly Json[]
  | { readonly [member: string]: Json };

/** JSON with amounts inserted as text, so no float ever holds them (M5). Members without a value are left out. */
export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return formatMicros(toMicros(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (isList(value)) return `[${value.map(writeJson).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`;
}

/** Reads JSON with every number as its text, so that an amount keeps its digits. Throws SyntaxError. */
export function readJson(text: string): unknown {
  // The third argument has been in V8 since 11.4 (ECMAScript proposal "JSON.parse source text access").
  return JSON.parse(text, (_member: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value,
  );
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
