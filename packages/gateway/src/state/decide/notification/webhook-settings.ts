/* Reads a webhook's settings in a request, and checks its template and rules about several fields. */

import type { webhook } from '@morsel/api/admin/notification/webhook.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { fieldNames } from '@morsel/api/shapes.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import type { Template } from '../../../core/notification/template.ts';
import {
  changeTemplate,
  emptied,
  parseTemplateChange,
  type TemplateChange,
} from '../../../core/notification/template-change.ts';
import type { Webhook } from '../../../core/notification/webhook.ts';
import { keywordOf } from '../../../core/number/keyword.ts';
import { present } from '../decided.ts';
import { checkRanges } from './allowed-ranges.ts';

/** What the operator sets on a webhook, without its template. */
export type WebhookSettings = Omit<Webhook, 'id' | 'account' | 'status' | 'secrets' | 'template'>;
/** The number or prefix in a request; undefined if it has none, and null for every number. */
export type ReadWebhookNumber = Result<WebhookSettings['number'] | undefined, Rejection>;

type Given = Omit<InputOf<typeof webhook.operations.set>, 'webhook'>;

/** The most characters of a keyword. */
const keywordTextMax = 64;

/** Reads the settings in a request. Settings that were not given are absent. */
export function webhookSettingsOf(
  { url, method, on: kinds, concurrency, allow: allowed, keyword: word }: Given,
  number: ReadWebhookNumber,
): Result<Partial<WebhookSettings>, Rejection> {
  const narrow = checkRanges(allowed ?? []);
  if (!narrow.ok) return narrow;
  if (!number.ok) return number;
  const keyword = typeof word === 'string' ? keywordIn(word) : word;
  if (typeof word === 'string' && keyword === null) return invalid('keyword', 'must be one word of letters and digits');
  return ok(present({ url, method, kinds, number: number.value, keyword, concurrency, allowed }));
}

function keywordIn(text: string): string | null {
  return text.length <= keywordTextMax && !/\s/.test(text) ? keywordOf(text) : null;
}

type GivenTemplate = Pick<Given, 'template' | 'fields' | 'constants' | 'without'>;

/** The template after a change. Undefined if the request does not change the template. */
export function changedTemplate(
  before: Template | null,
  given: GivenTemplate,
  change: TemplateChange | undefined,
): Result<Template | null | undefined, Rejection> {
  if (!change) return ok(undefined);
  const changed = changeTemplate(before, change);
  return changed.ok ? changed : invalid(templateFieldOf(given), changed.error);
}

/** Reads the change of a webhook's template. Undefined if the request does not change the template. */
export function templateChangeOf(given: GivenTemplate): Result<TemplateChange | undefined, Rejection> {
  const { template, fields, constants, without } = given;
  const isInLines = fields !== undefined || constants !== undefined || without !== undefined;
  if (template !== undefined && isInLines) {
    return invalid(
      'template',
      'must not be combined with fields, constants or without: give the template in one of these two ways',
    );
  }
  if (template === null || template === 'any') return ok(emptied);
  if (template === undefined && !isInLines) return ok(undefined);
  const change = isInLines ? objectOf(given) : ok(template);
  if (!change.ok) return change;
  const read = parseTemplateChange(change.value);
  return read.ok ? read : invalid(templateFieldOf(given), read.error);
}

/**
 * The field to name if a template is refused: `fields`, `constants` or `without` if the request has only one of them,
 * or else `template`.
 */
function templateFieldOf({ fields, constants, without }: GivenTemplate): string {
  const inLines = Object.entries({ fields, constants, without }).filter(([, lines]) => lines !== undefined);
  const [[field] = ['template']] = inLines;
  return inLines.length === 1 ? field : 'template';
}

/** Turns the lines of `fields`, `constants` and `without` into the change object with the same meaning. */
function objectOf({ fields, constants, without = [] }: GivenTemplate): Result<object, Rejection> {
  const given = fields && fieldsIn(fields);
  if (given?.ok === false) return given;
  const always = constants && pairsIn(constants, 'constants');
  if (always?.ok === false) return always;
  const parts = Object.entries({ fields: given?.value, constants: always?.value });
  const partsThat = (isInstead: boolean) =>
    Object.fromEntries(parts.flatMap(([part, each]) => (each?.isInstead === isInstead ? [[part, each.pairs]] : [])));
  return ok({ ...partsThat(true), add: partsThat(false), without });
}

interface Pairs {
  /** Names with their values. `any` means all fields, with Morsel's names. */
  readonly pairs: { readonly [name: string]: string } | 'any';
  /** Whether these pairs replace all former pairs, and do not only add to them. */
  readonly isInstead: boolean;
}

function fieldsIn(lines: readonly string[]): Result<Pairs, Rejection> {
  const named = lines.filter((each) => each !== '');
  if (named.length === 0 || named.includes('none')) {
    return invalid('fields', 'must be any for all fields, or "" and then each field to send, such as from=sender');
  }
  if (!named.includes('any')) return pairsIn(lines, 'fields');
  return named.length === 1
    ? ok({ pairs: 'any', isInstead: true })
    : invalid('fields', 'must have no other lines beside any, because any sends all fields');
}

/**
 * Reads lines of the form name=value. A line with only a field keeps the name of that field. Errors never quote the
 * value of a constant.
 */
function pairsIn(lines: readonly string[], field: 'fields' | 'constants'): Result<Pairs, Rejection> {
  const isInstead = lines.length === 0 || lines[0] === '' || lines[0] === 'none';
  const pairs = new Map<string, string>();
  for (const line of isInstead ? lines.slice(1) : lines) {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(line) ?? [];
    if (line === 'none')
      return invalid(field, 'must have none only as the first line, before the lines that replace all others');
    if (name === '' || (value === undefined && field === 'constants')) {
      return invalid(field, 'must have lines of the form name=value');
    }
    if (value === undefined && !fieldNames.some((each) => each === name)) {
      const known = `fields are ${fieldNames.join(', ')}`;
      return invalid(
        field,
        `${name} is not a field of Morsel; give lines of the form name=field, such as from=sender: ${known}`,
      );
    }
    if (pairs.has(name)) return invalid(field, `${name} is given twice`);
    pairs.set(name, value ?? name);
  }
  return ok({ pairs: Object.fromEntries(pairs), isInstead });
}
