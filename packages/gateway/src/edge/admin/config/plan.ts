import { hash } from 'node:crypto';
import { writeJson, type Json } from '@morsel/api/admin/exact-json.ts';
import { readValues } from '@morsel/api/admin/field.ts';
import { didYouMean } from '@morsel/api/values/nearest.ts';
import { illFormedIn } from '@morsel/api/admin/well-formed.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { Bound } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { sections, type Item, type Section } from './sections.ts';

/*
 * Reads the present settings, and finds the steps from there to the settings of a document. What a document does not name
 * stays: a section, a setting of an object and, without `prune`, an object.
 */

/** An object that exists: its fields in a file as JSON, and the row of the list. */
interface Present {
  readonly json: { readonly [field: string]: Json };
  readonly row: Item;
}

export interface Configuration {
  /** By section and by the text of the keys. */
  readonly of: ReadonlyMap<string, ReadonlyMap<string, Present>>;
  /** All of it, as a document. */
  readonly document: string;
  /** Of the document. */
  readonly digest: string;
}

export interface Step {
  readonly action: 'add' | 'change' | 'remove';
  readonly what: string;
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly bound: Bound;
  readonly input: Item;
  /** Where the document asks for the step. */
  readonly path: string;
}

/** What is wrong in a document. */
export interface Fault {
  /** The place in the document, such as `carriers[2].window`. */
  readonly field: string;
  readonly detail: string;
}

/** A refusal with all faults of a document. */
export function faulty(faults: readonly [Fault, ...Fault[]]): Result<never, Rejection<'invalid_parameter'>> {
  const [{ field, detail }] = faults;
  return refused({ code: 'invalid_parameter', field, detail, faults });
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly string[];
}

/** Reads all settings that a file has. */
export async function readConfiguration(needs: OperatorNeeds): Promise<Result<Configuration, Rejection>> {
  const of = new Map<string, ReadonlyMap<string, Present>>();
  for (const section of sections) {
    const rows = await rowsOf(needs, section);
    if (!rows.ok) return rows;
    const present = rows.value.map((row): [string, Present] => {
      const json = jsonOfRow(section, row);
      return [keyOf(section, json), { json, row }];
    });
    of.set(section.name, new Map(present.toSorted(([one], [other]) => (one < other ? -1 : 1))));
  }
  const lists = sections.map(({ name }) => [name, [...(of.get(name)?.values() ?? [])].map(({ json }) => json)]);
  const document = writeJson(Object.fromEntries(lists));
  return ok({ of, document, digest: hash('sha256', document).slice(0, 16) });
}

async function rowsOf(needs: OperatorNeeds, { list }: Section): Promise<Result<readonly Item[], Rejection>> {
  const rows: Item[] = [];
  for (let after: string | undefined; ;) {
    const read = readValues(list.operation.input, after === undefined ? {} : { after });
    if (!read.ok) throw new Error('the next page of a list is refused');
    const page = await list.handle(needs, read.value);
    if (!page.ok) return page;
    // The type of the handlers guarantees a page.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { items, next } = page.value as { readonly items: readonly Item[]; readonly next: string | null };
    rows.push(...items);
    if (next === null) return ok(rows);
    after = next;
  }
}

/** The fields of a row that a file has. A key without a value is left out, and so is a secret. */
function jsonOfRow({ fields, keys, itemOf }: Section, row: Item): Present['json'] {
  const item = itemOf(row);
  const entries = Object.entries(fields).flatMap(([name, field]): [string, Json][] => {
    const value = item[name];
    if (value === undefined || field.about.isSecret === true || (value === null && keys.includes(name))) return [];
    return [[name, value === null ? null : field.json(value)]];
  });
  return Object.fromEntries(entries);
}

function keyOf({ keys }: Section, json: { readonly [field: string]: Json }): string {
  return writeJson(keys.map((each) => json[each] ?? null));
}

/** Finds the steps that lead to the settings of a document. */
export function planOf(
  needs: Pick<OperatorNeeds, 'snapshot'>,
  now: Configuration,
  { wanted: given, prune }: { readonly wanted: Wanted; readonly prune: boolean },
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
      const steps = found
        ? stepsOfChange(section, item, { found, secrets: secretsOf(needs, section, item) })
        : stepOfNew(section, item);
      if (steps.ok) made.push(...steps.value);
      else faults.push(steps.error);
    }
    const others = [...present].filter(([key]) => !wanted.has(key)).map(([, each]) => each);
    if (prune) removed.unshift(...others.map((each) => stepOfRemoval(section, each, section.name)));
    else kept.push(...others.map(({ json }) => labelOf(section, json)));
  }
  return isSome(faults) ? faulty(faults) : ok({ steps: [...made, ...removed], kept });
}

/** An object of a document. */
interface WantedItem {
  /** Its place in the document. */
  readonly path: string;
  readonly values: Item;
  readonly json: { readonly [field: string]: Json };
}
export type Wanted = ReadonlyMap<string, ReadonlyMap<string, WantedItem>>;

function isSome<T>(list: readonly T[]): list is readonly [T, ...T[]] {
  return list.length > 0;
}

/** Reads a document. The fields of a rejection are paths, such as `carriers[2].window`. */
export function readDocument(document: unknown): Result<Wanted, Rejection> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return refused({ code: 'invalid_parameter', field: 'config', detail: 'must be an object with sections' });
  }
  const wanted = new Map<string, ReadonlyMap<string, WantedItem>>();
  const faults: Fault[] = [];
  const names = sections.map(({ name }) => name);
  for (const [name, items] of Object.entries(document)) {
    const section = sections.find((each) => each.name === name);
    if (!section) faults.push({ field: name, detail: `unknown section ${name}: a file may have ${names.join(', ')}` });
    else if (!Array.isArray(items)) faults.push({ field: name, detail: 'must be a list' });
    else wanted.set(name, readSection(section, items, faults));
  }
  return isSome(faults) ? faulty(faults) : ok(wanted);
}

function readSection(section: Section, items: readonly unknown[], faults: Fault[]): ReadonlyMap<string, WantedItem> {
  const wanted = new Map<string, WantedItem>();
  for (const [at, given] of items.entries()) {
    const read = readItem(section, given, `${section.name}[${at}]`);
    const key = read.ok ? keyOf(section, read.value.json) : '';
    if (!read.ok) faults.push(...read.error);
    else if (!wanted.has(key)) wanted.set(key, read.value);
    else faults.push({ field: read.value.path, detail: `${labelOf(section, read.value.json)} is in the file twice` });
  }
  return wanted;
}

function readItem({ fields, settings }: Section, given: unknown, path: string): Result<WantedItem, readonly Fault[]> {
  if (typeof given !== 'object' || given === null) return refused([{ field: path, detail: 'must have settings' }]);
  const members: Item = { ...given };
  const named = Object.keys(members);
  const faults = named
    .filter((each) => !Object.hasOwn(fields, each))
    .map((each) => ({
      field: `${path}.${each}`,
      detail: `unknown field ${each}${didYouMean(each, Object.keys(fields))}`,
    }));
  for (const [name, value] of Object.entries(members)) {
    if (illFormedIn({ [name]: value }) !== undefined) faults.push({ field: `${path}.${name}`, detail: halfPair });
  }
  const values: { [field: string]: unknown } = {};
  for (const [name, field] of Object.entries(fields)) {
    // Secrets may be missing, because an object that exists has them.
    const isFree = field.about.isSecret === true || Object.hasOwn(settings, name);
    if (isFree && !named.includes(name)) continue;
    const read = readValues({ [name]: field }, { [name]: members[name] });
    if (read.ok) values[name] = read.value[name];
    else if (read.error.detail === '') faults.push({ field: path, detail: `${name} is missing` });
    else faults.push({ field: `${path}.${name}`, detail: read.error.detail });
  }
  if (faults.length > 0) return refused(faults);
  const item = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return ok({ path, values: item, json: jsonOfWanted(fields, item) });
}

const halfPair = 'has half of a surrogate pair, which is no character';

function jsonOfWanted(fields: Section['fields'], values: Item): { readonly [field: string]: Json } {
  const entries = Object.entries(values).map(([name, value]): [string, Json] => [
    name,
    value === null ? null : fields[name]?.json(value),
  ]);
  return Object.fromEntries(entries);
}

function labelOf({ noun, keys }: Section, json: { readonly [field: string]: Json }): string {
  const names = keys.flatMap((each) => {
    const value = json[each] ?? null;
    if (value === null || (each === 'kind' && value === 'number')) return [];
    return [value === '' ? '""' : textOf(value)];
  });
  return `${noun} ${names.join(' ')}`;
}

function stepOfNew(section: Section, { path, values, json }: WantedItem): Result<Step[], Fault> {
  const lacks = Object.entries(section.fields).find(
    ([name, { about, need }]) => about.isSecret === true && need === 'must' && !Object.hasOwn(values, name),
  );
  if (lacks) {
    const [name] = lacks;
    const detail = `${name} of the new ${labelOf(section, json)} is missing: give it as !env NAME or !file PATH`;
    return refused({ field: path, detail });
  }
  const changes = Object.entries(json)
    .filter(([name]) => !section.keys.includes(name))
    .map(([field, value]) => ({ field, before: null, after: shown(section, field, value) }));
  return ok([{ action: 'add', what: labelOf(section, json), changes, bound: section.add, input: values, path }]);
}

function stepOfRemoval(section: Section, { json, row }: Present, path: string): Step {
  const input = section.namedBy(section.itemOf(row), row);
  return {
    action: 'remove',
    what: labelOf(section, json),
    changes: [],
    bound: section.remove,
    input: withoutNone(input),
    path,
  };
}

interface Existing {
  readonly found: Present;
  /** The present secrets that can be compared. */
  readonly secrets: Item;
}

function stepsOfChange(
  section: Section,
  { path, values, json }: WantedItem,
  { found, secrets }: Existing,
): Result<Step[], Fault> {
  const before: { readonly [field: string]: Json } = found.json;
  const differ = Object.keys(json).filter((name) => {
    if (section.keys.includes(name)) return false;
    if (section.fields[name]?.about.isSecret === true)
      return Object.hasOwn(secrets, name) && secrets[name] !== values[name];
    return writeJson(json[name]) !== writeJson(before[name] ?? (json[name] === false ? false : null));
  });
  if (differ.length === 0) return ok([]);
  const changes = differ.map((field) => ({
    field,
    before: shown(section, field, before[field]),
    after: shown(section, field, json[field]),
  }));
  const what = labelOf(section, json);
  if (!section.set) {
    const added: Step = { action: 'add', what, changes, bound: section.add, input: values, path };
    return ok([stepOfRemoval(section, found, path), added]);
  }
  const fixed = differ.find((each) => !Object.hasOwn(section.settings, each));
  if (fixed !== undefined) return refused({ field: `${path}.${fixed}`, detail: `${fixed} of ${what} cannot change` });
  const changed = section.changed(Object.fromEntries(differ.map((each) => [each, values[each]])));
  const input = { ...withoutNone(section.namedBy(values, found.row)), ...changed };
  return ok([{ action: 'change', what, changes, bound: section.set, input, path }]);
}

/** Only carriers have secrets that the gateway itself must know. */
function secretsOf({ snapshot }: Pick<OperatorNeeds, 'snapshot'>, { name }: Section, { values }: WantedItem): Item {
  if (name !== 'carriers') return {};
  const found = [...snapshot().carriers.values()].find((each) => each.name === values['name']);
  if (!found) return {};
  const { password, receiverPassword, tlsKey } = found;
  return { password, receiverPassword, tlsKey };
}

function shown({ fields }: Section, name: string, json: Json): string | null {
  if (fields[name]?.about.isSecret === true) return '(secret)';
  return json === undefined || json === null ? null : textOf(json);
}

function withoutNone(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== undefined));
}

function textOf(json: Json): string {
  if (Array.isArray(json)) return json.map(textOf).join(',');
  return typeof json === 'string' ? json : writeJson(json);
}
