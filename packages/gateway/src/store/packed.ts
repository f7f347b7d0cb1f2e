/*
 * Commands on their way to the writing thread, and results on their way back. A copied object would carry the names of
 * all its members, which take more octets than its values. Packed, the names are copied once for each shape in a group.
 */

import { ok, type Result } from '@morsel/api/values/result.ts';

/** A group of objects: the member names of each shape, and the shape and values of each object. */
export interface Packed<T> {
  readonly shapes: readonly (readonly string[])[];
  /** The shape of each object, in the order of the objects. */
  readonly order: readonly number[];
  /** The values of all objects, one after the other. */
  readonly values: readonly unknown[];
  /** Only for the compiler: the type of the objects. */
  readonly type?: T;
}

export function pack<T extends object>(objects: readonly T[]): Packed<T> {
  const shapes: string[][] = [];
  const order: number[] = [];
  const values: unknown[] = [];
  for (const object of objects) {
    let shape = shapes.findIndex((names) => hasNames(object, names));
    if (shape === -1) shape = shapes.push(Object.keys(object)) - 1;
    order.push(shape);
    // Unlike Object.values, this makes no array for each object.
    for (const name in object) values.push(object[name]);
  }
  return { shapes, order, values };
}

/** The objects that were packed. */
export function unpack<T>({ shapes, order, values }: Packed<T>): T[] {
  const makers = shapes.map(makerOf);
  const objects: T[] = [];
  let at = 0;
  for (const shape of order) {
    const maker = makers[shape];
    if (!maker) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    objects.push(maker.make(values, at) as T);
    at += maker.size;
  }
  return objects;
}

/** The results of a group: most as packed values, and the others unchanged, each with its place in the group. */
export interface PackedResults<R> {
  readonly values: Packed<object>;
  readonly others: readonly (readonly [place: number, result: R])[];
}

const noValue = {};

export function packResults<R extends Result<unknown, unknown>>(results: readonly R[]): PackedResults<R> {
  const others: [number, R][] = [];
  const values = results.map((result, place) => {
    if (result.ok && isPlain(result.value)) return result.value;
    others.push([place, result]);
    return noValue;
  });
  return { values: pack(values), others };
}

/** The results that were packed. */
export function unpackResults<R extends Result<unknown, unknown>>({ values, others }: PackedResults<R>): R[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const results = unpack(values).map((value) => ok(value) as R);
  for (const [place, result] of others) results[place] = result;
  return results;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether these are the names of the members, in this order. */
function hasNames(object: object, names: readonly string[]): boolean {
  let at = 0;
  for (const name in object) if (names[at++] !== name) return false;
  return at === names.length;
}

interface Maker {
  /** How many values an object takes. */
  readonly size: number;
  readonly make: (values: readonly unknown[], at: number) => unknown;
}

/** Makers by member names: one for each kind of command and each choice of its optional members. */
const makersKnown = new Map<string, Maker>();

/** The function is compiled, so that objects are made as fast as from a literal. Its names come from our code. */
function makerOf(names: readonly string[]): Maker {
  const key = names.join(' ');
  const known = makersKnown.get(key);
  if (known) return known;
  const members = names.map((name, at) => `${JSON.stringify(name)}: values[at + ${at}]`);
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval, typescript/no-unsafe-type-assertion
  const make = new Function('values', 'at', `return { ${members.join(', ')} };`) as Maker['make'];
  const maker = { size: names.length, make };
  makersKnown.set(key, maker);
  return maker;
}
