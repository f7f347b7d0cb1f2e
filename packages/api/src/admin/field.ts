import { didYouMean } from '../values/nearest.ts';
import { ok, refused } from '../values/result.ts';
import type { Result } from '../values/result.ts';
import { writeJson } from './exact-json.ts';
import type { Json } from './exact-json.ts';

/*
 * The definition of a field of the operator's contract: how it is read from a request, written to an answer, shown in a
 * table, and described in help and OpenAPI. `fields.ts` has the makers.
 */

/** A schema of JSON Schema 2020-12, for OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: Json };

/** The description of a field, besides its type. */
export interface About {
  /** Its summary in help and OpenAPI: one line, without a full stop. */
  readonly summary: string;
  /** The placeholder of its value in help: `<list>`. Each maker has a default. */
  readonly placeholder?: string;
  /** The heading of its column; by default from its name: `lastUsedAt` is LAST USED. */
  readonly title?: string;
  /** The usual cell: a table leaves the column out if every row has it. */
  readonly usual?: string;
  /** An example value in JSON, for OpenAPI. Most makers have a default. */
  readonly example?: Json;
  /** Its unit: `ms`, `messages a second`. */
  readonly unit?: string;
  /** The text of `(default: …)` in help, where the default is not a fixed value. */
  readonly defaultText?: string;
  /** A secret: never shown again, and never logged. On the command line it comes from the first line of a file. */
  readonly isSecret?: boolean;
  /** A secret of more than one line: a file is read whole. */
  readonly isWholeFile?: boolean;
  /** A person's number or a message's text: some roles may not see it. */
  readonly isPersonal?: boolean;
  /** The operator's name: by default the command line sends the user of this machine. */
  readonly isActor?: boolean;
  /** How the command line takes it; by default as an option with a value. An empty list gives it no option. */
  readonly typed?: readonly ('value' | 'file' | 'stdin')[];
  /** The name of its option, if it differs from the field's. */
  readonly option?: string;
  /** A flag that stands for one value: `--prefix` means kind=prefix. The command line accepts no other value. */
  readonly flag?: { readonly name: string; readonly value: string };
  /** The option may be repeated, each time with one item of the list. */
  readonly isRepeated?: boolean;
  /** Converts the typed value before it is sent, if a part of it must not leave the machine. */
  readonly sends?: (typed: string) => string;
}

/** Whether it is required. */
export type Need = 'must' | 'may';

export interface Field<T, N extends Need = Need> {
  readonly about: About;
  readonly need: N;
  /** The default. */
  readonly otherwise?: { readonly value: T };
  readonly placeholder: string;
  readonly schema: JsonSchema;
  /** Whether null is allowed. */
  readonly takesNone?: boolean;
  /**
   * Reads the JSON of a request, or typed text. The reason of a refusal never repeats the value, which may be a
   * password.
   */
  read(given: unknown): Result<T, string>;
  json(value: T): Json;
  /** Reads an answer of the gateway, which is trusted and has numbers as their digits. */
  fromJson(json: unknown): T;
  /** The text of its cell in a table. */
  cell(value: T): string;
}

export type FieldTable = { readonly [field: string]: Field<unknown> };

export type ValueOf<F> = F extends Field<infer T> ? T : never;
type MayKeys<T extends FieldTable> = {
  [K in keyof T]: undefined extends ValueOf<T[K]> ? K : never;
}[keyof T];

/** The typed values of a table: a handler gets them, and answers rows of them. */
export type Values<T extends FieldTable> = { readonly [K in Exclude<keyof T, MayKeys<T>>]: ValueOf<T[K]> } & {
  readonly [K in MayKeys<T>]?: ValueOf<T[K]>;
};

type GivenKeys<T extends FieldTable, N extends Need> = {
  [K in keyof T]: T[K] extends Field<unknown, 'must'> ? ('must' extends N ? K : never) : 'may' extends N ? K : never;
}[keyof T];

/** A caller's values for a table: typed values, or texts as on the command line. */
export type Given<T extends FieldTable> = { readonly [K in GivenKeys<T, 'must'>]: ValueOf<T[K]> | string } & {
  readonly [K in GivenKeys<T, 'may'>]?: ValueOf<T[K]> | string | undefined;
};

/** Why a request is refused, and its field. A detail that starts with `must` is about the field. */
export interface Slip {
  readonly code: 'missing_parameter' | 'invalid_parameter';
  readonly field: string;
  readonly detail: string;
}

/** Reads the fields of a table. Any other member is refused as a mistake. */
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

/** The row in the JSON of an answer. */
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

/** The schema of a field with its description. */
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
