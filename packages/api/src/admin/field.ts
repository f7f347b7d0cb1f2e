import { didYouMean } from '../values/nearest.ts';
import { ok, refused } from '../values/result.ts';
import type { Result } from '../values/result.ts';
import { writeJson } from './exact-json.ts';
import type { Json } from './exact-json.ts';

/*
 * What a field of the operator's contract knows: how it is read from a request, written to an answer, shown in a table and
 * described in help and in OpenAPI. `fields.ts` has the makers.
 */

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [keyword: string]: Json };

/** What is said of a field beside its type. */
export interface About {
  /** What help and OpenAPI say of it: one line, without a full stop. */
  readonly summary: string;
  /** What help shows in place of its value: `<list>`. Each maker has one of its own. */
  readonly placeholder?: string;
  /** The heading of its column; without it, its name: `lastUsedAt` is LAST USED. */
  readonly title?: string;
  /** A table in which every row has this cell leaves its column out. */
  readonly usual?: string;
  /** A value of it in JSON, for OpenAPI. Each maker has one of its own where it can. */
  readonly example?: Json;
  /** What its number counts: `ms`, `messages a second`. */
  readonly unit?: string;
  /** What help says in `(default: …)` where no fixed value is the default. */
  readonly defaultText?: string;
  /** It must never be shown again, nor logged. On the command line it comes from the first line of a file. */
  readonly isSecret?: boolean;
  /** A secret of more than one line: a file is read whole. */
  readonly isWholeFile?: boolean;
  /** A number of a person, or a text: roles may not all see it. */
  readonly isPersonal?: boolean;
  /** Who does it: the command line gives the user of this machine, where nobody else is named. */
  readonly isActor?: boolean;
  /** How the command line takes it: by default its value is typed. An empty list gives it no option there. */
  readonly typed?: readonly ('value' | 'file' | 'stdin')[];
  /** The name of its option where that is not its own. */
  readonly option?: string;
  /** A flag of the command line that gives it one value: `--prefix` gives kind=prefix. It takes no other there. */
  readonly flag?: { readonly name: string; readonly value: string };
  /** It may be typed more than once, each time with one item of its list. */
  readonly isRepeated?: boolean;
  /** What the command line sends of what was typed, where some of it must not leave the machine. */
  readonly sends?: (typed: string) => string;
}

/** Whether a request must have it. */
export type Need = 'must' | 'may';

export interface Field<T, N extends Need = Need> {
  readonly about: About;
  readonly need: N;
  /** What holds when a request does not have it. */
  readonly otherwise?: { readonly value: T };
  readonly placeholder: string;
  readonly schema: JsonSchema;
  /** Whether null is a value of it. */
  readonly takesNone?: boolean;
  /** Reads the JSON of a request, or what a person typed. The reason of a refusal never repeats the value: it may be a password. */
  read(given: unknown): Result<T, string>;
  json(value: T): Json;
  /** Reads an answer of the gateway, in which numbers are their digits; it is trusted. */
  fromJson(json: unknown): T;
  /** As a cell of a table shows it. */
  cell(value: T): string;
}

export type FieldTable = { readonly [field: string]: Field<unknown> };

export type ValueOf<F> = F extends Field<infer T> ? T : never;
type MayKeys<T extends FieldTable> = {
  [K in keyof T]: undefined extends ValueOf<T[K]> ? K : never;
}[keyof T];

/** The values of a table: what a handler gets, and a row that it answers. */
export type Values<T extends FieldTable> = { readonly [K in Exclude<keyof T, MayKeys<T>>]: ValueOf<T[K]> } & {
  readonly [K in MayKeys<T>]?: ValueOf<T[K]>;
};

type GivenKeys<T extends FieldTable, N extends Need> = {
  [K in keyof T]: T[K] extends Field<unknown, 'must'> ? ('must' extends N ? K : never) : 'may' extends N ? K : never;
}[keyof T];

/** What a caller gives for a table: values, or texts as a person types them. */
export type Given<T extends FieldTable> = { readonly [K in GivenKeys<T, 'must'>]: ValueOf<T[K]> | string } & {
  readonly [K in GivenKeys<T, 'may'>]?: ValueOf<T[K]> | string | undefined;
};

/** Why the values of a request are refused, and which of them. A detail that begins with `must` says it of the field. */
export interface Slip {
  readonly code: 'missing_parameter' | 'invalid_parameter';
  readonly field: string;
  readonly detail: string;
}

/** Reads what a table names, and nothing else: a field that it does not name is a slip. */
export function readValues<T extends FieldTable>(
  table: T,
  given: { readonly [field: string]: unknown },
): Result<Values<T>, Slip> {
  const names = Object.keys(table);
  const strange = Object.keys(given).find((name) => given[name] !== undefined && !Object.hasOwn(table, name));
  if (strange !== undefined) return invalid(strange, `unknown field ${strange}${didYouMean(strange, names)}`);
  const values: { [field: string]: unknown } = {};
  for (const [name, field] of Object.entries(table)) {
    const json = given[name];
    if (json === undefined || (json === null && field.takesNone !== true)) {
      if (field.need === 'must') return refused({ code: 'missing_parameter', field: name, detail: '' });
      values[name] = field.otherwise?.value;
    } else {
      const read = field.read(json);
      if (!read.ok) return invalid(name, read.error);
      values[name] = read.value;
    }
  }
  return ok(values as Values<T>);
}

function invalid(field: string, detail: string): Result<never, Slip> {
  return refused({ code: 'invalid_parameter', field, detail });
}

/** The JSON of a row, its members in the order of the table; an absent value has none. */
export function jsonOf<T extends FieldTable>(table: T, values: Values<T>): { readonly [field: string]: Json } {
  const row: { readonly [field: string]: unknown } = values;
  return Object.fromEntries(
    Object.entries(table).map(([name, field]) => [name, row[name] === undefined ? undefined : field.json(row[name])]),
  );
}

/** The row of an answer. */
export function fromJson<T extends FieldTable>(table: T, json: unknown): Values<T> {
  const row: { readonly [field: string]: unknown } = { ...Object(json) };
  const values = Object.entries(table).map(([name, field]) => [
    name,
    row[name] === undefined ? undefined : field.fromJson(row[name]),
  ]);
  return Object.fromEntries(values) as Values<T>;
}

/** JSON as a person types it: lists with commas, amounts in whole units, null as `none`. */
export function typedText(json: Json): string {
  if (json === null || json === undefined) return 'none';
  if (typeof json === 'bigint') return writeJson(json);
  if (Array.isArray(json)) return json.map(typedText).join(',');
  return typeof json === 'object' ? JSON.stringify(json) : String(json);
}

/** The schema of an object of these fields. */
export function objectSchema(table: FieldTable): JsonSchema {
  const required = Object.keys(table).filter((each) => table[each]?.need === 'must');
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(table).map(([each, field]) => [each, describedSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The schema of a field with what is said of it. */
export function describedSchema(field: Field<unknown>): JsonSchema {
  const { about, schema, otherwise } = field;
  const unit = about.unit === undefined ? '' : `, in ${about.unit}`;
  const form = typeof schema['description'] === 'string' ? ` ${schema['description']}` : '';
  const standard = otherwise === undefined ? undefined : field.json(otherwise.value);
  return {
    ...schema,
    description: `${about.summary}${unit}.${form}`,
    ...(standard === undefined ? {} : { default: standard }),
    ...(about.isSecret === true ? { writeOnly: true } : {}),
    ...(about.isPersonal === true ? { 'x-morsel-personal': true } : {}),
  };
}
