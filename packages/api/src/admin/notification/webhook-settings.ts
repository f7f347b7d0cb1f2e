import type { AddressRange } from '../../values/address-range.ts';
import { webhookMethods } from '../../client-apis.ts';
import { notificationKinds } from '../../values/notification.ts';
import { ok, refused, type Result } from '../../values/result.ts';
import { list, orNone } from '../../fields/compose.ts';
import { doubledMember } from '../doubled-member.ts';
import { illFormedMember } from '../well-formed.ts';
import { readJson, type Json } from '../../fields/exact-json.ts';
import type { Field } from '../../fields/field.ts';
import { fieldOf, network, oneOf, text, wholeNumber } from '../../fields/fields.ts';

/* The settings of a webhook: its address, the messages it gets, and its template of the request. */

const concurrencyMax = 1_000;

const ranges = list(network({ summary: 'an address' }), {
  label: 'Private addresses',
  summary: 'private addresses that the gateway may call: a list such as 10.1.0.0/16',
  special: { '': 'public addresses only' },
  placeholder: '<ranges>',
  role: 'owner',
});
/** Private addresses to which a destination of an owner may lead. */
export const allowedRanges: Field<readonly AddressRange[], 'must'> = {
  ...ranges,
  read: (given) =>
    given === 'none' || given === 'any'
      ? refused(
          `must be a list of your private networks, or "" to allow only public addresses; ${given} is not allowed here`,
        )
      : ranges.read(given),
};

export const webhookSettings = {
  url: text({
    summary: 'URL that the gateway calls',
    placeholder: '<url>',
    example: 'https://example.com/sms',
    role: 'owner',
  }),
  method: oneOf(webhookMethods, { summary: 'HTTP method and format of the requests', placeholder: '<method>' }),
  on: list(oneOf(notificationKinds, { summary: 'a kind' }), {
    label: 'Notifies of',
    summary: `kinds of notifications that the webhook gets: a list of ${notificationKinds.join(',')}`,
    placeholder: '<kinds>',
  }),
  concurrency: wholeNumber({
    min: 1,
    max: concurrencyMax,
    label: 'Requests at once',
    summary: `most requests at the same time, up to ${concurrencyMax}`,
  }),
  allow: allowedRanges,
};

const anyMessage = { any: 'every message' };

/** The messages that a webhook gets. The gateway checks the form of these fields. */
export const webhookMatch = {
  number: text({
    special: anyMessage,
    summary: 'notify only of messages to this number or short code',
    placeholder: '<number>',
  }),
  prefix: text({
    special: anyMessage,
    summary: 'notify only of messages to numbers with these first digits',
    placeholder: '<digits>',
  }),
  keyword: text({
    special: anyMessage,
    summary: 'notify only of messages that begin with this keyword',
    placeholder: '<word>',
  }),
};

/** A condition on messages. null, `any` and an empty text match every message. */
function orAny(field: Field<string, 'must'>): Field<string | null, 'must'> {
  return {
    ...orNone(field),
    read: (given) => {
      if (given === 'none') return refused('must not be none: give any to match every message');
      return given === null || given === '' || given === 'any' ? ok(null) : field.read(given);
    },
  };
}

export const webhookMatchOrAny = {
  number: orAny(webhookMatch.number),
  prefix: orAny(webhookMatch.prefix),
  keyword: orAny(webhookMatch.keyword),
};

/** The template of a webhook. The gateway checks the members of the JSON object. */
export const template: Field<unknown, 'must'> = {
  ...fieldOf<unknown>(
    {
      summary: 'JSON file with fields and constants: {"fields": {"from": "sender"}, "constants": {"key": "abc"}}',
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
      // The value that the caller gave is written as JSON unchanged.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      json: (value) => value as Json,
      fromJson: (json) => json,
    },
  ),
  takesNone: true,
};

/** Reads a JSON object. A repeated member name is refused, because JSON.parse would silently use the last value. */
function objectIn(given: string): Result<unknown, string> {
  const json = given.replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = readJson(json);
  } catch {
    return refused('must be valid JSON');
  }
  if (typeof value !== 'object' || value === null) return refused('must be a JSON object');
  if (illFormedMember(json, value) !== undefined) return refused('must have no half of a surrogate pair');
  const doubled = doubledMember(json);
  return doubled === undefined ? ok(value) : refused(`must have the member ${doubled} only once`);
}

export const templateLine = text({ summary: 'one field or constant' });
export const templateLines = {
  fields: list(templateLine, {
    summary: 'field to send, with the receiver’s name for it; any sends all fields by our names',
    option: 'field',
    placeholder: '<theirs=ours>',
    isRepeated: true,
    example: ['from=sender'],
  }),
  constants: list(templateLine, {
    summary: 'constant to send with each request; other users of this machine may see its value',
    option: 'constant',
    placeholder: '<name=value>',
    isRepeated: true,
    example: ['key=abc'],
  }),
};
