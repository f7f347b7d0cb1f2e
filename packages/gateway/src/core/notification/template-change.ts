import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { checkTemplate, noTemplate, parseParts, reasonAgainstFields, type Template } from './template.ts';

export interface TemplateChange {
  /** Replaces the existing fields. */
  readonly fields?: Template['fields'];
  readonly constants?: Template['constants'];
  /** Members that are added, or that replace members of the same name. */
  readonly add: Template;
  readonly without: readonly string[];
}

/** A change that leaves neither fields nor constants. */
export const emptied: TemplateChange = { ...noTemplate, add: noTemplate, without: [] };

/** An error repeats no value, because values may be secret. */
export function parseTemplateChange(given: unknown): Result<TemplateChange, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refused(wanted);
  const { add: added = {}, without = [], ...instead }: { add?: unknown; without?: unknown } = given;
  if (Object.keys(instead).some((member) => member !== 'fields' && member !== 'constants')) return refused(wanted);
  if (!isNames(without)) return refused('"without" must be a list of names');
  const reason = reasonAgainstFields(instead);
  if (reason !== undefined) return refused(reason);
  const parts = parseParts(instead);
  if (!parts.ok) return parts;
  const add = parseParts(added);
  if (add.ok && parts.value.fields?.length === 0 && (add.value.fields ?? []).length > 0) {
    return refused('any sends all fields: do not add more fields');
  }
  return add.ok ? ok({ ...parts.value, add: { ...noTemplate, ...add.value }, without }) : add;
}

const wanted = 'may have only "fields", "constants", "add" (with "fields" and "constants") and "without"';

function isNames(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((each) => typeof each === 'string');
}

/** Null if the template has no fields and no constants. */
export function changeTemplate(before: Template | null, change: TemplateChange): Result<Template | null, string> {
  const { fields, constants } = before ?? noTemplate;
  const changed = {
    fields: merged(change.fields ?? fields, change.add.fields),
    constants: merged(change.constants ?? constants, change.add.constants),
  };
  const names = [...changed.fields, ...changed.constants].map(({ name }) => name);
  const missing = change.without.find((name) => !names.includes(name));
  if (missing !== undefined) return refused(`the template has no field and no constant named ${missing}`);
  const isLeft = ({ name }: { readonly name: string }) => !change.without.includes(name);
  return checkTemplate({ fields: changed.fields.filter(isLeft), constants: changed.constants.filter(isLeft) });
}

/** Existing members keep their order, and new members come last. */
function merged<T extends { readonly name: string }>(present: readonly T[], added: readonly T[]): readonly T[] {
  return [...new Map([...present, ...added].map((each) => [each.name, each])).values()];
}
