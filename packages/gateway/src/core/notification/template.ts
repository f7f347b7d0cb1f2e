/* A template of a webhook renames fields, leaves fields out and adds constants. */

import { near } from '@morsel/api/values/nearest.ts';
import { fieldNames, type FieldName } from '@morsel/api/shapes.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';

/** If a template names no fields, all fields are sent under the gateway's names. */
export interface Template {
  readonly fields: readonly { readonly name: string; readonly field: FieldName }[];
  /** Values of constants may be secret keys, so they are never shown. */
  readonly constants: readonly { readonly name: string; readonly value: string }[];
}

const membersMax = 50;
const nameMax = 64;
const valueMax = 1_024;

function namesOf({ fields, constants }: Template): string[] {
  return [...fields, ...constants].map(({ name }) => name);
}

export const noTemplate: Template = { fields: [], constants: [] };

/** Parses a template that may lack `fields` or `constants`. An error repeats no value, because values may be secret. */
export function parseParts(given: unknown): Result<Partial<Template>, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refused('must be an object with "fields" and "constants", or any for all fields and no constants');
  }
  const strange = Object.keys(given).find((member) => member !== 'fields' && member !== 'constants');
  if (strange !== undefined) return refused('may have only "fields" and "constants"');
  const fields = readFields('fields' in given ? given.fields : undefined);
  if (!fields.ok) return fields;
  const constants = readMembers('constants' in given ? given.constants : undefined, 'constants');
  if (!constants.ok) return constants;
  return ok({
    ...(fields.value && { fields: fields.value }),
    ...(constants.value && { constants: constants.value }),
  });
}

/** A template without fields and constants becomes null. */
export function checkTemplate(template: Template): Result<Template | null, string> {
  const names = namesOf(template);
  if (names.length === 0) return ok(null);
  if (names.length > membersMax) return refused(`must have at most ${membersMax} fields and constants together`);
  const both = template.constants.find(({ name }) => template.fields.some((field) => field.name === name));
  if (both) return refused(`${both.name} names both a field and a constant: rename one of them`);
  // If the template names no fields, all fields are sent, so a constant must not have the name of a field.
  const known: readonly string[] = template.fields.length === 0 ? fieldNames : [];
  const ours = template.constants.find(({ name }) => known.includes(name));
  return ours
    ? refused(
        `the constant ${ours.name} has the name of a field, and all fields are sent: rename the constant, or name the fields to send`,
      )
    : ok(template);
}

const allOrSome = 'any sends all fields under their own names; to send only some fields, name at least one';

/**
 * Refuses an empty object `fields`: the operator must write `any` for all fields. In the store, empty means all fields.
 */
export function reasonAgainstFields(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || !('fields' in given)) return undefined;
  const { fields } = given;
  const isEmpty = typeof fields === 'object' && fields !== null && Object.keys(fields).length === 0;
  return isEmpty ? `"fields" is empty: ${allOrSome}` : undefined;
}

function readFields(given: unknown): Result<Template['fields'] | undefined, string> {
  if (given === 'any') return ok([]);
  if (given === 'none') return refused(`"fields" cannot be none: ${allOrSome}`);
  const members = readMembers(given, 'fields');
  if (!members.ok) return members;
  if (!members.value) return ok(undefined);
  const named: { name: string; field: FieldName }[] = [];
  for (const { name, value } of members.value) {
    const field = fieldNames.find((each) => each === value);
    if (field === undefined) {
      const found = near(value, fieldNames);
      const known = found === undefined ? `fields are ${fieldNames.join(', ')}` : `did you mean ${found}?`;
      return refused(`${name} names an unknown field; ${known}`);
    }
    named.push({ name, field });
  }
  return ok(named);
}

type Members = readonly { readonly name: string; readonly value: string }[];

function readMembers(given: unknown, what: string): Result<Members | undefined, string> {
  if (given === undefined) return ok(undefined);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refused(`"${what}" must be an object whose members are texts`);
  }
  const members: { name: string; value: string }[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (name === '' || name.length > nameMax || /[\p{Cc}\p{Cs}]/u.test(name)) {
      return refused(`a name must have 1 to ${nameMax} characters and no control characters`);
    }
    if (typeof value !== 'string' || value.length > valueMax || /\p{Cs}/u.test(value)) {
      return refused(`${name} must be a text of at most ${valueMax} characters`);
    }
    members.push({ name, value });
  }
  return ok(members);
}
