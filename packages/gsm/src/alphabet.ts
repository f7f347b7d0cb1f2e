/** The alphabets of 3GPP TS 23.038 as lookup tables, and which of them a message uses. */
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

/** A language with national tables of its own. */
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

/** The national tables of a text: none named means the default alphabet and its extension table. */
export interface National {
  readonly locking?: Language;
  readonly single?: Language;
}

/** One table of 128 codes, both ways. */
export interface Table {
  /** UTF-16 unit of each code, 0 where the cell is empty (no table holds U+0000). */
  readonly units: Uint16Array;
  /** Code of each UTF-16 unit, noCode where the table lacks it; where two cells hold one character, the lower code. */
  readonly codes: Uint8Array;
}

/** The two tables in force in a text: one septet a character, or the escape and a septet. */
export interface Alphabet {
  readonly locking: Table;
  readonly single: Table;
}

/** What `Table.codes` answers for a character that the table lacks. */
export const noCode = 0xff;

/** The escape to the single shift table (section 6.2.1.1). */
export const escapeCode = 0x1b;

/** The highest character in any table is the infinity sign of Portuguese, so lookups need no more than this. */
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

/** The tables that `national` names; the default ones where it names none, or a locking table that does not exist. */
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

/** The language of an identifier; undefined for reserved values, which a receiver ignores (section 6.2.1.2.4). */
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
