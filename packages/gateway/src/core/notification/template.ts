/*
 * Templates: how a webhook's fields are renamed, left out and completed with constants, and how the body or query is
 * written.
 */

import { near } from '@morsel/api/values/nearest.ts';
import { fieldNames } from '@morsel/api/values/notification.ts';
import type { NotificationField } from './fields.ts';
import type { FieldName } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/**
 * A template: our fields under the receiver's names, and constants. If it names fields, only those are sent; otherwise
 * all are sent under our names.
 */
export interface Template {
  readonly fields: readonly { readonly name: string; readonly field: FieldName }[];
  /** Values may be keys, so they are never shown. */
  readonly constants: readonly { readonly name: string; readonly value: string }[];
}

/** The members in the order in which they are sent. */
export type TemplateContent = readonly Pick<Member, 'name' | 'value' | 'isText'>[];
interface Member extends Omit<NotificationField, 'name'> {
  readonly name: string;
}

const membersMax = 50;
const nameMax = 64;
const valueMax = 1_024;

/**
 * The members of a notification under a template. A sample is always marked, even if the template leaves the mark out.
 */
export function applyTemplate(template: Template | null, fields: readonly NotificationField[]): TemplateContent {
  if (template === null) return fields;
  const { constants } = template;
  const content: Member[] = [];
  if (template.fields.length === 0) content.push(...fields);
  for (const { name, field } of template.fields) {
    const found = fields.find((each) => each.name === field);
    if (found) content.push({ name, value: found.value, isText: found.isText });
  }
  const trial = fields.find(({ name }) => name === 'test');
  const isSaid = template.fields.length === 0 || namesOf(template).includes('test') || hasTest(template);
  if (trial && !isSaid) content.push(trial);
  for (const { name, value } of constants) content.push({ name, value, isText: true });
  return content;
}

function hasTest({ fields }: Template): boolean {
  return fields.some(({ field }) => field === 'test');
}

function namesOf({ fields, constants }: Template): string[] {
  return [...fields, ...constants].map(({ name }) => name);
}

/** Parses a template from two objects keyed by the receiver's names. A refusal repeats no value. */
export function parseTemplate(given: unknown): Result<Template | null, string> {
  const parts = parseParts(given);
  return parts.ok ? checkTemplate({ ...noTemplate, ...parts.value }) : parts;
}

export const noTemplate: Template = { fields: [], constants: [] };

/** Parses each of the two objects that is present. */
export function parseParts(given: unknown): Result<Partial<Template>, string> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refused('must be an object with "fields" and "constants", or any for all fields and no constants');
  }
  const strange = Object.keys(given).find((member) => member !== 'fields' && member !== 'constants');
  if (strange !== undefined) return refused('must have "fields" and "constants", and nothing else');
  const fields = readFields('fields' in given ? given.fields : undefined);
  if (!fields.ok) return fields;
  const constants = readMembers('constants' in given ? given.constants : undefined, 'constants');
  if (!constants.ok) return constants;
  return ok({
    ...(fields.value && { fields: fields.value }),
    ...(constants.value && { constants: constants.value }),
  });
}

/** A template without names is none. */
export function checkTemplate(template: Template): Result<Template | null, string> {
  const names = namesOf(template);
  if (names.length === 0) return ok(null);
  if (names.length > membersMax) return refused(`must name at most ${membersMax} members`);
  const both = template.constants.find(({ name }) => template.fields.some((field) => field.name === name));
  if (both) return refused(`${both.name} is there twice: as a field and as a constant`);
  // Without named fields all of ours are sent, and those names must not occur twice either.
  const known: readonly string[] = template.fields.length === 0 ? fieldNames : [];
  const ours = template.constants.find(({ name }) => known.includes(name));
  return ours
    ? refused(
        `${ours.name} is there twice: as a constant, and as one of our fields, which are all sent if none is named`,
      )
    : ok(template);
}

const allOrSome = 'any sends all fields, by our names; to send some, name at least one';

/**
 * The operator must say whether all fields are meant: an empty list does not. In the store it stands for all fields.
 */
export function reasonAgainstFields(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || !('fields' in given)) return undefined;
  const { fields } = given;
  const isEmpty = typeof fields === 'object' && fields !== null && Object.keys(fields).length === 0;
  return isEmpty ? `"fields" is empty: ${allOrSome}` : undefined;
}

function readFields(given: unknown): Result<Template['fields'] | undefined, string> {
  if (given === 'any') return ok([]);
  if (given === 'none') return refused(`none is not taken for "fields": ${allOrSome}`);
  const members = readMembers(given, 'fields');
  if (!members.ok) return members;
  if (!members.value) return ok(undefined);
  const named: { name: string; field: FieldName }[] = [];
  for (const { name, value } of members.value) {
    const field = fieldNames.find((each) => each === value);
    if (field === undefined) {
      const found = near(value, fieldNames);
      const known = found === undefined ? `fields are ${fieldNames.join(', ')}` : `did you mean ${found}?`;
      return refused(`${name} is given a field that there is not; ${known}`);
    }
    named.push({ name, field });
  }
  return ok(named);
}

type Members = readonly { readonly name: string; readonly value: string }[];

function readMembers(given: unknown, what: string): Result<Members | undefined, string> {
  if (given === undefined) return ok(undefined);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return refused(`"${what}" must be an object of names and texts`);
  }
  const members: { name: string; value: string }[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (name === '' || name.length > nameMax || /[\p{Cc}\p{Cs}]/u.test(name)) {
      return refused(`a name has 1 to ${nameMax} characters, without control characters`);
    }
    if (typeof value !== 'string' || value.length > valueMax || /\p{Cs}/u.test(value)) {
      return refused(`${name} must be a text of at most ${valueMax} characters`);
    }
    members.push({ name, value });
  }
  return ok(members);
}

/** The stored form, which `parseTemplate` reads. */
export function templateText({ fields, constants }: Template): string {
  return JSON.stringify({
    fields: Object.fromEntries(fields.map(({ name, field }) => [name, field])),
    constants: Object.fromEntries(constants.map(({ name, value }) => [name, value])),
  });
}

/** As JSON: texts are escaped, numbers stay exact. */
export function asJson(content: TemplateContent): string {
  const members = content.map(
    ({ name, value, isText }) => `${JSON.stringify(name)}:${isText ? JSON.stringify(value) : value}`,
  );
  return `{${members.join(',')}}`;
}

/** As a form or query (WHATWG URL, application/x-www-form-urlencoded). */
export function asForm(content: TemplateContent): string {
  const form = new URLSearchParams();
  for (const { name, value } of content) form.append(name, value);
  return form.toString();
}
