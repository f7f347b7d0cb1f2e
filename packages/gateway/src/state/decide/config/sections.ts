import { settingsOf, type Resource } from '@morsel/api/admin/resource.ts';
import { typedText, type FieldTable } from '@morsel/api/admin/field.ts';
import { writeJson, type Json } from '@morsel/api/admin/exact-json.ts';
import { account } from '@morsel/api/admin/account/account.ts';
import { keyword } from '@morsel/api/admin/number/keyword.ts';
import { number } from '@morsel/api/admin/number/number.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { route } from '@morsel/api/admin/routing/route.ts';

/*
 * What a file of settings has: the sections, in the order in which they depend on each other. The fields of a section come
 * from the declarations of its resource, so that a new setting is in the file without another line.
 */

export type Item = { readonly [field: string]: unknown };
export type JsonItem = { readonly [field: string]: Json };

export interface Section {
  /** The member of the document. */
  readonly name: string;
  /** The resource, and one object of it in a plan, such as `carrier`. */
  readonly noun: string;
  /** The fields that name an object. Two objects with the same ones are the same. */
  readonly keys: readonly string[];
  /** All fields that an object may have in a file. */
  readonly fields: FieldTable;
  /** The fields that can change later. Undefined if an object is removed and added instead. */
  readonly settings: FieldTable | undefined;
  /** The fields that the operations which change or remove an object name it by. */
  readonly names: readonly string[];
  /** The fields of a row of the list, as the file has them. */
  readonly itemOf: (row: Item) => Item;
  /** The changed settings, as the operation `set` takes them. */
  readonly changed: (settings: Item) => Item;
}

type About = Pick<Section, 'keys'> &
  Partial<Pick<Section, 'itemOf' | 'changed'>> & {
    /** Fields of `add` that no file has, because they count only once, or are another way to say the same. */
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
    // A first empty line removes the fields of before.
    changed: ({ fields, ...changes }) =>
      Array.isArray(fields)
        ? { ...changes, fields: ['', ...fields] }
        : { ...changes, ...(fields === undefined ? {} : { fields: ['any'] }) },
  }),
];

/** Tells the objects of a section apart. */
export function keyOf({ keys }: Section, json: JsonItem): string {
  return writeJson(keys.map((each) => json[each] ?? null));
}

/** Names an object for the operator. */
export function labelOf({ noun, keys }: Section, json: JsonItem): string {
  const names = keys.flatMap((each) => {
    const value = json[each] ?? null;
    if (value === null || (each === 'kind' && value === 'number')) return [];
    return [value === '' ? '""' : typedText(value)];
  });
  return `${noun} ${names.join(' ')}`;
}
