/*
 * Commands on their way to the writing thread, and results on their way back. A copied object would carry the names of
 * all its members, which take more octets than its values. Packed, the names are copied once for each shape in a group,
 * and a value only if it differs from that of the object before. This halves the time to copy the commands of a message.
 */

import { ok, type Result } from '@morsel/api/values/result.ts';

/** A group of objects: the member names of each shape, and what differs between objects of a shape. */
export interface Packed<T> {
  readonly shapes: readonly (readonly string[])[];
  /**
   * The shape of each object, and then a bit for each member, 32 to a number: 1 if its value differs from that of the
   * object before with this shape. Before the first object, all values are undefined.
   */
  readonly order: readonly number[];
  /** The values that differ, one after the other. */
  readonly values: readonly unknown[];
  /** Only for the compiler: the type of the objects. */
  readonly type?: T;
}

export function pack<T extends object>(objects: readonly T[]): Packed<T> {
  const shapes: string[][] = [];
  const rows: unknown[][] = [];
  const order: number[] = [];
  const values: unknown[] = [];
  for (const object of objects) {
    let shape = shapes.findIndex((names) => hasNames(object, names));
    if (shape === -1) shape = shapes.push(Object.keys(object)) - 1;
    order.push(shape);
    const row = (rows[shape] ??= []);
    let member = 0;
    let bit = 1;
    let bits = 0;
    // Unlike Object.entries, this makes no arrays for each object.
    for (const name in object) {
      const value = object[name];
      if (!Object.is(value, row[member])) {
        row[member] = value;
        values.push(value);
        bits |= bit;
      }
      member += 1;
      bit <<= 1;
      if (bit === 0) {
        order.push(bits);
        bits = 0;
        bit = 1;
      }
    }
    if (bit !== 1) order.push(bits);
  }
  return { shapes, order, values };
}

/** The objects that were packed. */
export function unpack<T>({ shapes, order, values }: Packed<T>): T[] {
  const makers = shapes.map(makerOf);
  const rows = shapes.map((names): unknown[] => names.map(() => undefined));
  const objects: T[] = [];
  let at = 0;
  let next = 0;
  while (at < order.length) {
    const shape = order[at++] ?? 0;
    const row = rows[shape] ?? [];
    let bit = 0;
    let bits = 0;
    for (let member = 0; member < row.length; member++) {
      if (bit === 0) {
        bits = order[at++] ?? 0;
        bit = 1;
      }
      if ((bits & bit) !== 0) row[member] = values[next++];
      bit <<= 1;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    objects.push(makers[shape]?.(row) as T);
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

type Maker = (row: readonly unknown[]) => unknown;

/** Makers by member names: one for each kind of command and each choice of its optional members. */
const makersKnown = new Map<string, Maker>();

/** The function is compiled, so that objects are made as fast as from a literal. Its names come from our code. */
function makerOf(names: readonly string[]): Maker {
  const key = names.join(' ');
  const known = makersKnown.get(key);
  if (known) return known;
  const members = names.map((name, at) => `${JSON.stringify(name)}: row[${at}]`);
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval, typescript/no-unsafe-type-assertion
  const maker = new Function('row', `return { ${members.join(', ')} };`) as Maker;
  makersKnown.set(key, maker);
  return maker;
}
