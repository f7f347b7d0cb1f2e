import { hash } from 'node:crypto';
import { writeJson, type Json } from '@morsel/api/fields/exact-json.ts';
import { typedText } from '@morsel/api/fields/field.ts';
import { unitPrice } from '@morsel/api/admin/money/price-fields.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { keyOf, labelOf, prices, sections, type Item, type JsonItem, type Section } from './sections.ts';

/*
 * Finds the steps from the present settings to those of a document. A document changes nothing that it does not name:
 * no section, no setting of an object and, without `prune`, no object. An object with `remove: true` is removed.
 */

/** An object that exists: its fields as JSON, as in a file, and its listed row, with comparable secrets. */
interface Present {
  readonly json: JsonItem;
  readonly row: Item;
}

export interface Configuration {
  /** The objects by section, and in a section by the text of their keys. */
  readonly of: ReadonlyMap<string, ReadonlyMap<string, Present>>;
  /** All present settings, as a document. */
  readonly document: string;
  /** The digest of `document`. */
  readonly digest: string;
}

/** An object of a document. */
export interface WantedItem {
  /** The place of the object in the document. */
  readonly path: string;
  readonly values: Item;
  readonly json: JsonItem;
  readonly isRemoved: boolean;
}
export type Wanted = ReadonlyMap<string, ReadonlyMap<string, WantedItem>>;

export interface Step {
  readonly action: 'add' | 'change' | 'remove';
  readonly what: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  /** The name of the operation, such as `carrier.add`. */
  readonly operation: string;
  readonly input: Item;
  /** The place in the document that asks for the step. */
  readonly path: string;
  /** What a document needs to undo the step: its section, and objects in it. */
  readonly undo: { readonly section: string; readonly items: readonly JsonItem[] };
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly string[];
}

/** What is wrong in a document. */
export interface Fault {
  /** The place in the document, such as `carriers[2].window`. */
  readonly field: string;
  readonly detail: string;
}

/** A refusal with all faults of a document. Undefined if there is none. */
export function faulty([first, ...others]: readonly Fault[]) {
  if (!first) return undefined;
  return refused<Rejection>({ code: 'invalid_parameter', ...first, faults: [first, ...others] });
}

/** Makes the present settings from the rows of each section. */
export function configurationOf(rowsOf: ReadonlyMap<Section, readonly Item[]>): Configuration {
  const of = new Map<string, ReadonlyMap<string, Present>>();
  for (const [section, rows] of rowsOf) {
    const present = rows.map((row): [string, Present] => {
      const json = jsonOfRow(section, row);
      return [keyOf(section, json), { json, row }];
    });
    of.set(section.name, new Map(present.toSorted(([one], [other]) => (one < other ? -1 : 1))));
  }
  const lists = [...of].map(([name, items]) => [name, [...items.values()].map(({ json }) => json)]);
  const document = writeJson(Object.fromEntries(lists));
  return { of, document, digest: hash('sha256', document).slice(0, 16) };
}

/** The fields of a row, as a file has them. A key field without a value is left out, and so are secrets. */
function jsonOfRow({ fields, keys, itemOf }: Section, row: Item): JsonItem {
  const item = itemOf(row);
  const entries = Object.entries(fields).flatMap(([name, field]): [string, Json][] => {
    const value = item[name];
    if (value === undefined || field.about.isSecret === true || (value === null && keys.includes(name))) return [];
    return [[name, value === null ? null : field.json(value)]];
  });
  return Object.fromEntries(entries);
}

/** The version of a price list that is in effect, and its own prices. Undefined for an unknown list. */
export type PricesOf = (list: string) => PresentPrices | undefined;
interface PresentPrices {
  readonly version: number;
  readonly priceOf: (prefix: string) => Micros | null;
}

/** Finds the steps that lead to the settings of a document. */
export function planOf(
  now: Configuration,
  { wanted: given, prune, pricesOf }: { readonly wanted: Wanted; readonly prune: boolean; readonly pricesOf: PricesOf },
): Result<Plan, Rejection> {
  const [made, removed]: [Step[], Step[]] = [[], []];
  const kept: string[] = [];
  const faults: Fault[] = [];
  for (const section of sections) {
    const wanted = given.get(section.name);
    if (!wanted) continue;
    const present = now.of.get(section.name) ?? new Map<string, Present>();
    for (const [key, item] of wanted) {
      const found = present.get(key);
      if (item.isRemoved) {
        if (found) removed.unshift(stepOfRemoval(section, found, item.path));
        continue;
      }
      const steps = found ? stepsOfChange(section, item, found) : stepOfNew(section, item);
      if (steps.ok) made.push(...steps.value);
      else faults.push(steps.error);
    }
    const others = [...present].filter(([key]) => !wanted.has(key)).map(([, each]) => each);
    if (prune) removed.unshift(...others.map((each) => stepOfRemoval(section, each, section.name)));
    else kept.push(...others.map(({ json }) => labelOf(section, json)));
  }
  made.push(...stepsOfPrices([...(given.get(prices.name)?.values() ?? [])], pricesOf));
  return faulty(faults) ?? ok({ steps: [...made, ...removed], kept });
}

function stepOfNew(section: Section, { path, values, json }: WantedItem): Result<Step[], Fault> {
  const what = labelOf(section, json);
  const lacks = Object.entries(section.fields).find(
    ([name, { about, need }]) => about.isSecret === true && need === 'must' && !Object.hasOwn(values, name),
  );
  if (lacks) {
    const detail = `${lacks[0]} of the new ${what} is missing: give it as !env NAME or !file PATH`;
    return refused({ field: path, detail });
  }
  const fields = Object.keys(json).filter((name) => !section.keys.includes(name));
  const changes = fields.map((field) => ({ field, before: null, after: shown(section, field, json[field]) }));
  const undo = { section: section.name, items: [removalOf(section, json)] };
  return ok([{ action: 'add', what, changes, operation: `${section.noun}.add`, input: values, path, undo }]);
}

/** The object of a document that removes an object. */
function removalOf({ keys }: Section, json: JsonItem): JsonItem {
  return { ...keysIn(keys, json), remove: true };
}

function keysIn(keys: readonly string[], json: JsonItem): JsonItem {
  return Object.fromEntries(keys.flatMap((each) => (json[each] === undefined ? [] : [[each, json[each]]])));
}

function stepOfRemoval(section: Section, { json, row }: Present, path: string): Step {
  const what = labelOf(section, json);
  const operation = `${section.noun}.remove`;
  const undo = { section: section.name, items: [json] };
  return { action: 'remove', what, changes: [], operation, input: namesOf(section, row), path, undo };
}

function stepsOfChange(section: Section, { path, values, json }: WantedItem, found: Present): Result<Step[], Fault> {
  const { json: before, row } = found;
  const differ = Object.keys(json).filter((name) => {
    if (section.keys.includes(name)) return false;
    if (isSecret(section, name)) return Object.hasOwn(row, name) && row[name] !== values[name];
    return writeJson(json[name]) !== writeJson(before[name] ?? (json[name] === false ? false : null));
  });
  if (differ.length === 0) return ok([]);
  const changes = differ.map((field) => ({
    field,
    before: shown(section, field, before[field]),
    after: shown(section, field, json[field]),
  }));
  const what = labelOf(section, json);
  const { settings } = section;
  if (!settings) {
    const operation = `${section.noun}.add`;
    const undo = { section: section.name, items: [] };
    const added: Step = { action: 'add', what, changes, operation, input: values, path, undo };
    return ok([stepOfRemoval(section, found, path), added]);
  }
  const fixed = differ.find((each) => !Object.hasOwn(settings, each));
  if (fixed !== undefined) return refused({ field: `${path}.${fixed}`, detail: `${fixed} of ${what} cannot change` });
  const changed = section.changed(Object.fromEntries(differ.map((each) => [each, values[each]])));
  const input = { ...namesOf(section, row), ...changed };
  const former = Object.fromEntries(
    differ.flatMap((each) => (isSecret(section, each) ? [] : [[each, before[each] ?? null]])),
  );
  const undo = { section: section.name, items: [{ ...keysIn(section.keys, before), ...former }] };
  return ok([{ action: 'change', what, changes, operation: `${section.noun}.set`, input, path, undo }]);
}

/** Prices of one list change in one step. It is refused if another version takes effect before its commit. */
function stepsOfPrices(wanted: readonly WantedItem[], pricesOf: PricesOf): Step[] {
  const steps: Step[] = [];
  for (const [list, items] of Map.groupBy(wanted, ({ values }) => String(values['list']))) {
    const present = pricesOf(list);
    const set: { prefix: string; price: unknown }[] = [];
    const changes: Step['changes'][number][] = [];
    const former: JsonItem[] = [];
    for (const { values, json, isRemoved } of items) {
      const prefix = String(values['prefix']);
      const price = isRemoved ? null : (values['price'] ?? null);
      const before = present?.priceOf(prefix) ?? null;
      if (before === price) continue;
      set.push({ prefix, price });
      const beforeJson = before === null ? null : unitPrice.json(before);
      changes.push({
        field: prefix,
        before: shown(prices, 'price', beforeJson),
        after: shown(prices, 'price', json['price']),
      });
      former.push({ list, prefix, price: beforeJson });
    }
    if (set.length === 0) continue;
    const input = { list, prices: set, from: present?.version };
    const undo = { section: prices.name, items: former };
    const path = items[0]?.path ?? prices.name;
    steps.push({ action: 'change', what: `price list ${list}`, changes, operation: 'price.set', input, path, undo });
  }
  return steps;
}

/** The document that undoes a plan. It needs no `prune`. */
export function undoOf({ steps }: Plan): string {
  const of = Map.groupBy(steps, ({ undo }) => undo.section);
  return writeJson(Object.fromEntries([...of].map(([name, its]) => [name, its.flatMap(({ undo }) => undo.items)])));
}

/** The fields that name the object in operations that change or remove it: its keys, or its own name or number. */
function namesOf({ noun, names, itemOf }: Section, row: Item): Item {
  const item: Item = { [noun]: row['name'] ?? row['id'], ...itemOf(row) };
  return Object.fromEntries(
    names.flatMap((each) => (item[each] === null || item[each] === undefined ? [] : [[each, item[each]]])),
  );
}

function shown(section: Section, name: string, json: Json): string | null {
  if (isSecret(section, name)) return '(secret)';
  return json === undefined || json === null ? null : typedText(json);
}

function isSecret({ fields }: Section, name: string): boolean {
  return fields[name]?.about.isSecret === true;
}

/** A refused step of a file, with the reason. */
export interface StepRefused {
  readonly step: Step;
  readonly rejection: Rejection;
}

/** The place of a refused step in the document. */
export function faultOf(refusal: StepRefused): Fault {
  const { step, rejection } = refusal;
  const reason = inStep(refusal);
  const detail = 'detail' in reason && reason.detail !== undefined ? reason.detail : reason.code;
  const { path, input } = step;
  const isInItem = rejection.code === 'invalid_parameter' && Object.hasOwn(input, rejection.field);
  return { field: isInItem ? `${path}.${rejection.field}` : path, detail };
}

/** The rejection of a step, with the name of the step. */
export function inStep({ step, rejection }: StepRefused): Rejection {
  const what = `${step.action} ${step.what}`;
  if (rejection.code === 'missing_parameter') {
    return { code: 'conflict', detail: `${what}: ${rejection.field} is missing` };
  }
  if ('detail' in rejection && rejection.detail !== undefined && rejection.code !== 'unavailable') {
    return { code: 'conflict', detail: `${what}: ${rejection.detail}` };
  }
  return rejection;
}
