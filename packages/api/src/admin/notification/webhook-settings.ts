import type { AddressRange } from '../../values/address-range.ts';
import { notificationKinds, webhookMethods } from '../../values/notification.ts';
import { ok, refused } from '../../values/result.ts';
import type { Result } from '../../values/result.ts';
import { list, orNone } from '../compose.ts';
import { doubledMember } from '../doubled-member.ts';
import { readJson } from '../exact-json.ts';
import type { Json } from '../exact-json.ts';
import type { Field } from '../field.ts';
import { fieldOf, network, oneOf, text, wholeNumber } from '../fields.ts';

/* The settings of a webhook: its destination, its messages and its template. */

const concurrencyMax = 1_000;

const ranges = list(network({ summary: 'an address' }), {
  summary: 'addresses of your own network that it may lead to: 10.1.0.0/16; "" for public addresses alone',
  placeholder: '<ranges>',
});
const allow: Field<readonly AddressRange[], 'must'> = {
  ...ranges,
  read: (given) =>
    given === 'none' || given === 'any'
      ? refused(
          `${given} is not taken here: name each network of your own, or give an empty list ("") for public addresses alone`,
        )
      : ranges.read(given),
};

export const webhookSettings = {
  url: text({ summary: 'address of its receiver', placeholder: '<url>', example: 'https://example.com/sms' }),
  method: oneOf(webhookMethods, { summary: 'how it is called', placeholder: '<method>' }),
  on: list(oneOf(notificationKinds, { summary: 'a kind' }), {
    summary: `kinds of notifications that it gets: some of ${notificationKinds.join(',')}`,
    placeholder: '<kinds>',
  }),
  concurrency: wholeNumber({
    min: 1,
    max: concurrencyMax,
    summary: `requests that it may have in progress, up to ${concurrencyMax}`,
  }),
  allow,
};

/** The gateway checks their form. */
export const webhookMatch = {
  number: text({ summary: 'only messages to this number or short code, or any', placeholder: '<number>' }),
  prefix: text({ summary: 'only messages to numbers that begin so, or any', placeholder: '<digits>' }),
  keyword: text({ summary: 'only messages that begin with this word, or any', placeholder: '<word>' }),
};

/** The same field, or every message: null, `any` or an empty text. */
function orAny(field: Field<string, 'must'>): Field<string | null, 'must'> {
  return {
    ...orNone(field),
    read: (given) => {
      if (given === 'none') return refused('none is not taken here: any means all');
      return given === null || given === '' || given === 'any' ? ok(null) : field.read(given);
    },
  };
}

export const webhookMatchOrAny = {
  number: orAny(webhookMatch.number),
  prefix: orAny(webhookMatch.prefix),
  keyword: orAny(webhookMatch.keyword),
};

/** Field and constants in one file. The gateway reads the members of the object. */
export const template: Field<unknown, 'must'> = {
  ...fieldOf<unknown>(
    {
      summary: 'both as JSON, {"fields": {"from": "sender"}, "constants": {"key": "abc"}}',
      typed: ['file'],
    },
    {
      placeholder: '<json>',
      schema: {
        type: ['object', 'null'],
        properties: { fields: { type: ['object', 'string'] }, constants: { type: 'object' } },
      },
      example: { fields: { from: 'sender' }, constants: { key: 'abc' } },
      read: (given) => (typeof given === 'string' && given !== 'any' ? objectIn(given) : ok(given)),
      // The caller's value is written as JSON unchanged.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      json: (value) => value as Json,
      fromJson: (json) => json,
    },
  ),
  takesNone: true,
};

/** A repeated name is refused: a JSON reader would take the last one. */
function objectIn(given: string): Result<unknown, string> {
  const json = given.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = readJson(json);
  } catch {
    return refused('must be JSON');
  }
  if (typeof value !== 'object' || value === null) return refused('must be a JSON object');
  const doubled = doubledMember(json, value);
  return doubled === undefined ? ok(value) : refused(`must have ${doubled} once`);
}

export const templateLine = text({ summary: 'a line' });
export const templateLines = {
  fields: list(templateLine, {
    summary: "field by the receiver's name for it; any sends all by our names, and then none is named",
    option: 'field',
    placeholder: '<theirs=ours>',
    isRepeated: true,
    example: ['from=sender'],
  }),
  constants: list(templateLine, {
    summary: 'what is always sent, too; others on this machine may see it go by',
    option: 'constant',
    placeholder: '<name=value>',
    isRepeated: true,
    example: ['key=abc'],
  }),
};
