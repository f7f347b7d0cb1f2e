/*
 * Arrays in PostgreSQL's binary form (array_recv in arrayfuncs.c): one array for each column of a group. Arrays as text
 * take the writing thread twice as long.
 */

import type { AnyColumn, Stored } from '../../../state/tables/column.ts';

/** OIDs of the element types (src/include/catalog/pg_type.dat). */
const oids = { bigint: 20, smallint: 21, text: 25, bytea: 17, xid: 28 } as const;
export type Element = keyof typeof oids;

/** The element type for each type of column. */
export const elementOf: { readonly [T in AnyColumn['type']]: Element } = {
  integer: 'bigint',
  flag: 'smallint',
  text: 'text',
  blob: 'bytea',
};

/** The head of an array: number of dimensions, whether it has nulls, element type, number of elements, lower bound. */
const emptyOctets = 12;
const headOctets = 20;
const lengthOctets = 4;
/** The most octets that a character of a JavaScript string has in UTF-8. */
const characterOctets = 3;

type Value = Exclude<Stored, null>;

interface Form {
  readonly most: (value: Value) => number;
  /** Writes a value at `at`. Returns the number of octets. */
  readonly write: (array: Buffer, at: number, value: Value) => number;
}

const forms: { readonly [E in Element]: Form } = {
  bigint: { most: () => 8, write: writeBigint },
  smallint: { most: () => 2, write: (array, at, value) => array.writeInt16BE(Number(value), at) - at },
  xid: { most: () => 4, write: (array, at, value) => array.writeUInt32BE(Number(value), at) - at },
  text: {
    most: (value) => String(value).length * characterOctets,
    write: (array, at, value) => array.write(String(value), at),
  },
  bytea: {
    most: (value) => octetsIn(value).length,
    write: (array, at, value) => {
      array.set(octetsIn(value), at);
      return octetsIn(value).length;
    },
  },
};

/** The array of the values. It is empty if all are null, because `unnest` fills shorter arrays with nulls. */
export function arrayOf(element: Element, values: readonly Stored[]): Buffer {
  const { most, write } = forms[element];
  let octets = headOctets + lengthOctets * values.length;
  let nulls = 0;
  for (const value of values) {
    if (value === null) nulls += 1;
    else octets += most(value);
  }
  if (nulls === values.length) return startArray(element, Buffer.alloc(emptyOctets), 0);
  const array = startArray(element, Buffer.allocUnsafe(octets), nulls);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = headOctets;
  for (const value of values) {
    const written = value === null ? -1 : write(array, at + lengthOctets, value);
    array.writeInt32BE(written, at);
    at += lengthOctets + Math.max(written, 0);
  }
  return array.subarray(0, at);
}

function startArray(element: Element, array: Buffer, nulls: number): Buffer {
  array.writeInt32BE(nulls > 0 ? 1 : 0, 4);
  array.writeInt32BE(oids[element], 8);
  return array;
}

const half = 2 ** 32;

/** Writes a number in two halves, which is faster than as a bigint. */
function writeBigint(array: Buffer, at: number, value: Value): number {
  if (typeof value === 'bigint') return array.writeBigInt64BE(value, at) - at;
  const number = Number(value);
  array.writeInt32BE(Math.floor(number / half), at);
  return array.writeUInt32BE(((number % half) + half) % half, at + 4) - at;
}

function octetsIn(value: Stored): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError('octets are expected');
}
