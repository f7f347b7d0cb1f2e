import { tagMax, vendorTagMin } from '../../values/routing.ts';
import { ok, refused, type Result } from '../../values/result.ts';
import type { About, Field } from '../../fields/field.ts';
import { fieldOf, textThat, typed } from '../../fields/fields.ts';

/*
 * Fields for settings of carriers that have a form of their own. Such a value is a text, in JSON and on the command
 * line.
 */

type Parse<T> = (text: string) => Result<T, string>;

interface Form<T> {
  readonly placeholder: string;
  readonly example: string;
  readonly parse: Parse<T>;
  readonly text: (value: T) => string;
}

function written<T>(about: About, { placeholder, example, parse, text }: Form<T>): Field<T, 'must'> {
  return fieldOf<T>(about, {
    placeholder,
    schema: { type: 'string' },
    example,
    read: typed(parse),
    json: text,
    fromJson: (json) => {
      const read = parse(String(json));
      if (!read.ok) throw new Error(`the gateway's answer has an invalid value: ${read.error}`);
      return read.value;
    },
  });
}

function hex(number: number): string {
  return `0x${number.toString(16).padStart(2, '0')}`;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** A number, in decimal or in hexadecimal after 0x; answers have the hexadecimal form. */
export function code({ min, max, ...about }: About & Range): Field<number, 'must'> {
  return written(about, { placeholder: '<code>', example: hex(min), parse: codeIn({ min, max }), text: hex });
}

function codeIn({ min, max }: Range): Parse<number> {
  return (text) => {
    const value = /^(?:\d{1,10}|0x[0-9a-f]{1,8})$/i.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? ok(value)
      : refused(`must be a number from ${min} to ${max}, in decimal, or in hexadecimal after 0x`);
  };
}

const perSecondMax = 100_000;

/** A rate a second, with up to three decimals; 0 for no limit. A caller may write `0.2/s`. */
export function perSecond(about: About): Field<number, 'must'> {
  const wants = `must be 0, or a number from 0.001 to ${perSecondMax} with at most 3 decimals, such as 0.2 or 50`;
  return fieldOf<number>(about, {
    placeholder: '<rate>',
    schema: { type: 'number', minimum: 0, maximum: perSecondMax },
    example: 50,
    read: typed((text) => {
      const value = /^\d{1,6}(?:\.\d{1,3})?(?:\/s)?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
      return value <= perSecondMax ? ok(value) : refused(wants);
    }),
    json: (value) => value,
    fromJson: Number,
  });
}

/** TON and NPI of an address (SMPP 3.4, sections 5.2.5 and 5.2.6). */
export interface AddressType {
  readonly ton: number;
  readonly npi: number;
}

const tonMax = 7;
const npiMax = 18;

export function numberType(about: About): Field<AddressType, 'must'> {
  return written<AddressType>(about, {
    placeholder: '<ton/npi>',
    example: '1/1',
    parse: (text) => {
      const [, ton, npi] = /^(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
      return ton !== undefined && npi !== undefined && Number(ton) <= tonMax && Number(npi) <= npiMax
        ? ok({ ton: Number(ton), npi: Number(npi) })
        : refused('must be a type of number and a numbering plan (TON/NPI), such as 1/1 or 5/0');
    },
    text: ({ ton, npi }) => `${ton}/${npi}`,
  });
}

/** The most entries in a table. data_coding has 256 values. */
const entriesMax = 256;

/** A table such as `0=latin1,8=ucs2-le`. An empty text is an empty table. */
export function codeTable<const T extends string>(
  words: readonly T[],
  { min, max, ...about }: About & Range,
): Field<{ readonly [code: string]: T }, 'must'> {
  const codeOf = codeIn({ min, max });
  return written<{ readonly [code: string]: T }>(about, {
    placeholder: '<table>',
    example: words[0] === undefined ? '' : `${hex(min)}=${words[0]}`,
    parse: (text) => {
      const table: { [code: string]: T } = {};
      const entries = text === '' ? [] : text.split(',');
      if (entries.length > entriesMax) return refused(`must have at most ${entriesMax} entries`);
      for (const entry of entries) {
        const [left = '', right = ''] = entry.split('=').map((each) => each.trim());
        const key = codeOf(left);
        if (!key.ok) return refused(`must be a list of entries CODE=WORD; each code ${key.error}`);
        const word = words.find((each) => each === right);
        if (word === undefined)
          return refused(`must be a list of entries CODE=WORD; each word must be one of ${words.join(', ')}`);
        if (String(key.value) in table) return refused(`must have each code only once, but has ${left} twice`);
        table[String(key.value)] = word;
      }
      return ok(table);
    },
    text: (table) =>
      Object.entries(table)
        .map(([each, word]) => `${hex(Number(each))}=${word}`)
        .join(','),
  });
}

const pemMax = 64 * 1_024;

/** A certificate or key with BEGIN and END lines (RFC 7468). The command line reads it from a file. */
export function pem(about: About): Field<string, 'must'> {
  return textThat(
    { ...about, typed: ['file'], isWholeFile: true },
    (given) => given.length <= pemMax && /^\s*-----BEGIN [A-Z0-9 ]+-----[^]+-----END [A-Z0-9 ]+-----\s*$/.test(given),
    {
      placeholder: '<file>',
      wants: 'must be a PEM text, from a -----BEGIN line to a -----END line',
      schema: { maxLength: pemMax },
    },
  );
}

/** An optional parameter of SMPP; its value is in hexadecimal. */
export interface Tlv {
  readonly tag: number;
  readonly value: string;
}

const tlvsMax = 16;
const tlvOctetsMax = 255;
const wantedTlvs = `must be up to ${tlvsMax} entries TAG=HEX, such as 0x1400=4a6f, with 1 to ${tlvOctetsMax} octets in each value`;

/** A list of TLVs such as `0x1400=4a6f,5121=00`. An empty text is an empty list. */
export function tlvs(about: About): Field<readonly Tlv[], 'must'> {
  return written<readonly Tlv[]>(about, {
    placeholder: '<list>',
    example: '0x1400=4a6f',
    parse: (text) => {
      const entries = text === '' ? [] : text.split(',');
      const read = entries.map(readTlv).filter((each) => each !== undefined);
      if (read.length < entries.length || entries.length > tlvsMax) return refused(wantedTlvs);
      const twice = read.find(({ tag }, at) => read.findIndex((each) => each.tag === tag) < at);
      return twice ? refused(`must have each tag only once, but has ${hexTag(twice.tag)} twice`) : ok(read);
    },
    text: (values) => values.map(({ tag, value }) => `${hex(tag)}=${value}`).join(','),
  });
}

function readTlv(entry: string): Tlv | undefined {
  const [, left = '', value = ''] = /^\s*(\d{1,5}|0x[0-9a-f]{1,4})\s*=((?:[0-9a-f]{2})+)$/i.exec(entry) ?? [];
  const tag = Number(left);
  return tag < 1 || tag > tagMax || value.length > 2 * tlvOctetsMax ? undefined : { tag, value: value.toLowerCase() };
}

function hexTag(tag: number): string {
  return `0x${tag.toString(16).padStart(4, '0')}`;
}

/** The most tags in a list. No known carrier documents so many. */
const tagsMax = 64;
const wantedTags = `must be any, or up to ${tagsMax} tags from 0x1400 to 0xffff, such as 0x1400,0x1401, or empty for none`;

/** Tags such as `0x1400,0x1401`, or `any`. An empty text allows no tag. */
export function vendorTags(about: About): Field<readonly number[] | 'any', 'must'> {
  return written<readonly number[] | 'any'>(about, {
    placeholder: '<tags>',
    example: '0x1400,0x1401',
    parse: (text) => {
      if (text === 'any') return ok(text);
      const entries = text === '' ? [] : text.split(',');
      const tags = entries.map((entry) =>
        /^(\d{1,5}|0x[0-9a-f]{1,4})$/i.test(entry.trim()) ? Number(entry) : Number.NaN,
      );
      const isGood = tags.every((tag) => tag >= vendorTagMin && tag <= tagMax);
      return isGood && tags.length <= tagsMax ? ok([...new Set(tags)]) : refused(wantedTags);
    },
    text: (tags) => (tags === 'any' ? tags : tags.map(hex).join(',')),
  });
}
