import type { AllowList } from '../values/address-range.ts';
import { ok, refused } from '../values/result.ts';
import {
  fromJson,
  jsonOf,
  objectSchema,
  readValues,
  shownJson,
  type About,
  type Column,
  type Field,
  type FieldTable,
  type JsonSchema,
  type Values,
  type ValueOf,
} from './field.ts';
import { fieldOf } from './fields.ts';
import { spaced } from './shown.ts';

/* Makers of fields that contain other fields: lists, objects, optional fields and fields that may be null. */

/** The most items in a list by default. Lists are short, because the gateway checks some lists for every message. */
const itemsMax = 1_000;

/** A JSON array, or a text with commas. An empty text and `none` are an empty list. */
export function list<T>(
  item: Field<T>,
  { min = 0, max = itemsMax, ...about }: About & { readonly min?: number; readonly max?: number },
): Field<readonly T[], 'must'> {
  const { example } = item.about;
  return fieldOf<readonly T[]>(about, {
    placeholder: '<list>',
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: max },
    ...(example === undefined ? {} : { example: [example] }),
    ...(item.rows && { rows: item.rows }),
    ...(item.kind && { kind: item.kind }),
    read: (given) => {
      const items = itemsOf(given, about.isRepeated === true);
      if (items === undefined) return refused('must be a list: a JSON array, or items separated by commas');
      if (items.length < min || items.length > max) return refused(`must be a list of ${min} to ${max} items`);
      const read: T[] = [];
      for (const each of items) {
        const value = item.read(each);
        if (!value.ok) return refused(value.error.replace(/^must be/, 'must be a list in which each item is'));
        read.push(value.value);
      }
      return ok(read);
    },
    json: (values, hide) => values.map((value) => shownJson(item, value, hide)),
    fromJson: (json) => (Array.isArray(json) ? json.map((each) => item.fromJson(each)) : []),
    cell: (values) => values.map((value) => item.cell(value)).join(item.schema['type'] === 'object' ? '; ' : ','),
  });
}

/** Splits the text of a list. The command line joins repeated options with line feeds, so these lists split at lines. */
function itemsOf(given: unknown, isRepeated = false): readonly unknown[] | undefined {
  if (Array.isArray(given)) return given;
  if (typeof given !== 'string') return undefined;
  if (isRepeated && given !== '' && given !== 'none') return given.split('\n');
  return given === '' || given === 'none' ? [] : given.split(',').map((each) => each.trim());
}

const noneHint = refused(
  'must be a list, any (everything is allowed) or "" (nothing is allowed); none is not a value here',
);
const anyHint = refused('must be any alone (everything is allowed), "" (nothing is allowed), or a list without any');

/** A list of allowed values, or `any`, which allows every value. An empty list allows no value. */
export function allowList<T>(item: Field<T>, about: About): Field<AllowList<T>, 'must'> {
  const items = list(item, about);
  return fieldOf<AllowList<T>>(items.about, {
    placeholder: items.placeholder,
    schema: { anyOf: [{ const: 'any' }, items.schema] },
    read: (given) => {
      if (given === 'any') return ok('any');
      const words = typeof given === 'string' ? (itemsOf(given) ?? []) : [];
      if (given === 'none' || words.includes('none')) return noneHint;
      return words.includes('any') ? anyHint : items.read(given);
    },
    json: (value, hide) => (value === 'any' ? value : items.json(value, hide)),
    fromJson: (json) => (json === 'any' ? json : items.fromJson(json)),
    cell: (value) => (value === 'any' ? value : items.cell(value) || 'nothing'),
  });
}

/** A JSON object. A list of such objects is shown as a table with the `columns`. */
export function record<T extends FieldTable>(
  table: T,
  { columns = Object.keys(table), ...about }: About & { readonly columns?: readonly Column<NoInfer<T>>[] },
): Field<Values<T>, 'must'> {
  return fieldOf<Values<T>>(about, {
    placeholder: '<json>',
    schema: objectSchema(table),
    rows: { answer: table, columns },
    read: (given) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return refused('must be a JSON object');
      const read = readValues(table, { ...given });
      if (read.ok) return read;
      const { field, detail } = read.error;
      if (detail === '') return refused(`must have the member ${field}`);
      return refused(detail.startsWith('must ') ? `${field} ${detail}` : detail);
    },
    json: (value, hide) => jsonOf(table, value, hide),
    fromJson: (json) => fromJson(table, json),
    cell: (values) => recordText(table, values) || (about.whenEmpty ?? ''),
  });
}

/** A list of JSON objects, which is shown as a table with the `columns`. */
export function rows<T extends FieldTable>(
  table: T,
  {
    columns = Object.keys(table),
    ...about
  }: Parameters<typeof list>[1] & { readonly columns?: readonly Column<NoInfer<T>>[] },
): Field<readonly Values<T>[], 'must'> {
  return list(record(table, { columns, summary: 'a row' }), about);
}

/**
 * The members whose value is not the default, such as `currency EUR, amount 1.5`. A certificate, which is too long, is
 * `(PEM)`.
 */
function recordText<T extends FieldTable>(table: T, values: Values<T>): string {
  const row: { readonly [field: string]: unknown } = values;
  const cells = Object.entries(table).map(([name, field]) => {
    const cell = row[name] === undefined ? '' : field.cell(row[name]);
    const isUsual = cell === '' || (field.otherwise && cell === field.cell(field.otherwise.value));
    return isUsual ? [] : [`${spaced(name)} ${cell.startsWith('-----BEGIN') ? '(PEM)' : cell}`];
  });
  return cells.flat().join(', ');
}

/** A field that a request may leave out. The value is then `otherwise`, or undefined. */
export function optional<T>(field: Field<T>): Field<T | undefined, 'may'>;
export function optional<T>(field: Field<T>, otherwise: NoInfer<T>): Field<T, 'may'>;
export function optional<T>(field: Field<T>, otherwise?: T): Field<T | undefined, 'may'> {
  const { otherwise: _before, ...rest } = field;
  return {
    ...(rest as Field<T | undefined>),
    need: 'may',
    ...(otherwise === undefined ? {} : { otherwise: { value: otherwise } }),
  };
}

/** Optional fields without defaults. */
export function optionals<T extends FieldTable>(
  table: T,
): { readonly [K in keyof T]: Field<ValueOf<T[K]> | undefined, 'may'> } {
  const all = Object.entries(table).map(([each, field]) => [each, optional(field)]);
  return Object.fromEntries(all) as { readonly [K in keyof T]: Field<ValueOf<T[K]> | undefined, 'may'> };
}

/** Fields of a change: optional and without defaults, because a field that is left out keeps its value. */
export function changes<T extends FieldTable>(table: T): ReturnType<typeof optionals<T>> {
  const all = Object.entries(table).map(([each, field]) => {
    const { defaultText: _ofNew, ...about } = field.about;
    return [each, { ...field, about }];
  });
  return optionals(Object.fromEntries(all) as T);
}

export function withDefaults<T extends FieldTable>(
  table: T,
  values: { readonly [K in keyof T]: ValueOf<T[K]> },
): { readonly [K in keyof T]: Field<ValueOf<T[K]>, 'may'> } {
  const all = Object.entries(table).map(([each, field]) => [each, optional(field, values[each])]);
  return Object.fromEntries(all) as { readonly [K in keyof T]: Field<ValueOf<T[K]>, 'may'> };
}

/** A field that may be null. The command line writes null as `none` or an empty text. */
export function orNone<T, N extends 'must' | 'may'>(field: Field<T, N>): Field<T | null, N> {
  return {
    ...(field as Field<T | null, N>),
    takesNone: true,
    schema: schemaOrNull(field.schema),
    read: (given) => (given === null || given === '' || given === 'none' ? ok(null) : field.read(given)),
    json: (value, hide) => (value === null ? null : field.json(value, hide)),
    fromJson: (json) => (json === null ? null : field.fromJson(json)),
    cell: (value) => (value === null ? '' : field.cell(value)),
  };
}

function schemaOrNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) };
}

export function described<T, N extends 'must' | 'may'>(field: Field<T, N>, about: Partial<About>): Field<T, N> {
  return { ...field, placeholder: about.placeholder ?? field.placeholder, about: { ...field.about, ...about } };
}

/** Puts fields into a part of forms and of the command line's help. */
export function group<T extends FieldTable>(label: string, table: T, isAdvanced = false): T {
  const all = Object.entries(table).map(([each, field]) => [each, described(field, { group: { label, isAdvanced } })]);
  return Object.fromEntries(all) as T;
}

/** Puts fields into a part that a form opens only on demand. */
export function advanced<T extends FieldTable>(label: string, table: T): T {
  return group(label, table, true);
}

export function pick<T extends FieldTable, K extends keyof T & string>(
  table: T,
  ...names: readonly K[]
): { readonly [P in K]: T[P] } {
  return Object.fromEntries(names.map((each) => [each, table[each]])) as { readonly [P in K]: T[P] };
}
