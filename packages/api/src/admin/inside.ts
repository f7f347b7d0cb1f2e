import type { AnswerOf, InputOf, Page } from './resource.ts';
import type { OperationName, OperationNamed } from './resources.ts';

/*
 * Fields that have another name inside of the gateway, where words of protocols have no place. Decisions and views use
 * the names inside, and everybody else the declared names.
 */

const namesInside = {
  account: { smppDataCoding0: 'defaultCoding' },
  login: { systemId: 'user' },
} as const;

type NamesInside = typeof namesInside;
type ResourceOf<N extends OperationName> = N extends `${infer R}.${string}` ? R : never;

/** The values of a resource, under the names inside. */
export type Inside<R, T> = R extends keyof NamesInside
  ? { readonly [K in keyof T as K extends keyof NamesInside[R] ? NamesInside[R][K] & string : K]: T[K] }
  : T;

export type InputInside<N extends OperationName> = Inside<ResourceOf<N>, InputOf<OperationNamed<N>>>;
export type AnswerInside<N extends OperationName> =
  AnswerOf<OperationNamed<N>> extends Page<infer Row>
    ? Page<Inside<ResourceOf<N>, Row>>
    : Inside<ResourceOf<N>, AnswerOf<OperationNamed<N>>>;

/** Gives values the names inside. `of` is a resource or one of its operations. */
export function inside<R extends string, T extends object>(of: R, values: T): Inside<R, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the type says
  return renamed(values, namesOf(of)) as Inside<R, T>;
}

/** Gives an answer, or the rows of its page, the declared names. */
export function outside(of: string, answer: object): object {
  const names = namesOf(of).map(([declared, name]) => [name, declared] as const);
  if (names.length === 0 || !('items' in answer) || !Array.isArray(answer.items)) return renamed(answer, names);
  return { ...answer, items: answer.items.map((row: object) => renamed(row, names)) };
}

type Names = readonly (readonly [from: string, to: string])[];

function namesOf(of: string): Names {
  const found = Object.entries<object>(namesInside).find(([resource]) => resource === of.split('.', 1)[0]);
  return Object.entries(found?.[1] ?? {});
}

function renamed(values: object, names: Names): object {
  if (names.length === 0) return values;
  const all = new Map(names);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [all.get(name) ?? name, value]));
}
