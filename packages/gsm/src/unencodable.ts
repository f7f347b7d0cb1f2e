import { alphabetOf, noCode, type Alphabet, type National } from './alphabet.ts';

/*
 * Finds the characters of a text that an encoding cannot represent.
 */

/** The two encodings of a text. */
export type Encoding = 'gsm7' | 'ucs2';

/**
 * Why a text cannot be sent. `character`: a character is not in the alphabet. `nul`: the text contains U+0000.
 * `surrogate`: the text contains only one half of a surrogate pair. `empty`: the text is empty; then `character` is
 * empty as well, and `position` is 0.
 */
export interface Unencodable {
  readonly ok: false;
  readonly reason: 'character' | 'nul' | 'surrogate' | 'empty';
  /** The first code point that cannot be sent. */
  readonly character: string;
  /** The position of this code point in the text, counted in code points from 0. */
  readonly position: number;
}

/**
 * Returns the first character that the encoding cannot represent; undefined if the encoding can represent the whole
 * text.
 */
export function findUnencodable(text: string, encoding: Encoding, national: National = {}): Unencodable | undefined {
  return encoding === 'ucs2' ? findBroken(text) : findOutside(text, alphabetOf(national));
}

/** Returns the first character that the tables do not contain; undefined if they contain all characters. */
export function findOutside(text: string, { locking, single }: Alphabet): Unencodable | undefined {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((locking.codes[unit] ?? noCode) !== noCode) continue;
    if ((single.codes[unit] ?? noCode) === noCode) return refuse(text, at);
  }
  return undefined;
}

/** The characters of a text that are not in the GSM alphabet. */
export interface Outside {
  /** How many characters of the text are not in the GSM alphabet. */
  readonly count: number;
  /**
   * The first characters that are not in the GSM alphabet, including repetitions, with their positions in code points
   * from 0.
   */
  readonly characters: readonly { readonly character: string; readonly position: number }[];
}

/**
 * Counts the characters outside the GSM default alphabet and its extension table, and lists the first `max` of them.
 */
export function listOutside(text: string, max: number): Outside {
  const { locking, single } = alphabetOf({});
  const characters: { character: string; position: number }[] = [];
  let count = 0;
  let position = 0;
  for (const character of text) {
    const unit = character.charCodeAt(0);
    if ((locking.codes[unit] ?? noCode) === noCode && (single.codes[unit] ?? noCode) === noCode) {
      if (count < max) characters.push({ character, position });
      count += 1;
    }
    position += 1;
  }
  return { count, characters };
}

/** Returns the first U+0000 or incomplete surrogate pair; undefined if the text has neither. */
export function findBroken(text: string): Unencodable | undefined {
  // Both checks are fast. The slow loop below runs only for a text that will be refused.
  if (text.isWellFormed() && !text.includes('\0')) return undefined;
  let at = 0;
  for (const character of text) {
    if (character === '\0' || !character.isWellFormed()) return refuse(text, at);
    at += character.length;
  }
  return undefined;
}

function refuse(text: string, at: number): Unencodable {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  let position = 0;
  for (let before = 0; before < at; position++) before += (text.codePointAt(before) ?? 0) > 0xffff ? 2 : 1;
  return { ok: false, reason: reasonFor(character), character, position };
}

function reasonFor(character: string): Unencodable['reason'] {
  if (character === '\0') return 'nul';
  return character.isWellFormed() ? 'character' : 'surrogate';
}
