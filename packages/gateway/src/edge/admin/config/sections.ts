import { settingsOf, type Operation, type Resource } from '@morsel/api/admin/resource.ts';
import type { Field, FieldTable } from '@morsel/api/admin/field.ts';
import { account } from '@morsel/api/admin/account/account.ts';
import { keyword } from '@morsel/api/admin/number/keyword.ts';
import { number } from '@morsel/api/admin/number/number.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { route } from '@morsel/api/admin/routing/route.ts';
import type { OperationName } from '@morsel/api/admin/resources.ts';
import type { Bound } from '../bind.ts';
import { direct } from '../direct.ts';
import { accountHandlers } from '../resources/account/account.ts';
import { keywordHandlers, numberHandlers } from '../resources/number/number.ts';
import { webhookHandlers } from '../resources/notification/webhook.ts';
import { carrierHandlers } from '../resources/routing/carrier.ts';
import { routeHandlers } from '../resources/routing/route.ts';

/*
 * What a file of settings has: the sections, in the order in which they depend on each other. The fields of a section come
 * from the declarations of its resource, so that a new setting is in the file without another line.
 */

export type Item = { readonly [field: string]: unknown };

export interface Section {
  /** The member of the document. */
  readonly name: string;
  /** One object of it in a plan, such as `carrier`. */
  readonly noun: string;
  /** The fields that name an object. Two objects with the same ones are the same. */
  readonly keys: readonly string[];
  /** All fields that an object may have in a file. */
  readonly fields: FieldTable;
  /** The fields that can change later. */
  readonly settings: FieldTable;
  readonly list: Bound;
  readonly add: Bound;
  /** Undefined if an object is removed and added instead. */
  readonly set: Bound | undefined;
  readonly remove: Bound;
  /** The fields of a row of the list, as the file has them. */
  readonly itemOf: (row: Item) => Item;
  /** What the operations that change or remove an object name it by. */
  readonly namedBy: (item: Item, row: Item) => Item;
  /** The changed settings, as the operation `set` takes them. */
  readonly changed: (settings: Item) => Item;
}

interface About {
  readonly resource: Resource;
  readonly handlers: { readonly [operation: string]: unknown };
  readonly keys: readonly string[];
  /** Fields of `add` that no file has, because they count only once, or are another way to say the same. */
  readonly without?: readonly string[];
  readonly itemOf?: (row: Item) => Item;
  readonly namedBy?: (item: Item, row: Item) => Item;
  readonly changed?: (settings: Item) => Item;
}

function section(name: string, { resource, handlers, keys, without = [], ...more }: About): Section {
  const bound = (verb: string): Bound | undefined => {
    const operation: Operation | undefined = resource.operations[verb];
    // The handlers of a resource have the names of its operations.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const [own, full] = [handlers[verb] as Bound['handle'] | undefined, `${resource.name}.${verb}` as OperationName];
    return operation && { name: full, operation, handle: own ?? direct(full) };
  };
  const must = (verb: string): Bound => {
    const found = bound(verb);
    if (!found) throw new Error(`${resource.name} has no operation ${verb}`);
    return found;
  };
  const [add, set] = [must('add'), bound('set')];
  const fields: [string, Field<unknown>][] = Object.entries(add.operation.input).filter(
    ([each]) => !without.includes(each),
  );
  const isIn = ([each]: readonly [string, unknown]) => fields.some(([one]) => one === each) && !keys.includes(each);
  const settings = set ? Object.fromEntries(Object.entries(settingsOf(set.operation)).filter(isIn)) : {};
  return {
    name,
    noun: resource.name,
    keys,
    fields: Object.fromEntries(fields),
    settings,
    list: must('list'),
    add,
    set,
    remove: must('remove'),
    itemOf: more.itemOf ?? ((row) => row),
    namedBy: more.namedBy ?? ((item) => Object.fromEntries(keys.map((each) => [each, item[each]]))),
    changed: more.changed ?? ((changes) => changes),
  };
}

export const sections: readonly Section[] = [
  section('carriers', {
    resource: carrier,
    handlers: carrierHandlers,
    keys: ['name'],
    without: ['preset'],
    itemOf: (row) => ({ ...row, ...Object(row['profile']) }),
    namedBy: ({ name }) => ({ carrier: name }),
  }),
  section('accounts', {
    resource: account,
    handlers: accountHandlers,
    keys: ['name'],
    without: ['balance'],
    namedBy: ({ name }) => ({ account: name }),
  }),
  section('routes', {
    resource: route,
    handlers: routeHandlers,
    keys: ['prefix', 'sender', 'account', 'encoding', 'carrier'],
  }),
  section('numbers', {
    resource: number,
    handlers: numberHandlers,
    keys: ['number', 'kind'],
    itemOf: (row) => (row['account'] === null ? { ...row, account: undefined, shared: true } : row),
  }),
  section('keywords', { resource: keyword, handlers: keywordHandlers, keys: ['number', 'kind', 'word'] }),
  section('webhooks', {
    resource: webhook,
    handlers: webhookHandlers,
    keys: ['account', 'url', 'number', 'prefix', 'keyword'],
    without: ['template', 'constants'],
    itemOf: (row) => (row['fields'] === 'any' ? { ...row, fields: undefined } : row),
    namedBy: (_item, { id }) => ({ webhook: id }),
    // A first empty line removes the fields of before.
    changed: ({ fields, ...changes }) =>
      Array.isArray(fields)
        ? { ...changes, fields: ['', ...fields] }
        : { ...changes, ...(fields === undefined ? {} : { fields: ['any'] }) },
  }),
];
