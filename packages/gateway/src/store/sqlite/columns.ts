import type { SQLOutputValue } from 'node:sqlite';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';

/** Reads a column of a SQLite row as one of our types. Strict tables hold the type of each column. */

export type Record = { readonly [column: string]: SQLOutputValue };

export function integer(row: Record, column: string): number {
  return Number(row[column]);
}

export function integerOrNull(row: Record, column: string): number | null {
  const value = row[column];
  return value === null || value === undefined ? null : Number(value);
}

export function text(row: Record, column: string): string {
  return String(row[column]);
}

export function textOrNull(row: Record, column: string): string | null {
  const value = row[column];
  return typeof value === 'string' ? value : null;
}

export function micros(row: Record, column: string): Micros {
  return toMicros(BigInt(row[column] as number | bigint));
}

export function amountOrNull(row: Record, column: string): Micros | null {
  return (row[column] ?? null) === null ? null : micros(row, column);
}

export function bytes(row: Record, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : new Uint8Array();
}

export function bytesOrNull(row: Record, column: string): Uint8Array | null {
  const value = row[column];
  return value instanceof Uint8Array ? value : null;
}
