import { list } from '@morsel/api/admin/compose.ts';
import { network } from '@morsel/api/admin/fields.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { keywordOf } from '../../core/number/keyword.ts';
import { notificationKinds, webhookMethods } from '@morsel/api/values/notification.ts';
import type { NotificationKind } from '@morsel/api/values/notification.ts';
import { tooWideFor } from '../../core/notification/outward-address.ts';
import { parseOwnedNumber } from '../../core/number/owned-number.ts';
import type { NumberKind } from '@morsel/api/values/number.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { emptied, parseTemplateChange } from '../../core/notification/template-change.ts';
import type { TemplateChange } from '../../core/notification/template-change.ts';
import type { WebhookMatch } from '../../core/notification/webhook.ts';
import { keyOfSecret } from '../../core/notification/signature.ts';
import { parseTemplate, reasonAgainstFields } from '../../core/notification/template.ts';
import type { Template } from '../../core/notification/template.ts';
import type { SetWebhook, WebhookSettings } from '../../store/commands/webhook.ts';
import { anyText, invalid, name, oneOf, optional, orAny, readFields, wholeNumber } from '../fields.ts';
import type { Field, Fields } from '../fields.ts';

/* What the operator says of a webhook. */

const concurrencyDefault = 64;
const concurrencyMax = 1_000;
const idMax = 1_000_000_000;
const keywordTextMax = 64;

/** A webhook by its number. */
export const webhookId = wholeNumber(1, idMax);

const kinds: Field<readonly NotificationKind[]> = {
  parse: (text) => {
    const words = text.split(',').map((word) => word.trim());
    const known = notificationKinds.filter((kind) => words.includes(kind));
    return words.every((word) => known.some((kind) => kind === word))
      ? ok(known)
      : refused(`it has to be some of ${notificationKinds.join(', ')}, with commas between them`);
  },
};

const keyword: Field<string> = {
  parse: (text) => {
    const word = text.length <= keywordTextMax && !/\s/.test(text) ? keywordOf(text) : null;
    return word === null ? refused('it has to be one word of letters and digits') : ok(word);
  },
};

/** A secret that somebody else made. The reason of a refusal never repeats it. */
export const secretField: Field<string> = {
  parse: (text) => {
    const key = keyOfSecret(text);
    return key.ok ? ok(text) : key;
  },
};

const addresses = list(network({ summary: 'an address' }), { summary: 'addresses' });

/** Networks of the operator's own, each said by itself. */
const networks: Field<readonly AddressRange[]> = {
  parse: (text) => {
    if (text === 'none' || text === 'any') {
      return refused(
        `${text} is not taken here: name each network of your own, or give an empty list ("") for public addresses alone`,
      );
    }
    const read = addresses.read(text);
    if (!read.ok) return read;
    for (const range of read.value) {
      const inside = tooWideFor(range);
      if (inside === undefined) continue;
      return refused(
        `${range.text} has the whole of ${inside} in it, and more: give the very network that it leads to, such as 10.1.0.0/16; public addresses need none`,
      );
    }
    return read;
  },
};

const concurrency = wholeNumber(1, concurrencyMax);
const settingFields = {
  url: anyText,
  method: oneOf(webhookMethods),
  on: kinds,
  number: orAny(anyText),
  prefix: orAny(anyText),
  keyword: orAny(keyword),
  concurrency,
  allow: networks,
};

const newFields = {
  account: name,
  url: settingFields.url,
  method: optional(settingFields.method, 'post-json' as const),
  on: optional(settingFields.on, ['inbound'] as const),
  number: optional(settingFields.number, null),
  prefix: optional(settingFields.prefix, null),
  keyword: optional(settingFields.keyword, null),
  concurrency: optional(concurrency, concurrencyDefault),
  allow: optional(settingFields.allow, []),
  secret: optional(secretField, null),
};

interface NewWebhook {
  readonly account: string;
  readonly settings: WebhookSettings;
  /** Null for one that we make. */
  readonly secret: string | null;
}

export function readNewWebhook(fields: Fields): Result<NewWebhook, Rejection> {
  const { template: given, ...rest } = fields;
  const read = readFields(newFields, rest);
  if (!read.ok) return read;
  const template = readTemplate(given);
  if (!template.ok) return template;
  const number = readNumber(read.value);
  if (!number.ok) return number;
  const { account, url, method, on, concurrency: most, allow: allowed, secret, keyword: word } = read.value;
  const match = { kinds: on, number: number.value ?? null, keyword: word };
  const settings = { url, method, ...match, template: template.value, concurrency: most, allowed };
  return ok({ account, secret, settings });
}

const changeFields = {
  webhook: webhookId,
  url: optional(settingFields.url, undefined),
  method: optional(settingFields.method, undefined),
  on: optional(settingFields.on, undefined),
  number: optional(settingFields.number, undefined),
  prefix: optional(settingFields.prefix, undefined),
  keyword: optional(settingFields.keyword, undefined),
  concurrency: optional(concurrency, undefined),
  allow: optional(settingFields.allow, undefined),
};

/** What is given changes, the rest stays. */
export function readWebhookChange(
  fields: Fields,
): Result<Pick<SetWebhook, 'webhook' | 'settings' | 'template'>, Rejection> {
  const { template: given, ...rest } = fields;
  const read = readFields(changeFields, rest);
  if (!read.ok) return read;
  const template = readTemplateChange(given);
  if (!template.ok) return template;
  const number = readNumber(read.value);
  if (!number.ok) return number;
  const { webhook, on, allow, number: _number, prefix: _prefix, ...others } = read.value;
  const all = { ...others, kinds: on, allowed: allow, number: number.value };
  const settings = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  if (Object.keys(settings).length === 0 && template.value === undefined) return nothingToSet;
  return ok({ webhook, settings, template: template.value });
}

const { webhook: _webhook, ...changeable } = changeFields;
const nothingToSet = invalid(
  'webhook',
  `nothing is asked to be changed: name some of ${Object.keys(changeable).join(', ')}, template`,
);

function isNoTemplate(given: unknown): boolean {
  return given === null || given === 'any';
}

/** Null where all fields are sent, by our names, and no constants. */
function readTemplate(given: unknown): Result<Template | null, Rejection> {
  if (given === undefined || isNoTemplate(given)) return ok(null);
  const reason = reasonAgainstFields(given);
  const template = reason === undefined ? parseTemplate(given) : refused(reason);
  return template.ok ? template : invalid('template', template.error);
}

/** Undefined if nothing was said of it. */
function readTemplateChange(given: unknown): Result<TemplateChange | undefined, Rejection> {
  if (given === undefined) return ok(undefined);
  const change = isNoTemplate(given) ? ok(emptied) : parseTemplateChange(given);
  return change.ok ? change : invalid('template', change.error);
}

interface GivenNumber {
  readonly number?: string | null | undefined;
  readonly prefix?: string | null | undefined;
}

/** Undefined if nothing was said of it, null for every number. */
function readNumber({ number, prefix }: GivenNumber): Result<WebhookMatch['number'] | undefined, Rejection> {
  const hasBoth = typeof number === 'string' && typeof prefix === 'string';
  if (hasBoth) return invalid('prefix', 'a webhook is for a number or for a prefix');
  const kind: NumberKind = typeof prefix === 'string' ? 'prefix' : 'number';
  const given = prefix ?? number;
  if (typeof given !== 'string') return ok(number === undefined && prefix === undefined ? undefined : null);
  const owned = parseOwnedNumber(given, kind);
  return owned.ok ? ok({ kind, digits: owned.value.digits }) : invalid(kind, owned.error);
}
