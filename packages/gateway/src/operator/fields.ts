import { isName } from '@morsel/api/values/syntax.ts';
import { isHost } from '@morsel/api/values/host.ts';
import { noTime, readIsoTime } from '@morsel/api/values/iso-time.ts';
import { parseMessageId } from '../core/base/message-id.ts';
import type { MessageId } from '../core/base/message-id.ts';
import { isCurrency, parseMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { didYouMean } from '@morsel/api/values/nearest.ts';
import { isPrefix } from '@morsel/api/values/syntax.ts';
import type { Rejection } from '../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/** What the operator gave, by field: texts, numbers among them as their digits, so that an amount is read exactly. */
export type Fields = { readonly [field: string]: unknown };

/** How one field is read. The reason of a refusal never repeats the value: it may be a password. */
export interface Field<T> {
  readonly parse: (text: string) => Result<T, string>;
  /** What holds when the field is not given; without it the field is required. */
  readonly otherwise?: { readonly value: T };
}

type FieldTable = { readonly [field: string]: Field<unknown> };
type ValueOf<F> = F extends Field<infer T> ? T : never;
type Values<T extends FieldTable> = { readonly [K in keyof T]: ValueOf<T[K]> };

/** Reads what a table names, and nothing else: a field that it does not name is a slip, and is refused as one. */
export function readFields<T extends FieldTable>(table: T, given: Fields): Result<Values<T>, Rejection> {
  const names = Object.keys(table);
  const strange = Object.keys(given).find((name) => given[name] !== undefined && !names.includes(name));
  if (strange !== undefined) {
    return invalid(strange, `unknown field${didYouMean(strange, names)}`);
  }
  const values: { [field: string]: unknown } = {};
  for (const [name, field] of Object.entries(table)) {
    const value = readField(name, field, given[name]);
    if (!value.ok) return value;
    values[name] = value.value;
  }
  // Each value was made by the field of its name: this is the maker of the type.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return ok(values as Values<T>);
}

function readField<T>(name: string, field: Field<T>, given: unknown): Result<T, Rejection> {
  if (given === undefined || given === null) {
    return field.otherwise ? ok(field.otherwise.value) : refused({ code: 'missing_parameter', field: name });
  }
  if (typeof given !== 'string') return invalid(name, 'it has to be a text or a number');
  const value = field.parse(given);
  return value.ok ? value : invalid(name, value.error);
}

export function invalid(field: string, detail: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'invalid_parameter', field, detail });
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that have a value: what a change changes. */
export function present<T extends object>(values: T): Present<T> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // What is left are members of the same object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(entries) as Present<T>;
}

/** The same field, with a value that holds when it is not given. */
export function optional<T, D>(field: Field<T>, otherwise: D): Field<T | D> {
  return { parse: field.parse, otherwise: { value: otherwise } };
}

/** The same field, or nothing: an empty text or `none`. */
export function orNone<T>(field: Field<T>): Field<T | null> {
  return { parse: (text) => (text === '' || text === 'none' ? ok(null) : field.parse(text)) };
}

/** The same field, or everything: an empty text or `any`. */
export function orAny<T>(field: Field<T>): Field<T | null> {
  return {
    parse: (text) => {
      if (text === 'none') return refused('none is not taken here: any means all');
      return text === '' || text === 'any' ? ok(null) : field.parse(text);
    },
  };
}

function pattern<T>(isGood: (text: string) => boolean, read: (text: string) => T, wants: string): Field<T> {
  return { parse: (text) => (isGood(text) ? ok(read(text)) : refused(wants)) };
}

const asIs = (text: string) => text;

export const name = pattern(
  isName,
  asIs,
  'it has to be 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or a digit',
);

/** A price list that is to be made: `none` says that there is to be no list. */
export const listName: Field<string> = {
  parse: (text) => (text === 'none' ? refused('none means no list: give it another name') : name.parse(text)),
};

export const currency = pattern(isCurrency, asIs, 'it has to be a currency code of three capital letters, such as EUR');

export const host = pattern(isHost, asIs, 'it has to be a host name or an IP address');

/** Prefixes are given with or without their plus. */
export const prefix = pattern(
  (text) => isPrefix(text.replace(/^\+/, '')),
  (text) => text.replace(/^\+/, ''),
  'it has to be up to 15 digits of an international number, or empty for every number',
);

export function oneOf<T extends string>(words: readonly T[]): Field<T> {
  return {
    parse: (text) => {
      const word = words.find((each) => each === text);
      return word === undefined ? refused(`it has to be one of ${words.join(', ')}`) : ok(word);
    },
  };
}

export function wholeNumber(min: number, max: number): Field<number> {
  return pattern(
    (text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max,
    Number,
    `it has to be a whole number from ${min} to ${max}`,
  );
}

/** On or off. */
export const flag: Field<boolean> = pattern(
  (text) => ['true', 'false', '1', '0'].includes(text),
  (text) => text === 'true' || text === '1',
  'it has to be true or false',
);

/** An amount from `min` to `max`, both in whole units of the currency. */
export function amount(min: number, max: number): Field<Micros> {
  return {
    parse: (text) => {
      const micros = parseMicros(text);
      if (!micros.ok) return micros;
      const isWithin = micros.value >= BigInt(min) * 1_000_000n && micros.value <= BigInt(max) * 1_000_000n;
      return isWithin ? micros : refused(`it has to be an amount from ${min} to ${max}`);
    },
  };
}

/** Control characters, and those that turn the direction of writing around (Unicode Standard Annex 9, section 2). */
const deceptive = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Words for people: no control characters, which would only deceive whoever reads them in a terminal. */
export function sentence(max: number): Field<string> {
  return pattern(
    (text) => text.trim() !== '' && text.length <= max && !deceptive.test(text),
    asIs,
    `it has to be 1 to ${max} characters, without control characters and without such as turn the direction of writing`,
  );
}

/** Who did it, as the ledger and other records say. */
export const actor = optional(sentence(64), 'operator');

/** What a bind carries: octets of ASCII, as SMPP has no other (SMPP 3.4, section 3.1, C-Octet String). */
export function ascii(min: number, max: number): Field<string> {
  return pattern(
    (text) => text.length >= min && text.length <= max && /^[\x20-\x7e]*$/.test(text),
    asIs,
    `it has to be ${min} to ${max} printable ASCII characters`,
  );
}

/** An instant as ISO 8601 writes it, in UTC or with its offset; a day alone is its beginning in UTC. */
export const instant: Field<Instant> = {
  parse: (text) => {
    const read = readIsoTime(text);
    return read.ok ? read : refused(noTime(read.error, timeForm));
  },
};

const timeForm = 'it has to be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31';

export const messageId: Field<MessageId> = {
  parse: (text) => {
    const id = parseMessageId(text);
    return id === undefined ? refused('it has to be the id of a message') : ok(id);
  },
};

/** What somebody else reads. */
export const anyText: Field<string> = { parse: ok };
