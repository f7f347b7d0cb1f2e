import { described, optional } from './compose.ts';
import { pageEnd, wholeNumber } from './fields.ts';
import type { Field, FieldTable, Given, Values } from './field.ts';

/*
 * The definition of a resource of the operator's contract: its operations, each with input, answer and the wording of
 * its command. The gateway, the typed client, the command line and OpenAPI are all made from it.
 */

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The least role that may call an operation: `viewer` reads, `operator` changes, `owner` also changes rights and money. */
export type Role = 'viewer' | 'operator' | 'owner';

/** A page of rows, and what to give as `after` for the next page. */
export interface Page<R> {
  readonly items: readonly R[];
  readonly next: string | null;
}

/** A column of a table: a field of the row, or a computed text with its own heading. */
export type Column<A extends FieldTable> =
  | (keyof A & string)
  | {
      readonly title: string;
      of(row: Values<A>): string;
      readonly isNumber?: boolean;
    };

/** How the command line calls an operation. */
export interface CommandLine<I extends FieldTable, A extends FieldTable> {
  /** All its words, if they are not the resource's and its own name. */
  readonly words?: string;
  /** The fields that are given by their place; without it, those of the path. All others are options. */
  readonly arguments?: readonly (keyof I & string)[];
  /** Examples: the words behind `morsel`, each with its purpose. */
  readonly examples: readonly (readonly [words: string, purpose: string])[];
  /** A note after the examples in help. */
  readonly notes?: string;
  /** The text to print instead of the fields of the answer. */
  says?(answer: Values<A>): string;
  /** A question before a dangerous operation; `--yes` answers it. */
  asks?(given: Given<I>): string;
  /** The sentence for an empty list. */
  readonly whenEmpty?: string;
}

export interface Operation<
  I extends FieldTable = FieldTable,
  A extends FieldTable = FieldTable,
  P extends boolean = boolean,
> {
  readonly method: Method;
  /**
   * Under `/admin/v1`; `{name}` stands for a field. Other fields come in the query of a GET or DELETE, or in the body.
   */
  readonly path: string;
  readonly summary: string;
  readonly role: Role;
  readonly input: I;
  /** The fields of the answer, or of each item of a page. */
  readonly answer: A;
  readonly isPage: P;
  readonly columns: readonly Column<A>[];
  /** Undefined if it has no command. */
  readonly command: CommandLine<I, A> | undefined;
}

export type Operations = { readonly [operation: string]: Operation };
export type AnswerOf<O> =
  O extends Operation<FieldTable, infer A, infer P> ? (P extends true ? Page<Values<A>> : Values<A>) : never;
export type InputOf<O> = O extends Operation<infer I> ? Values<I> : never;
export type GivenOf<O> = O extends Operation<infer I> ? Given<I> : never;

export interface Resource<O extends Operations = Operations> {
  readonly name: string;
  /** The first word of its commands. */
  readonly command: string;
  readonly summary: string;
  readonly operations: O;
}

/** Declares a resource. Its name is the first word of its commands, unless `command` says otherwise. */
export function resource<const O extends Operations>(
  name: string,
  about: { readonly summary: string; readonly command?: string; readonly operations: O },
): Resource<O> {
  return { name, command: name, ...about };
}

interface Declared<I extends FieldTable, A extends FieldTable> {
  readonly summary: string;
  readonly role?: Role;
  readonly input: I;
  readonly answer: A;
  readonly columns?: readonly Column<NoInfer<A>>[];
  readonly command?: CommandLine<NoInfer<I>, NoInfer<A>>;
}

/** The fields of a PATCH: at least one must be given. */
export function settingsOf({ method, path, input }: Operation): FieldTable {
  const isSetting = ([each]: readonly [string, unknown]) => method === 'PATCH' && !fieldsInPath(path).includes(each);
  return Object.fromEntries(Object.entries(input).filter(isSetting));
}

/** Reads one thing. */
export const get = operationOf('GET');
/** Adds one, or runs an action on it. */
export const post = operationOf('POST');
/** Changes the given fields of one. */
export const patch = operationOf('PATCH');
/** Removes one. */
export const remove = operationOf('DELETE');

function operationOf(method: Method) {
  return <I extends FieldTable, A extends FieldTable>(
    path: string,
    { columns, command, role, ...declared }: Declared<I, A>,
  ): Operation<I, A, false> => ({
    method,
    path,
    role: role ?? (method === 'GET' ? 'viewer' : 'operator'),
    isPage: false,
    columns: columns ?? namesOf(declared.answer),
    command: command && { arguments: fieldsInPath(path), ...command },
    ...declared,
  });
}

/** The input of every list, besides its filters. */
export type PageFields = {
  readonly limit: Field<number, 'may'>;
  readonly after: Field<string | undefined, 'may'>;
};

interface Paged<I extends FieldTable, A extends FieldTable> extends Declared<I, A> {
  /** Rows of a page by default. */
  readonly limit?: number;
  /** The form of the place where a page ends. */
  readonly after: Field<string>;
}

const limitMax = 1_000;

/** A list, a page at a time: it takes `limit` and `after`, too, and answers `items` and `next`. */
export function page<I extends FieldTable, A extends FieldTable>(
  path: string,
  { limit = limitMax, after, ...declared }: Paged<I, A>,
): Operation<I & PageFields, A, true> {
  const count = wholeNumber({ min: 1, max: limitMax, summary: 'at most this many' });
  const { input, ...rest } = get(path, declared);
  const pageFields: PageFields = { limit: optional(count, limit), after: optional(described(after, pageEnd)) };
  return { ...rest, input: { ...input, ...pageFields }, isPage: true };
}

/** The fields that stand in a path, in its order. */
export function fieldsInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function namesOf<A extends FieldTable>(table: A): readonly (keyof A & string)[] {
  return Object.keys(table);
}
