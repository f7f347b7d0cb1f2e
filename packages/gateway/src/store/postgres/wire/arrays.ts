/*
 * Arrays in the binary form of PostgreSQL (array_recv in src/backend/utils/adt/arrayfuncs.c). A group writes each column
 * as one array. As texts the same arrays take the writing thread twice as long.
 */

import type { AnyColumn, Stored } from '../../tables/column.ts';

/** The types of elements, with their OIDs (src/include/catalog/pg_type.dat). */
const oids = { bigint: 20, smallint: 21, text: 25, bytea: 17, xid: 28 } as const;
export type Element = keyof typeof oids;

/** How each type of a column is stored. */
export const elementOf: { readonly [T in AnyColumn['type']]: Element } = {
  integer: 'bigint',
  flag: 'smallint',
  text: 'text',
  blob: 'bytea',
};

/** The number of dimensions, whether there are nulls, the type; then the number of elements and the lower bound. */
const emptyOctets = 12;
const headOctets = 20;
const lengthOctets = 4;
const sizes = { bigint: 8, smallint: 2, xid: 4 } as const;

/** One array. If all values are null, it is empty: `unnest` fills shorter arrays with nulls. */
export function arrayOf(element: Element, values: readonly Stored[]): Buffer {
  const nulls = values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0);
  if (nulls === values.length) return startArray(element, Buffer.alloc(emptyOctets), 0);
  const array = startArray(element, Buffer.allocUnsafe(headOctets + octetsOf(element, values)), nulls);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = headOctets;
  for (const value of values) at = writeElement(array, at, { element, value });
  return array;
}

function startArray(element: Element, array: Buffer, nulls: number): Buffer {
  array.writeInt32BE(nulls > 0 ? 1 : 0, 4);
  array.writeInt32BE(oids[element], 8);
  return array;
}

function octetsOf(element: Element, values: readonly Stored[]): number {
  let sum = 0;
  for (const value of values) {
    sum += lengthOctets;
    if (value === null) continue;
    if (element === 'text') sum += Buffer.byteLength(String(value));
    else if (element === 'bytea') sum += octetsIn(value).length;
    else sum += sizes[element];
  }
  return sum;
}

/** Writes an element with its length, and returns where the next one begins. */
function writeElement(
  array: Buffer,
  at: number,
  { element, value }: { readonly element: Element; readonly value: Stored },
): number {
  const begin = at + lengthOctets;
  const end = value === null ? begin : writeValue(array, begin, { element, value });
  array.writeInt32BE(value === null ? -1 : end - begin, at);
  return end;
}

function writeValue(
  array: Buffer,
  at: number,
  { element, value }: { readonly element: Element; readonly value: Exclude<Stored, null> },
): number {
  switch (element) {
    case 'bigint':
      return typeof value === 'bigint' ? array.writeBigInt64BE(value, at) : writeWide(array, at, Number(value));
    case 'smallint':
      return array.writeInt16BE(Number(value), at);
    case 'xid':
      return array.writeUInt32BE(Number(value), at);
    case 'text':
      return at + array.write(String(value), at);
    case 'bytea':
      array.set(octetsIn(value), at);
      return at + octetsIn(value).length;
  }
}

const half = 2 ** 32;

/** A whole number of 64 bits, in two halves: faster than a bigint of it. */
function writeWide(array: Buffer, at: number, value: number): number {
  array.writeInt32BE(Math.floor(value / half), at);
  return array.writeUInt32BE(((value % half) + half) % half, at + 4);
}

function octetsIn(value: Stored): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('octets are expected');
}
