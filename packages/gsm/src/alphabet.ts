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
 * The alphabets of 3GPP TS 23.038 as lookup tables, with separate tables for each language.
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

/** The languages of the national tables for a text. Default: the GSM default alphabet and its extension table. */
export interface National {
  readonly locking?: Language;
  readonly single?: Language;
}

/** A character table with 128 codes, for lookup in both directions. */
export interface Table {
  /** The UTF-16 unit for each code; 0 for an empty cell. No table contains the character U+0000. */
  readonly units: Uint16Array;
  /**
   * The code for each UTF-16 unit, or `noCode`. If two cells of a table contain the same character, `codes` contains
   * the lower code.
   */
  readonly codes: Uint8Array;
}

/**
 * The two tables for a text. A character of the locking table needs one septet. A character of the single shift table
 * needs two septets: the escape and its code.
 */
export interface Alphabet {
  readonly locking: Table;
  readonly single: Table;
}

/** The value in `Table.codes` for a character that is not in the table. */
export const noCode = 0xff;

/** The code of the escape, before each character of the single shift table (section 6.2.1.1). */
export const escapeCode = 0x1b;

/** The highest character of all tables: the infinity sign in the Portuguese tables. */
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

/**
 * All languages with national tables, in the order of their national language identifiers. The first identifier is 1.
 */
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

/** The GSM default alphabet and its extension table. */
const defaultAlphabet: Alphabet = tablesOf(defaultCells);

const nationalAlphabets: ReadonlyMap<Language, Alphabet> = new Map(
  allLanguages.map((language) => [language, tablesOf(cellsByLanguage[language])]),
);

/**
 * Returns the tables for the languages in `national`. If `national` has no language, or the language has no such table,
 * the default table is used.
 */
export function alphabetOf(national: National): Alphabet {
  const locking = national.locking && nationalAlphabets.get(national.locking)?.locking;
  const single = national.single && nationalAlphabets.get(national.single)?.single;
  if (!locking && !single) return defaultAlphabet;
  return { locking: locking ?? defaultAlphabet.locking, single: single ?? defaultAlphabet.single };
}

/** Whether the language has a locking shift table. Spanish has only a single shift table. */
export function hasLockingTable(language: Language): boolean {
  return cellsByLanguage[language].locking !== undefined;
}

/** The national language identifier of a language (section 6.2.1.2.4). */
export function identifierOf(language: Language): number {
  return cellsByLanguage[language].identifier;
}

/**
 * Returns the language of a national language identifier; undefined for a reserved value, which a receiver must ignore
 * (section 6.2.1.2.4).
 */
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
