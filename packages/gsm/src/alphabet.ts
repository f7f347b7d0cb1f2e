import { defaultCells, emptyCell, portuguese, spanish, turkish, type Cells } from './cells-latin.ts';
import {
  bengali,
  gujarati,
  hindi,
  kannada,
  malayalam,
  oriya,
  punjabi,
  tamil,
  telugu,
  urdu,
} from './cells-south-asian.ts';

/*
 * The alphabets of 3GPP TS 23.038 as lookup tables, one for each language.
 */

/** A language that has national tables. */
export type Language =
  | 'turkish'
  | 'spanish'
  | 'portuguese'
  | 'bengali'
  | 'gujarati'
  | 'hindi'
  | 'kannada'
  | 'malayalam'
  | 'oriya'
  | 'punjabi'
  | 'tamil'
  | 'telugu'
  | 'urdu';

/** The national tables of a text. Default: the GSM default alphabet and its extension table. */
export interface National {
  readonly locking?: Language;
  readonly single?: Language;
}

/** A table of 128 codes in both directions. */
export interface Table {
  /** The UTF-16 unit of each code; 0 if the cell is empty, because no table has U+0000. */
  readonly units: Uint16Array;
  /** The code of each UTF-16 unit, or `noCode`. If two cells have the same character, the lower code. */
  readonly codes: Uint8Array;
}

/**
 * The two tables of a text. A locking character takes one septet; a single shift character takes the escape and a
 * septet.
 */
export interface Alphabet {
  readonly locking: Table;
  readonly single: Table;
}

/** The value in `Table.codes` for a character that the table does not have. */
export const noCode = 0xff;

/** The escape to the single shift table (section 6.2.1.1). */
export const escapeCode = 0x1b;

/** The highest character in all tables: the infinity sign of Portuguese. */
const highestUnit = 0x221e;

const cellsByLanguage: Readonly<Record<Language, Cells>> = {
  turkish,
  spanish,
  portuguese,
  bengali,
  gujarati,
  hindi,
  kannada,
  malayalam,
  oriya,
  punjabi,
  tamil,
  telugu,
  urdu,
};

/** All languages with national tables, in the order of their identifiers, which begin at 1. */
export const allLanguages: readonly Language[] = [
  'turkish',
  'spanish',
  'portuguese',
  'bengali',
  'gujarati',
  'hindi',
  'kannada',
  'malayalam',
  'oriya',
  'punjabi',
  'tamil',
  'telugu',
  'urdu',
];

/** The default alphabet with its extension table. */
const defaultAlphabet: Alphabet = tablesOf(defaultCells);

const nationalAlphabets: ReadonlyMap<Language, Alphabet> = new Map(
  allLanguages.map((language) => [language, tablesOf(cellsByLanguage[language])]),
);

/** The tables that `national` names. The default replaces a table that is not named or does not exist. */
export function alphabetOf(national: National): Alphabet {
  const locking = national.locking && nationalAlphabets.get(national.locking)?.locking;
  const single = national.single && nationalAlphabets.get(national.single)?.single;
  if (!locking && !single) return defaultAlphabet;
  return { locking: locking ?? defaultAlphabet.locking, single: single ?? defaultAlphabet.single };
}

/** Whether the language has a locking shift table; Spanish has a single shift table only. */
export function hasLockingTable(language: Language): boolean {
  return cellsByLanguage[language].locking !== undefined;
}

/** The national language identifier of a language (section 6.2.1.2.4). */
export function identifierOf(language: Language): number {
  return cellsByLanguage[language].identifier;
}

/** The language of an identifier. Undefined for a reserved value, which a receiver must ignore (section 6.2.1.2.4). */
export function languageOf(identifier: number): Language | undefined {
  return allLanguages[identifier - 1];
}

function tablesOf(cells: Cells): Alphabet {
  const single = tableOf(cells.single);
  return { locking: cells.locking ? tableOf(cells.locking) : defaultAlphabet.locking, single };
}

function tableOf(columns: readonly string[]): Table {
  const cells = columns.join('');
  const units = new Uint16Array(128);
  const codes = new Uint8Array(highestUnit + 1).fill(noCode);
  for (let code = 0; code < cells.length; code++) {
    if (cells[code] === emptyCell) continue;
    const unit = cells.charCodeAt(code);
    units[code] = unit;
    if (codes[unit] === noCode) codes[unit] = code;
  }
  return { units, codes };
}
