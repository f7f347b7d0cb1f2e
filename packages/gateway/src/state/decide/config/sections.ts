import { settingsOf, type Resource } from '@morsel/api/admin/resource.ts';
import { typedText, type FieldTable } from '@morsel/api/fields/field.ts';
import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import { account } from '@morsel/api/admin/account/account.ts';
import { keyword } from '@morsel/api/admin/number/keyword.ts';
import { digits, listName, unitPrice } from '@morsel/api/admin/money/price-fields.ts';
import { orNone } from '@morsel/api/fields/compose.ts';
import { number } from '@morsel/api/admin/number/number.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { route } from '@morsel/api/admin/routing/route.ts';

/*
 * What a file of settings has: the sections, in the order in which they depend on each other. The fields of a section
 * come from the declarations of its resource, so a new setting needs no change here.
 */

export type Item = { readonly [field: string]: unknown };
export type JsonItem = { readonly [field: string]: Json };

export interface Section {
  /** The name of the section in the document. */
  readonly name: string;
  /** The resource. A plan calls one object by this noun, such as `carrier`. */
  readonly noun: string;
  /** The fields that name an object. Two objects with the same values in them are the same object. */
  readonly keys: readonly string[];
  /** All fields that an object may have in a file. */
  readonly fields: FieldTable;
  /** The fields that can change later. Undefined if an object is never changed, but removed and added again. */
  readonly settings: FieldTable | undefined;
  /** The fields that name the object in operations that change or remove it. */
  readonly names: readonly string[];
  /** Turns a row of the list into the fields that a file has. */
  readonly itemOf: (row: Item) => Item;
  /** Turns changed settings into the input of the operation `set`. */
  readonly changed: (settings: Item) => Item;
}

type About = Pick<Section, 'keys'> &
  Partial<Pick<Section, 'itemOf' | 'changed'>> & {
    /** Fields of the operation `add` that no file has: they matter only once, or say the same as another field. */
    readonly without?: readonly string[];
  };

function section(name: string, { name: noun, operations }: Resource, { without = [], ...about }: About): Section {
  const { add, set, remove } = operations;
  if (!add || !remove) throw new Error(`objects of ${noun} cannot be added and removed`);
  const fields = Object.fromEntries(Object.entries(add.input).filter(([each]) => !without.includes(each)));
  const isIn = ([each]: readonly [string, unknown]) => Object.hasOwn(fields, each) && !about.keys.includes(each);
  const settings = set && Object.fromEntries(Object.entries(settingsOf(set)).filter(isIn));
  return { name, noun, fields, settings, names: Object.keys(remove.input), itemOf: same, changed: same, ...about };
}

const same = (given: Item) => given;

export const sections: readonly Section[] = [
  section('carriers', carrier, {
    keys: ['name'],
    without: ['preset'],
    itemOf: (row) => ({ ...row, ...Object(row['profile']) }),
  }),
  section('accounts', account, { keys: ['name'], without: ['balance'] }),
  section('routes', route, { keys: ['prefix', 'sender', 'account', 'encoding', 'carrier'] }),
  section('numbers', number, {
    keys: ['number', 'kind'],
    itemOf: (row) => (row['account'] === null ? { ...row, account: undefined, shared: true } : row),
  }),
  section('keywords', keyword, { keys: ['number', 'kind', 'word'] }),
  section('webhooks', webhook, {
    keys: ['account', 'url', 'number', 'prefix', 'keyword'],
    without: ['template', 'constants'],
    itemOf: (row) => (row['fields'] === 'any' ? { ...row, fields: undefined } : row),
    // An empty first line removes the former fields.
    changed: ({ fields, ...changes }) =>
      Array.isArray(fields)
        ? { ...changes, fields: ['', ...fields] }
        : { ...changes, ...(fields === undefined ? {} : { fields: ['any'] }) },
  }),
];

/** Prices that a document sets one by one. No export has them: a price list has its own files and versions. */
export const prices: Section = {
  name: 'prices',
  noun: 'price',
  keys: ['list', 'prefix'],
  fields: { list: listName, prefix: digits, price: orNone(unitPrice) },
  settings: { price: orNone(unitPrice) },
  names: ['list', 'prefix'],
  itemOf: same,
  changed: same,
};

/** Makes the key of an object, which is unique in its section. */
export function keyOf({ keys }: Section, json: JsonItem): string {
  return writeJson(keys.map((each) => json[each] ?? null));
}

/** The name of an object in messages to the operator. */
export function labelOf({ noun, keys }: Section, json: JsonItem): string {
  const names = keys.flatMap((each) => {
    const value = json[each] ?? null;
    if (value === null || (each === 'kind' && value === 'number')) return [];
    return [value === '' ? '""' : typedText(value)];
  });
  return `${noun} ${names.join(' ')}`;
}
