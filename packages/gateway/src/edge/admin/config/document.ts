import { readValues } from '@morsel/api/fields/field.ts';
import { didYouMean } from '@morsel/api/values/nearest.ts';
import { illFormedIn } from '@morsel/api/admin/well-formed.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { faulty, type Fault, type Wanted, type WantedItem } from '../../../state/decide/config/plan.ts';
import { keyOf, labelOf, prices, sections, type Item, type Section } from '../../../state/decide/config/sections.ts';

/* Reads a document of settings: checks that it has known sections, and that their objects have the declared fields. */

/** Reads a document of settings. A rejection names a field by its path, such as `carriers[2].window`. */
export function readDocument(document: unknown): Result<Wanted, Rejection> {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return refused({ code: 'invalid_parameter', field: 'config', detail: 'must be an object with sections' });
  }
  const wanted = new Map<string, ReadonlyMap<string, WantedItem>>();
  const faults: Fault[] = [];
  const known = [...sections, prices];
  const names = known.map(({ name }) => name);
  for (const [name, items] of Object.entries(document)) {
    const section = known.find((each) => each.name === name);
    if (!section) faults.push({ field: name, detail: `unknown section ${name}: a file may have ${names.join(', ')}` });
    else if (!Array.isArray(items)) faults.push({ field: name, detail: 'must be a list' });
    else wanted.set(name, readSection(section, items, faults));
  }
  return faulty(faults) ?? ok(wanted);
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

/** Reads an object of a section. With `remove: true` it has only the fields that name it. */
function readItem(
  { fields: all, keys, settings }: Section,
  given: unknown,
  path: string,
): Result<WantedItem, readonly Fault[]> {
  if (typeof given !== 'object' || given === null) return refused([{ field: path, detail: 'must have settings' }]);
  const { remove, ...members }: Item = { ...given };
  if (remove !== undefined && remove !== true) return refused([{ field: `${path}.remove`, detail: 'must be true' }]);
  const isRemoved = remove === true;
  const isField = ([name]: readonly [string, unknown]) => !isRemoved || keys.includes(name);
  const fields = Object.fromEntries(Object.entries(all).filter(isField));
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
    // A secret may be missing in the document, because an object that exists already has its secret.
    const isFree = field.about.isSecret === true || Object.hasOwn(settings ?? {}, name);
    if (isFree && !named.includes(name)) continue;
    const read = readValues({ [name]: field }, { [name]: members[name] });
    if (read.ok) values[name] = read.value[name];
    else if (read.error.detail === '') faults.push({ field: path, detail: `${name} is missing` });
    else faults.push({ field: `${path}.${name}`, detail: read.error.detail });
  }
  if (faults.length > 0) return refused(faults);
  const item = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const json = Object.entries(item).map(([name, value]) => [name, value === null ? null : fields[name]?.json(value)]);
  return ok({ path, values: item, json: Object.fromEntries(json), isRemoved });
}

const halfPair = 'has half of a surrogate pair, which is no character';
