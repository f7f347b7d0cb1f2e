import type { webhook } from '@morsel/api/admin/notification/webhook.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { fieldNames } from '@morsel/api/values/notification.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { tooWideFor } from '../../core/notification/outward-address.ts';
import { emptied, parseTemplateChange } from '../../core/notification/template-change.ts';
import type { TemplateChange } from '../../core/notification/template-change.ts';
import { keywordOf } from '../../core/number/keyword.ts';
import { parseOwnedNumber } from '../../core/number/owned-number.ts';
import type { SetWebhook } from '../../store/commands/webhook.ts';
import { invalid } from '../fields.ts';

/* Checks of webhooks that the declaration cannot make: rules over several fields, and templates. */

type Given = Omit<InputOf<typeof webhook.operations.set>, 'webhook'>;
type Settings = SetWebhook['settings'];

/** A longer text is no keyword. */
const keywordTextMax = 64;

/** The settings in a request; undefined members are absent. */
export function webhookSettingsOf({ url, method, on, concurrency, ...given }: Given): Result<Settings, Rejection> {
  const tooWide = given.allow?.find((range) => tooWideFor(range) !== undefined);
  if (tooWide) return invalid('allow', tooWideText(tooWide));
  const number = numberOf(given);
  if (!number.ok) return number;
  const { keyword: word } = given;
  const keyword = typeof word === 'string' ? keywordIn(word) : word;
  if (typeof word === 'string' && keyword === null) return invalid('keyword', 'must be one word of letters and digits');
  const all = { url, method, kinds: on, number: number.value, keyword, concurrency, allowed: given.allow };
  return ok(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
}

function tooWideText(range: AddressRange): string {
  const inside = tooWideFor(range);
  return `${range.text} has the whole of ${inside} in it, and more: give the very network that it leads to, such as 10.1.0.0/16; public addresses need none`;
}

function keywordIn(text: string): string | null {
  return text.length <= keywordTextMax && !/\s/.test(text) ? keywordOf(text) : null;
}

/** Undefined if the request does not say; null for every number. */
function numberOf({ number, prefix }: Pick<Given, 'number' | 'prefix'>): Result<Settings['number'], Rejection> {
  if (typeof number === 'string' && typeof prefix === 'string') {
    return invalid('prefix', 'a webhook is for a number or for a prefix');
  }
  const kind = typeof prefix === 'string' ? 'prefix' : 'number';
  const text = prefix ?? number;
  if (typeof text !== 'string') return ok(number === undefined && prefix === undefined ? undefined : null);
  const owned = parseOwnedNumber(text, kind);
  return owned.ok ? ok({ kind, digits: owned.value.digits }) : invalid(kind, owned.error);
}

type GivenTemplate = Pick<Given, 'template' | 'fields' | 'constants' | 'without'>;

/** The change of a webhook's template; undefined if the request has none. */
export function templateChangeOf(given: GivenTemplate): Result<TemplateChange | undefined, Rejection> {
  const { template, fields, constants, without } = given;
  const isInLines = fields !== undefined || constants !== undefined || without !== undefined;
  if (template !== undefined && isInLines) {
    return invalid('template', 'a template is given in one way: as one object, or by its fields and constants');
  }
  if (template === null || template === 'any') return ok(emptied);
  if (template === undefined && !isInLines) return ok(undefined);
  const change = isInLines ? objectOf(given) : ok(template);
  if (!change.ok) return change;
  const read = parseTemplateChange(change.value);
  return read.ok ? read : invalid(templateFieldOf(given), read.error);
}

/** The field of a request that its refused template came in: the only one of its lines, if it has lines of one kind. */
export function templateFieldOf({ fields, constants, without }: GivenTemplate): string {
  const inLines = Object.entries({ fields, constants, without }).filter(([, lines]) => lines !== undefined);
  const [[field] = ['template']] = inLines;
  return inLines.length === 1 ? field : 'template';
}

/** Lines as the equal object. */
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
  /** `any`: all fields, by our names. */
  readonly pairs: { readonly [name: string]: string } | 'any';
  /** The request gives all fields. */
  readonly isInstead: boolean;
}

function fieldsIn(lines: readonly string[]): Result<Pairs, Rejection> {
  const named = lines.filter((each) => each !== '');
  if (named.length === 0 || named.includes('none')) {
    return invalid('fields', 'any sends all fields; to send some alone, give "" and then each of them, as from=sender');
  }
  if (!named.includes('any')) return pairsIn(lines, 'fields');
  return named.length === 1
    ? ok({ pairs: 'any', isInstead: true })
    : invalid('fields', 'any stands alone, because it sends all fields');
}

/** Names, each with its meaning. A field alone keeps its name. A refusal never repeats the value of a constant. */
function pairsIn(lines: readonly string[], field: 'fields' | 'constants'): Result<Pairs, Rejection> {
  const isInstead = lines.length === 0 || lines[0] === '' || lines[0] === 'none';
  const pairs = new Map<string, string>();
  for (const line of isInstead ? lines.slice(1) : lines) {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(line) ?? [];
    if (line === 'none') return invalid(field, 'none comes once and first, before those that are to be all there are');
    if (name === '' || (value === undefined && field === 'constants')) {
      return invalid(field, 'must be a name, =, and what it stands for');
    }
    if (value === undefined && !fieldNames.some((each) => each === name)) {
      const known = `fields are ${fieldNames.join(', ')}`;
      return invalid(field, `${name} is none of our fields; give theirs=ours, such as from=sender: ${known}`);
    }
    if (pairs.has(name)) return invalid(field, `${name} is there twice`);
    pairs.set(name, value ?? name);
  }
  return ok({ pairs: Object.fromEntries(pairs), isInstead });
}
