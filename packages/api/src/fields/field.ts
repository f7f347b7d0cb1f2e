import { didYouMean } from '../values/nearest.ts';
import { ok, refused, type Result } from '../values/result.ts';
import { mayCall, type Role } from '../admin/access/role.ts';
import { writeJson, type Json } from './exact-json.ts';

/*
 * A field of the operator's HTTP API: how the gateway reads it from a request, and writes it to an answer, a table,
 * help and OpenAPI. Makers of fields are in `fields.ts` and `compose.ts`.
 */

export type JsonSchema = { readonly [keyword: string]: Json };

/** `number`: a phone number, or a sentence with one. `true`: any other personal value. */
export type Personal = true | 'number';

/** Hides a personal value of an answer. If the result is undefined, the answer leaves the member out. */
export type Hide = (json: Json, personal: Personal) => Json | undefined;

export interface About {
  /** One line for help and OpenAPI, without a full stop. */
  readonly summary: string;
  /** Placeholder for help, such as `<list>`. Each maker of fields has a default. */
  readonly placeholder?: string;
  /** What people call it: one to four words without a unit. The default is derived from the name: "Last used" from `lastUsedAt`. */
  readonly label?: string;
  /** The part of a form, and of a command's help, in which the field is. */
  readonly group?: Group;
  /** What people call the values of a choice, as `Send it again` for `resend`. */
  readonly words?: Words;
  /** What values mean that stand for something else, by their text on the command line, as `no limit` for `0`. */
  readonly special?: Words;
  /** Whether the field applies beside the other values of a form. A form shows no other field. */
  readonly when?: (given: Words) => boolean;
  /** What an operator must know before a change to these values; undefined if there is nothing to know. */
  readonly warning?: (given: Words) => string | undefined;
  /** Advice for the choice of a value, as sentences, where the summary is not enough. */
  readonly help?: string;
  /** The usual text of a cell. A table leaves the column out if every row has this text. */
  readonly usual?: string;
  /**
   * The text instead of an empty list of rows, or of an object with only defaults. Without this text, a command prints
   * no such field.
   */
  readonly whenEmpty?: string;
  /** Whether the values of rows add up, if the rows of several steps are otherwise the same. */
  readonly addsUp?: boolean;
  /** The text is JSON, which a command prints with indentation. */
  readonly isJson?: boolean;
  /** Example in JSON, for OpenAPI. Most makers of fields have a default. */
  readonly example?: Json;
  /** Unit such as `ms` or `messages a second`. */
  readonly unit?: string;
  /** The text of `(default: …)` in help, if the default is not a fixed value. */
  readonly defaultText?: string;
  /** Never logged. The command line reads a secret from the first line of a file. */
  readonly isSecret?: boolean;
  /** The command line reads the whole file of a secret, not only the first line. */
  readonly isWholeFile?: boolean;
  /** Whether the value may also be in the header `Idempotency-Key`. */
  readonly isIdempotencyKey?: boolean;
  /** Some roles get a `number` (also inside a sentence) with most digits hidden, and no other personal value. */
  readonly isPersonal?: Personal;
  /** The least role that may set the field, also where the operation may be called by lower roles. */
  readonly role?: Role;
  /** How the command line reads the value. The default is an option with a value. An empty list means no option. */
  readonly typed?: readonly ('value' | 'file' | 'stdin')[];
  /** The name of the option, if it differs from the name of the field. */
  readonly option?: string;
  /** A flag that sets one fixed value: `--prefix` sets kind to prefix. The command line can set no other value. */
  readonly flag?: { readonly name: string; readonly value: string };
  /** Whether the option may be repeated, each time with one item of the list. */
  readonly isRepeated?: boolean;
  /** Converts the text from the command line before it is sent, if a part of the text must not leave the machine. */
  readonly sends?: (typed: string) => string;
}

/** `money`: an amount or a list of amounts, which is shown with the currency of its row. */
export type Kind = 'money' | 'instant' | 'duration';

/** A part of a form. An advanced one is closed at first. */
export interface Group {
  readonly label: string;
  readonly isAdvanced: boolean;
}

/** Texts of people by texts of the command line. */
export type Words = { readonly [typed: string]: string };

export type Need = 'must' | 'may';

export interface Field<T, N extends Need = Need> {
  readonly about: About;
  readonly need: N;
  /** The value if a request leaves the field out. */
  readonly otherwise?: { readonly value: T };
  readonly placeholder: string;
  readonly schema: JsonSchema;
  readonly takesNone?: boolean;
  /** How the value is shown and typed, where its JSON does not say it. */
  readonly kind?: Kind;
  /** The rows of a list of objects, which are shown as a table. */
  readonly rows?: Shown<FieldTable>;
  /**
   * Reads the value from the JSON of a request, or from a text. A refusal never repeats the value, which may be a
   * password.
   */
  read(given: unknown): Result<T, string>;
  /** Writes the value as JSON. `hide` is given if the caller may not see personal values. */
  json(value: T, hide?: Hide): Json;
  /** Reads the value from an answer of the gateway, without checks. Numbers are given as texts of their digits. */
  fromJson(json: unknown): T;
  cell(value: T): string;
}

export type FieldTable = { readonly [field: string]: Field<unknown> };

/** A field of the row, or a computed text with a heading. */
export type Column<A extends FieldTable> =
  | (keyof A & string)
  | {
      readonly title: string;
      of(row: Values<A>): string;
      readonly isNumber?: boolean;
    };

/** Which fields of the rows a table shows. Without `columns`, all fields. */
export interface Shown<A extends FieldTable> {
  readonly answer: A;
  readonly columns?: readonly Column<A>[];
}

export type ValueOf<F> = F extends Field<infer T> ? T : never;
type MayKeys<T extends FieldTable> = {
  [K in keyof T]: undefined extends ValueOf<T[K]> ? K : never;
}[keyof T];

/** The values of a table of fields. A handler gets such values, and answers with them. */
export type Values<T extends FieldTable> = { readonly [K in Exclude<keyof T, MayKeys<T>>]: ValueOf<T[K]> } & {
  readonly [K in MayKeys<T>]?: ValueOf<T[K]>;
};

type GivenKeys<T extends FieldTable, N extends Need> = {
  [K in keyof T]: T[K] extends Field<unknown, 'must'> ? ('must' extends N ? K : never) : 'may' extends N ? K : never;
}[keyof T];

/** The values that a caller gives: typed values, or texts as on the command line. */
export type Given<T extends FieldTable> = { readonly [K in GivenKeys<T, 'must'>]: ValueOf<T[K]> | string } & {
  readonly [K in GivenKeys<T, 'may'>]?: ValueOf<T[K]> | string | undefined;
};

/** A refused value. If `detail` starts with `must`, the name of the field goes before it. */
export interface Slip {
  readonly code: 'missing_parameter' | 'invalid_parameter';
  readonly field: string;
  readonly detail: string;
}

/** Refuses a member with an unknown name, because it is probably misspelled. */
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

export function forbiddenField(
  table: FieldTable,
  given: { readonly [field: string]: unknown },
  role: Role,
): { readonly name: string; readonly needs: Role } | undefined {
  for (const [name, { about }] of Object.entries(table)) {
    const { role: needs } = about;
    if (given[name] !== undefined && needs !== undefined && !mayCall(role, needs)) return { name, needs };
  }
  return undefined;
}

function invalid(field: string, detail: string): Result<never, Slip> {
  return refused({ code: 'invalid_parameter', field, detail });
}

/** Writes the members in the order of the table. An undefined value gets no member. */
export function jsonOf<T extends FieldTable>(
  table: T,
  values: Values<T>,
  hide?: Hide,
): { readonly [field: string]: Json } {
  const row: { readonly [field: string]: unknown } = values;
  return Object.fromEntries(
    Object.entries(table).map(([name, field]) => [
      name,
      row[name] === undefined ? undefined : shownJson(field, row[name], hide),
    ]),
  );
}

/** The value in JSON, without what the caller may not see. A secret is hidden, too. */
export function shownJson<T>(field: Field<T>, value: T, hide: Hide | undefined): Json {
  const json = field.json(value, hide);
  const { isPersonal, isSecret } = field.about;
  const hidden = isSecret === true ? true : isPersonal;
  return hide && hidden !== undefined && json !== null ? hide(json, hidden) : json;
}

export function fromJson<T extends FieldTable>(table: T, json: unknown): Values<T> {
  const row: { readonly [field: string]: unknown } = { ...Object(json) };
  const values = Object.entries(table).map(([name, field]) => [
    name,
    row[name] === undefined ? undefined : field.fromJson(row[name]),
  ]);
  return Object.fromEntries(values) as Values<T>;
}

/** The text of a value on the command line: lists with commas, amounts in whole currency units, and null as `none`. */
export function typedText(json: Json): string {
  if (json === null || json === undefined) return 'none';
  if (typeof json === 'bigint') return writeJson(json);
  if (Array.isArray(json)) return json.map(typedText).join(',');
  return typeof json === 'object' ? writeJson(json) : String(json);
}

export function objectSchema(table: FieldTable): JsonSchema {
  const required = Object.keys(table).filter((each) => table[each]?.need === 'must');
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(table).map(([each, field]) => [each, describedSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The summary of a field with its unit, its words and its special values, without a full stop. */
export function summaryOf({ about }: Field<unknown>): string {
  const { summary, unit, words = {}, special = {}, help } = about;
  const choices = Object.entries(words).map(([typed, word]) =>
    word.toLowerCase() === typed ? typed : `${typed} (${lowerFirst(word)})`,
  );
  const meanings = Object.entries(special).map(([typed, meaning]) => `${typed || '""'} for ${meaning}`);
  return [
    `${summary}${unit === undefined ? '' : `, in ${unit}`}${choices.length === 0 ? '' : `: ${choices.join(', ')}`}`,
    ...meanings,
    ...(help === undefined ? [] : [lowerFirst(help.replace(/\.$/, ''))]),
  ].join('; ');
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

export function describedSchema(field: Field<unknown>): JsonSchema {
  const { about, schema, otherwise } = field;
  const form = typeof schema['description'] === 'string' ? ` ${schema['description']}` : '';
  const standard = otherwise === undefined ? undefined : field.json(otherwise.value);
  return {
    ...schema,
    description: `${summaryOf(field)}.${form}`,
    ...(standard === undefined ? {} : { default: standard }),
    ...(about.isSecret === true ? { writeOnly: true } : {}),
    ...(about.isPersonal === undefined ? {} : { 'x-morsel-personal': true }),
    ...(about.role === undefined ? {} : { 'x-morsel-role': about.role }),
  };
}
