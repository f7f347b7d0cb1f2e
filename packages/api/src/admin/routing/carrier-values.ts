import { tagMax, vendorTagMin } from '../../values/routing.ts';
import { ok, refused } from '../../values/result.ts';
import type { Result } from '../../values/result.ts';
import type { About, Field } from '../field.ts';
import { fieldOf, textThat, typed } from '../fields.ts';

/* Fields of a carrier's settings with a form of their own: each is text in JSON, as on the command line. */

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
      if (!read.ok) throw new Error(`the gateway answered a value that it does not take: ${read.error}`);
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

/** A number, decimal or as 0x and hexadecimal digits; written as the latter. */
export function code({ min, max, ...about }: About & Range): Field<number, 'must'> {
  return written(about, { placeholder: '<code>', example: hex(min), parse: codeIn({ min, max }), text: hex });
}

function codeIn({ min, max }: Range): Parse<number> {
  return (text) => {
    const value = /^(?:\d{1,10}|0x[0-9a-f]{1,8})$/i.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max
      ? ok(value)
      : refused(`must be a number from ${min} to ${max}, decimal or as 0x and hexadecimal digits`);
  };
}

/** Type of number and numbering plan (SMPP 3.4, sections 5.2.5 and 5.2.6). */
export interface AddressType {
  readonly ton: number;
  readonly npi: number;
}

const tonMax = 7;
const npiMax = 18;

/** `1/1`. */
export function numberType(about: About): Field<AddressType, 'must'> {
  return written<AddressType>(about, {
    placeholder: '<ton/npi>',
    example: '1/1',
    parse: (text) => {
      const [, ton, npi] = /^(\d{1,2})\/(\d{1,2})$/.exec(text) ?? [];
      return ton !== undefined && npi !== undefined && Number(ton) <= tonMax && Number(npi) <= npiMax
        ? ok({ ton: Number(ton), npi: Number(npi) })
        : refused('must be a type of number and a numbering plan, such as 1/1 or 5/0');
    },
    text: ({ ton, npi }) => `${ton}/${npi}`,
  });
}

/** Entries of a table, more than data_coding has values. */
const entriesMax = 256;

/** `0=latin1,8=ucs2-le`: codes, each with a word. An empty text is an empty table. */
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
        if (!key.ok) return refused(`must be entries CODE=WORD; each code ${key.error}`);
        const word = words.find((each) => each === right);
        if (word === undefined)
          return refused(`must be entries CODE=WORD; each word must be one of ${words.join(', ')}`);
        if (String(key.value) in table) return refused(`must have each code once: ${left} is there twice`);
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

/** A text that starts and ends as PEM does (RFC 7468). On the command line it comes from a file. */
export function pem(about: About): Field<string, 'must'> {
  return textThat(
    { ...about, typed: ['file'], isWholeFile: true },
    (given) => given.length <= pemMax && /^\s*-----BEGIN [A-Z0-9 ]+-----[^]+-----END [A-Z0-9 ]+-----\s*$/.test(given),
    {
      placeholder: '<file>',
      wants: 'must be PEM: text between -----BEGIN and -----END lines',
      schema: { maxLength: pemMax },
    },
  );
}

/** An optional parameter: its tag, and its value in hexadecimal. */
export interface Tlv {
  readonly tag: number;
  readonly value: string;
}

const tlvsMax = 16;
const tlvOctetsMax = 255;
const wantedTlvs = `must be up to ${tlvsMax} of TAG=HEX, such as 0x1400=4a6f, with 1 to ${tlvOctetsMax} octets each`;

/** `0x1400=4a6f,5121=00`. An empty text is none. */
export function tlvs(about: About): Field<readonly Tlv[], 'must'> {
  return written<readonly Tlv[]>(about, {
    placeholder: '<list>',
    example: '0x1400=4a6f',
    parse: (text) => {
      const entries = text === '' ? [] : text.split(',');
      const read = entries.map(readTlv).filter((each) => each !== undefined);
      if (read.length < entries.length || entries.length > tlvsMax) return refused(wantedTlvs);
      const twice = read.find(({ tag }, at) => read.findIndex((each) => each.tag === tag) < at);
      return twice ? refused(`must have each tag once: ${hexTag(twice.tag)} is there twice`) : ok(read);
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

/** Tags that a carrier may list, more than any carrier documents. */
const tagsMax = 64;
const wantedTags = `must be any, or up to ${tagsMax} tags from 0x1400 to 0xffff, such as 0x1400,0x1401; an empty text allows none`;

/** `0x1400,0x1401`: tags of a vendor's optional parameters, or `any`. An empty text allows none. */
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
