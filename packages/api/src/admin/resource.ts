import { described, optional } from '../fields/compose.ts';
import type { Role } from './access/role.ts';
import { instant, pageEnd, wholeNumber } from '../fields/fields.ts';
import type { Column, Field, FieldTable, Given, Values } from '../fields/field.ts';
import type { Instant } from '../values/time.ts';

/*
 * A resource declares its operations, each with input, answer and command. The gateway, the typed client, the command
 * line and OpenAPI use these declarations.
 */

/** See `Operation.repeat`. */
export type Repeat = 'same' | 'key';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A page of a list. `next` is the value of `after` in the request for the next page. */
export interface Page<R> {
  readonly items: readonly R[];
  readonly next: string | null;
  /** How far the gateway has searched. Only a page that is not full, although more rows may match, has this member. */
  readonly searchedTo?: Instant;
}

export const searchedTo = instant({
  summary:
    'time up to which the gateway has searched: the page is not full, but rows beyond this time may match, so ask for the next page',
});

export interface CommandLine<I extends FieldTable, A extends FieldTable> {
  /** The words of the command; default: the names of the resource and the operation. */
  readonly words?: string;
  /** The fields that are positional arguments; default: the fields in the path. Other fields are options. */
  readonly arguments?: readonly (keyof I & string)[];
  /** The purpose of each example, by the words after `morsel`. */
  readonly examples: { readonly [words: string]: string };
  readonly notes?: string;
  /** The text that the command prints instead of the fields of the answer. */
  says?(answer: Values<A>): string;
  /** The sentence if the work is not done, or something is wrong. The exit status is then 1. */
  fails?(answer: Values<A>): string | undefined;
  /** The question before a dangerous operation. `--yes` answers it. */
  asks?(given: Given<I>): string;
  /** For an operation that works in steps: how the command makes its answer from the answers of all steps. */
  readonly whole?: Whole<A>;
  /** The list that is sent in several requests if it has more items than one request takes. */
  readonly splits?: keyof I & string;
  /** A search without `--since` stops after a while, and says how far it came. */
  readonly stopsEarly?: boolean;
  readonly whenEmpty?: string;
}

export interface Whole<A extends FieldTable> {
  readonly answer: FieldTable;
  of(sum: Values<A>, steps: readonly Values<A>[]): { readonly [field: string]: unknown };
  says?(whole: { readonly [field: string]: unknown }): string;
  fails?(whole: { readonly [field: string]: unknown }): string | undefined;
}

/** Declares the answer of a command that works in steps. `of` gets the sum of all steps, and the steps. */
export function whole<A extends FieldTable, W extends FieldTable>(
  answer: W,
  of: (sum: Values<A>, steps: readonly Values<A>[]) => Values<W>,
  texts: { says?(whole: Values<W>): string; fails?(whole: Values<W>): string | undefined } = {},
): Whole<A> {
  return { answer, of, ...texts };
}

/** How an operation changes all rows that match a filter (`bulk.ts`). */
export interface Bulk<O extends string = string> {
  /** What a row is, such as `part`. */
  readonly row: string;
  /** What may become of a row. The first is the outcome that the operator wants; the others are skipped rows. */
  readonly outcomes: readonly [done: O, ...skipped: O[]];
  /** The question before the change. `rows` is their number with its noun, such as `3 parts`. */
  asks(rows: string, given: { readonly [field: string]: unknown }): string;
}

export interface Operation<
  I extends FieldTable = FieldTable,
  A extends FieldTable = FieldTable,
  P extends boolean = boolean,
> {
  readonly method: Method;
  /**
   * The path after `/admin/v1`, in which `{name}` is a field. Other fields are in the query of a GET or DELETE, or in
   * the body.
   */
  readonly path: string;
  /** The fields that select a row: those in the path, and in a few operations others, too. */
  readonly keys: readonly string[];
  readonly summary: string;
  readonly role: Role;
  /** Whether each call that succeeds has an entry in the audit log. */
  readonly isChange: boolean;
  /** Whether only a session of the console may call the operation, and no key. */
  readonly isForSessions: boolean;
  /**
   * Whether the answer has all that is known about a person or a message. The audit log then has an entry for a call of
   * an operator who sees personal values, but not for the same call within an hour.
   */
  readonly discloses: boolean;
  /**
   * The most octets of a request, if the request has a whole file. Such an operation may also take longer than others.
   */
  readonly bodyMax?: number;
  readonly input: I;
  /** Fields of the answer, or of each row if the answer is a page. */
  readonly answer: A;
  readonly isPage: P;
  readonly columns: readonly Column<A>[];
  /** Set if the gateway does the work as a job. */
  readonly bulk?: Bulk;
  /** Undefined if the operation has no command. */
  readonly command: CommandLine<I, A> | undefined;
  /** The text of the button in the console, or the title of the list. The default is derived from the name. */
  readonly label?: string | undefined;
  /**
   * What a repeated request does. `same`: nothing more, or it is refused. `key`: the work again, such as a second posting,
   * unless both requests have the same idempotency key. Undefined for an operation that changes nothing.
   */
  readonly repeat?: Repeat | undefined;
  /** `dry-run`: the operation can count without a change. `diff`: the new values are compared with those before. */
  readonly preview?: 'dry-run' | 'diff' | undefined;
  /** Whether a request must, may or cannot give a reason for the audit log or the ledger. */
  readonly reason: 'must' | 'may' | 'no';
  /** The resources whose answers differ after the operation. `all` for a change of anything. */
  readonly changes: readonly string[] | 'all';
  /** What the operation ends or stops. The console asks with this text. */
  readonly warning?: string | undefined;
  /** Whether the operation makes sense for a row. The console shows no button otherwise. */
  readonly when?: ((row: { readonly [field: string]: unknown }) => boolean) | undefined;
}

export type Operations = { readonly [operation: string]: Operation };
export type AnswerOf<O> =
  O extends Operation<FieldTable, infer A, infer P> ? (P extends true ? Page<Values<A>> : Values<A>) : never;
export type InputOf<O> = O extends Operation<infer I> ? Values<I> : never;
export type GivenOf<O> = O extends Operation<infer I> ? Given<I> : never;

export interface Resource<O extends Operations = Operations> {
  readonly name: string;
  readonly command: string;
  readonly summary: string;
  readonly operations: O;
}

/** Declares a resource. The first word of its commands is `command`, or else the name of the resource. */
export function resource<const O extends Operations>(
  name: string,
  about: {
    readonly summary: string;
    readonly command?: string;
    /** The resources whose answers differ after a change of this one. `all` for a change of anything. */
    readonly changes?: readonly string[] | 'all';
    readonly operations: O;
  },
): Resource<O> {
  const all = Object.entries(about.operations).map(([verb, operation]) => {
    const others = about.changes ?? [];
    const changes = !operation.isChange ? [] : others === 'all' ? others : [name, ...others];
    return [verb, { ...operation, changes }];
  });
  return { name, command: name, ...about, operations: Object.fromEntries(all) as O };
}

interface Declared<I extends FieldTable, A extends FieldTable> {
  readonly summary: string;
  /** By default a viewer may read, and an operator may change. */
  readonly role?: Role;
  /** By default, every operation but a GET changes something. */
  readonly isChange?: boolean;
  readonly isForSessions?: boolean;
  readonly discloses?: boolean;
  readonly bodyMax?: number;
  /** Fields that select a row beside those in the path. */
  readonly keys?: readonly (keyof NoInfer<I> & string)[];
  readonly input: I;
  readonly answer: A;
  readonly columns?: readonly Column<NoInfer<A>>[];
  readonly command?: CommandLine<NoInfer<I>, NoInfer<A>>;
  readonly label?: string;
  readonly warning?: string;
  readonly when?: Operation['when'];
  /** By default, `same` for a PATCH and a DELETE. Any other change declares it. */
  readonly repeat?: Repeat;
}

/** Fields that a PATCH can change. A request must give at least one of them. */
export function settingsOf({ method, keys, input }: Operation): FieldTable {
  const isSetting = ([each]: readonly [string, unknown]) => method === 'PATCH' && !keys.includes(each);
  return Object.fromEntries(Object.entries(input).filter(isSetting));
}

export const get = operationOf('GET');
export const post = operationOf('POST');
export const patch = operationOf('PATCH');
export const remove = operationOf('DELETE');

function operationOf(method: Method) {
  return <I extends FieldTable, A extends FieldTable>(
    path: string,
    {
      columns,
      command,
      role,
      keys = [],
      isChange = method !== 'GET',
      isForSessions = false,
      discloses = false,
      repeat = isChange && (method === 'PATCH' || method === 'DELETE') ? 'same' : undefined,
      ...declared
    }: Declared<I, A>,
  ): Operation<I, A, false> => ({
    method,
    path,
    keys: [...fieldsInPath(path), ...keys],
    role: role ?? (method === 'GET' ? 'viewer' : 'operator'),
    isChange,
    isForSessions,
    discloses,
    repeat,
    changes: [],
    preview: Object.hasOwn(declared.input, 'dryRun') ? 'dry-run' : method === 'PATCH' ? 'diff' : undefined,
    reason: !isChange || isForSessions ? 'no' : declared.input['reason']?.need === 'must' ? 'must' : 'may',
    isPage: false,
    columns: columns ?? namesOf(declared.answer),
    command: command && { arguments: fieldsInPath(path), ...command },
    ...declared,
  });
}

export type PageFields = {
  readonly limit: Field<number, 'may'>;
  readonly after: Field<string | undefined, 'may'>;
};

interface Paged<I extends FieldTable, A extends FieldTable> extends Declared<I, A> {
  readonly limit?: number;
  readonly after: Field<string>;
}

const limitMax = 1_000;

/** An operation that lists rows in pages. Its input also has `limit` and `after`. */
export function page<I extends FieldTable, A extends FieldTable>(
  path: string,
  { limit = limitMax, after, ...declared }: Paged<I, A>,
): Operation<I & PageFields, A, true> {
  const count = wholeNumber({ min: 1, max: limitMax, summary: 'most rows on a page' });
  const { input, ...rest } = get(path, declared);
  const pageFields: PageFields = { limit: optional(count, limit), after: optional(described(after, pageEnd)) };
  return { ...rest, input: { ...input, ...pageFields }, isPage: true };
}

/** The names of the fields in a path, in their order. */
export function fieldsInPath(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function namesOf<A extends FieldTable>(table: A): readonly (keyof A & string)[] {
  return Object.keys(table);
}
