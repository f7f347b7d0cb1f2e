import { parseRange, type AddressRange } from '../values/address-range.ts';
import { isHost } from '../values/host.ts';
import { noTime, readIsoTime } from '../values/iso-time.ts';
import { formatMicros, isCurrency, parseMicros, typedAmount, zeroMicros, type Micros } from '../values/money.ts';
import { ok, refused, type Result } from '../values/result.ts';
import { isName, isPrefix } from '../values/syntax.ts';
import type { Instant } from '../values/time.ts';
import {
  typedText,
  type About,
  type Field,
  type FieldTable,
  type Hide,
  type JsonSchema,
  type Kind,
  type Shown,
} from './field.ts';
import type { Json } from './exact-json.ts';

/*
 * Makers of simple fields; `compose.ts` combines them. A refusal that starts with `must` needs the name of the field
 * before it; any other is a whole sentence. No refusal repeats the value.
 */

interface Codec<T> {
  readonly placeholder: string;
  readonly schema: JsonSchema;
  readonly example?: Json;
  readonly read: (given: unknown) => Result<T, string>;
  readonly json: (value: T, hide?: Hide) => Json;
  readonly fromJson: (json: unknown) => T;
  readonly cell?: (value: T) => string;
  readonly kind?: Kind;
  readonly rows?: Shown<FieldTable>;
}

export function fieldOf<T>(about: About, codec: Codec<T>): Field<T, 'must'> {
  const example = about.example ?? codec.example;
  return {
    need: 'must',
    cell: (value) => shownText(codec.json(value)),
    ...codec,
    placeholder: about.placeholder ?? codec.placeholder,
    about: { ...about, ...(example === undefined ? {} : { example }) },
  };
}

function shownText(json: Json): string {
  return json === null ? '' : typedText(json);
}

type Read<T> = (given: string) => Result<T, string>;

/** Accepts a JSON text, number or boolean, and passes it as text to `read`. */
export function typed<T>(read: Read<T>): (given: unknown) => Result<T, string> {
  return (given) =>
    typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
      ? read(String(given))
      : refused('must be a text, a number, true or false');
}

interface TextRules {
  readonly placeholder: string;
  readonly wants: string;
  readonly schema?: JsonSchema;
  readonly example?: Json;
}

/** A text that `isGood` accepts. `change` then converts the text. */
export function textThat(
  about: About,
  isGood: (given: string) => boolean,
  rules: TextRules,
  change: (given: string) => string = (given) => given,
): Field<string, 'must'> {
  return fieldOf<string>(about, {
    placeholder: rules.placeholder,
    schema: { type: 'string', ...rules.schema },
    ...(rules.example === undefined ? {} : { example: rules.example }),
    read: typed((given) => (isGood(given) ? ok(change(given)) : refused(rules.wants))),
    json: (value) => value,
    fromJson: String,
  });
}

/** Any text, which the operation may check further. */
export function text(about: About): Field<string, 'must'> {
  return textThat(about, () => true, { placeholder: '<text>', wants: '' });
}

export const pageEnd = { summary: 'where the page begins: `next` of the previous page', placeholder: '<place>' };

/** A place in a list: the member `next` of the page before. */
export function place(form: RegExp, about: Partial<About> = {}): Field<string, 'must'> {
  const wants = 'must be the `next` of the previous page';
  return textThat({ ...pageEnd, ...about }, (given) => form.test(given), { ...pageEnd, wants });
}

export function name(about: About): Field<string, 'must'> {
  return textThat(about, isName, {
    placeholder: '<name>',
    wants: 'must be 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or a digit',
    schema: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
    example: 'acme',
  });
}

export function currency(about: About): Field<string, 'must'> {
  return textThat(about, isCurrency, {
    placeholder: '<code>',
    wants: 'must be a currency code of three capital letters, such as EUR',
    schema: { pattern: '^[A-Z]{3}$' },
    example: 'EUR',
  });
}

export function host(about: About): Field<string, 'must'> {
  return textThat(about, isHost, {
    placeholder: '<host>',
    wants: 'must be a host name or an IP address',
    example: 'smsc.example.net',
  });
}

function withoutPlus(given: string): string {
  return given.replace(/^(?:\+|00)(?=\d)/, '');
}

/** The empty prefix matches every number. */
export function prefixText(digits: string): string {
  return digits || '(any)';
}

/** A caller may write `+` or `00` before the digits; the stored prefix has neither. */
export function prefix(about: About): Field<string, 'must'> {
  const wants = 'must be up to 15 first digits of international numbers, or empty for every number';
  const rules = { placeholder: '<prefix>', wants, schema: { pattern: '^(\\+|00)?[0-9]{0,15}$' }, example: '41' };
  const special = { '': 'every number' };
  const field = textThat({ special, ...about }, (given) => isPrefix(withoutPlus(given)), rules, withoutPlus);
  return { ...field, cell: prefixText };
}

interface Length {
  readonly min?: number;
  readonly max: number;
}

/** Control characters, and characters that change the direction of text (Unicode Standard Annex 9, section 2). */
const deceptive = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** A text for people. Characters that can falsify the display in a terminal are refused. */
export function sentence({ max, ...about }: About & Length): Field<string, 'must'> {
  const wants = `must be 1 to ${max} characters, without control characters and characters that change the direction of text`;
  const isGood = (given: string) => given.trim() !== '' && given.length <= max && !deceptive.test(given);
  return textThat(about, isGood, { placeholder: '<text>', wants, schema: { minLength: 1, maxLength: max } });
}

/** A text of printable ASCII, which SMPP requires (SMPP 3.4, section 3.1, C-Octet String). */
export function ascii({ min = 0, max, ...about }: About & Length): Field<string, 'must'> {
  const isGood = (given: string) => given.length >= min && given.length <= max && /^[\x20-\x7e]*$/.test(given);
  const wants = `must be ${min} to ${max} printable ASCII characters`;
  return textThat(about, isGood, { placeholder: '<text>', wants, schema: { minLength: min, maxLength: max } });
}

export function oneOf<const T extends string>(words: readonly T[], about: About): Field<T, 'must'> {
  return fieldOf<T>(about, {
    placeholder: '<word>',
    schema: { type: 'string', enum: words },
    ...(words[0] === undefined ? {} : { example: words[0] }),
    read: typed((given) => {
      const word = words.find((each) => each === given);
      return word === undefined ? refused(`must be one of ${words.join(', ')}`) : ok(word);
    }),
    json: (value) => value,
    fromJson: (json) => String(json) as T,
  });
}

const mebibyte = 2 ** 20;

export function wholeNumber({
  min,
  max,
  ...about
}: About & { readonly min: number; readonly max: number }): Field<number, 'must'> {
  return fieldOf<number>(about, {
    placeholder: `<${about.unit ?? 'count'}>`,
    schema: { type: 'integer', minimum: min, maximum: max },
    example: min,
    read: typed((given) =>
      /^-?\d{1,16}$/.test(given) && Number(given) >= min && Number(given) <= max
        ? ok(Number(given))
        : refused(`must be a whole number from ${min} to ${max}`),
    ),
    json: (value) => value,
    fromJson: Number,
    // A cell shows octets as MiB. Other units are only in the summary.
    cell: (value) => (about.unit === 'bytes' ? `${Math.round(value / mebibyte)} MiB` : String(value)),
  });
}

export function count(about: About): Field<number, 'must'> {
  return wholeNumber({ ...about, min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** The id of a row. In JSON it is a text of digits, because no client calculates with it. */
export function rowId(about: About): Field<number, 'must'> {
  return fieldOf<number>(about, {
    placeholder: '<id>',
    schema: { type: 'string', pattern: '^[0-9]{1,16}$' },
    example: '42',
    read: typed((given) =>
      /^\d{1,16}$/.test(given) ? ok(Number(given)) : refused('must be an id, which has only digits'),
    ),
    json: String,
    fromJson: Number,
  });
}

export function octets(about: About): Field<Uint8Array, 'must'> {
  return fieldOf<Uint8Array>(about, {
    placeholder: '<hex>',
    schema: { type: 'string', pattern: '^([0-9a-f]{2})*$' },
    example: '48656c6c6f',
    read: typed((given) =>
      /^(?:[0-9a-f]{2})*$/i.test(given) ? ok(octetsOf(given)) : refused('must be pairs of hexadecimal digits'),
    ),
    json: (value) => Array.from(value, (octet) => octet.toString(16).padStart(2, '0')).join(''),
    fromJson: (json) => octetsOf(String(json)),
  });
}

function octetsOf(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function flag(about: About): Field<boolean, 'must'> {
  return fieldOf<boolean>(about, {
    placeholder: '',
    schema: { type: 'boolean' },
    example: true,
    read: typed((given) =>
      ['true', 'false', '1', '0'].includes(given)
        ? ok(given === 'true' || given === '1')
        : refused('must be true or false'),
    ),
    json: (value) => value,
    fromJson: (json) => json === true,
  });
}

/** The largest amount, in whole currency units. A 64-bit balance in millionths holds ninety such amounts. */
export const amountMax = 100_000_000_000;

/** An amount with up to 6 decimals. `min` and `max` are in whole currency units. */
export function amount({
  min = -amountMax,
  max = amountMax,
  ...about
}: About & { readonly min?: number; readonly max?: number }): Field<Micros, 'must'> {
  return fieldOf<Micros>(about, {
    placeholder: '<amount>',
    schema: {
      type: 'number',
      minimum: min,
      maximum: max,
      description: 'The number has at most 6 decimals and is exact.',
    },
    example: 12.5,
    read: typed((given) => {
      const micros = parseMicros(typedAmount(given));
      if (!micros.ok) return micros;
      const isWithin = micros.value >= BigInt(min) * 1_000_000n && micros.value <= BigInt(max) * 1_000_000n;
      return isWithin ? micros : refused(`must be an amount from ${min} to ${max}`);
    }),
    json: (value) => value,
    fromJson: (json) => {
      const read = parseMicros(String(json));
      return read.ok ? read.value : zeroMicros;
    },
    cell: formatMicros,
    kind: 'money',
  });
}

/** ISO 8601, in UTC or with an offset. A day alone means its beginning in UTC. */
export function instant(about: About): Field<Instant, 'must'> {
  return fieldOf<Instant>(about, {
    placeholder: '<time>',
    schema: { type: 'string', format: 'date-time' },
    example: '2027-01-31T12:00:00.000Z',
    read: typed((given) => {
      const read = readIsoTime(given);
      const form = 'must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31';
      return read.ok ? read : refused(noTime(read.error, form));
    }),
    json: (value) => new Date(value).toISOString(),
    fromJson: (json) => Date.parse(String(json)),
    cell: (value) => new Date(value).toISOString().replace(/\.\d+Z$/, 'Z'),
    kind: 'instant',
  });
}

export function network(about: About): Field<AddressRange, 'must'> {
  return fieldOf<AddressRange>(about, {
    placeholder: '<address>',
    schema: { type: 'string' },
    example: '192.0.2.0/24',
    read: typed((given) => {
      const range = parseRange(given);
      return range
        ? ok(range)
        : refused(
            'must be an IP address, or a range such as 192.0.2.0/24, in which all bits after the prefix length are 0',
          );
    }),
    json: (value) => value.text,
    fromJson: (json) => parseRange(String(json)) ?? { text: String(json), words: [], bits: 0 },
  });
}
