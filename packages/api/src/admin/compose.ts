import type { AllowList } from '../values/address-range.ts';
import { ok, refused } from '../values/result.ts';
import { fromJson, jsonOf, objectSchema, readValues } from './field.ts';
import type { About, Field, FieldTable, JsonSchema, Values, ValueOf } from './field.ts';
import { fieldOf, sentence } from './fields.ts';

/* Fields that are made of other fields: lists, objects, and fields that a request may leave out. */

/** Items of a list: what is checked for every message is kept short. */
const itemsMax = 1_000;

/** A JSON array, or items with commas between them; an empty text, or `none`, is an empty list. */
export function list<T>(
  item: Field<T>,
  { min = 0, max = itemsMax, ...about }: About & { readonly min?: number; readonly max?: number },
): Field<readonly T[], 'must'> {
  const { example } = item.about;
  return fieldOf<readonly T[]>(about, {
    placeholder: '<list>',
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: max },
    ...(example === undefined ? {} : { example: [example] }),
    read: (given) => {
      const items = itemsOf(given, about.isRepeated === true);
      if (items === undefined) return refused('must be a list: items with commas between them, or a JSON array');
      if (items.length < min || items.length > max) return refused(`must be a list of ${min} to ${max}`);
      const read: T[] = [];
      for (const each of items) {
        const value = item.read(each);
        if (!value.ok) return refused(value.error.replace(/^must be/, 'must be a list, each item'));
        read.push(value.value);
      }
      return ok(read);
    },
    json: (values) => values.map((value) => item.json(value)),
    fromJson: (json) => (Array.isArray(json) ? json.map((each) => item.fromJson(each)) : []),
    cell: (values) => values.map((value) => item.cell(value)).join(','),
  });
}

/** An option that is repeated has one item on each line. */
function itemsOf(given: unknown, isRepeated = false): readonly unknown[] | undefined {
  if (Array.isArray(given)) return given;
  if (typeof given !== 'string') return undefined;
  if (isRepeated && given !== '' && given !== 'none') return given.split('\n');
  return given === '' || given === 'none' ? [] : given.split(',').map((each) => each.trim());
}

const noneHint = refused('none is not taken here: any allows everything, an empty list ("") allows nothing');
const anyHint = refused(
  'any allows everything, an empty list ("") allows nothing: neither stands in a list with others',
);

/** What is allowed: `any`, or a list. An empty list allows nothing. */
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
    json: (value) => (value === 'any' ? value : items.json(value)),
    fromJson: (json) => (json === 'any' ? json : items.fromJson(json)),
    cell: (value) => (value === 'any' ? value : items.cell(value) || 'nothing'),
  });
}

/** An object with fields of its own. */
export function record<T extends FieldTable>(table: T, about: About): Field<Values<T>, 'must'> {
  return fieldOf<Values<T>>(about, {
    placeholder: '<json>',
    schema: objectSchema(table),
    read: (given) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return refused('must be an object');
      const read = readValues(table, { ...given });
      if (read.ok) return read;
      const { field, detail } = read.error;
      if (detail === '') return refused(`must have the member ${field}`);
      return refused(detail.startsWith('must ') ? `${field} ${detail}` : detail);
    },
    json: (value) => jsonOf(table, value),
    fromJson: (json) => fromJson(table, json),
  });
}

/** The same field, optional in a request: without it the value is undefined, or `otherwise`. */
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

/** The same fields, all optional. */
export function optionals<T extends FieldTable>(
  table: T,
): { readonly [K in keyof T]: Field<ValueOf<T[K]> | undefined, 'may'> } {
  const all = Object.entries(table).map(([each, field]) => [each, optional(field)]);
  return Object.fromEntries(all) as { readonly [K in keyof T]: Field<ValueOf<T[K]> | undefined, 'may'> };
}

/** The same fields for changes: all optional, and without a default, since a field that is left out stays as it is. */
export function changes<T extends FieldTable>(table: T): ReturnType<typeof optionals<T>> {
  const all = Object.entries(table).map(([each, field]) => {
    const { defaultText: _ofNew, ...about } = field.about;
    return [each, { ...field, about }];
  });
  return optionals(Object.fromEntries(all) as T);
}

/** The same fields with their defaults. For new rows. */
export function withDefaults<T extends FieldTable>(
  table: T,
  values: { readonly [K in keyof T]: ValueOf<T[K]> },
): { readonly [K in keyof T]: Field<ValueOf<T[K]>, 'may'> } {
  const all = Object.entries(table).map(([each, field]) => [each, optional(field, values[each])]);
  return Object.fromEntries(all) as { readonly [K in keyof T]: Field<ValueOf<T[K]>, 'may'> };
}

/** The same field, or null: null in JSON, `none` or an empty text on the command line. */
export function orNone<T, N extends 'must' | 'may'>(field: Field<T, N>): Field<T | null, N> {
  return {
    ...(field as Field<T | null, N>),
    takesNone: true,
    schema: schemaOrNull(field.schema),
    read: (given) => (given === null || given === '' || given === 'none' ? ok(null) : field.read(given)),
    json: (value) => (value === null ? null : field.json(value)),
    fromJson: (json) => (json === null ? null : field.fromJson(json)),
    cell: (value) => (value === null ? '' : field.cell(value)),
  };
}

function schemaOrNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) };
}

/** The same field with another description. */
export function described<T, N extends 'must' | 'may'>(field: Field<T, N>, about: Partial<About>): Field<T, N> {
  return { ...field, placeholder: about.placeholder ?? field.placeholder, about: { ...field.about, ...about } };
}

const actorMax = 64;

/** The operator's name, for the records. */
export const actor = optional(
  sentence({
    max: actorMax,
    summary: 'operator, for the records',
    placeholder: '<name>',
    defaultText: 'you',
    isActor: true,
  }),
  'operator',
);

/** The named fields of a table. */
export function pick<T extends FieldTable, K extends keyof T & string>(
  table: T,
  ...names: readonly K[]
): { readonly [P in K]: T[P] } {
  return Object.fromEntries(names.map((each) => [each, table[each]])) as { readonly [P in K]: T[P] };
}
