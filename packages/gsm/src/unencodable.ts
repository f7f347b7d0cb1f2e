/** Why a text cannot be sent in an encoding: the first character at fault, where it stands, and what is wrong with it. */
import { alphabetOf, noCode, type Alphabet, type National } from './alphabet.ts';

/** The two ways to encode a text. */
export type Encoding = 'gsm7' | 'ucs2';

/**
 * `character`: not in the alphabet. `nul`: U+0000. `surrogate`: half of a surrogate pair. `empty`: there is no text;
 * then `character` is empty and `position` 0.
 */
export interface Unencodable {
  readonly ok: false;
  readonly reason: 'character' | 'nul' | 'surrogate' | 'empty';
  /** The code point at fault. */
  readonly character: string;
  /** Where it stands, counted in code points from 0. */
  readonly position: number;
}

/** The first character of a text that the encoding cannot carry, or undefined when all of it can be sent. */
export function findUnencodable(text: string, encoding: Encoding, national: National = {}): Unencodable | undefined {
  return encoding === 'ucs2' ? findBroken(text) : findOutside(text, alphabetOf(national));
}

/** The first character that the tables lack. */
export function findOutside(text: string, { locking, single }: Alphabet): Unencodable | undefined {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((locking.codes[unit] ?? noCode) !== noCode) continue;
    if ((single.codes[unit] ?? noCode) === noCode) return refuse(text, at);
  }
  return undefined;
}

/** What of a text keeps it from the GSM alphabet. */
export interface Outside {
  /** How many characters of the text are not in it. */
  readonly count: number;
  /** The first of them, each as often as it stands there, with its place in code points from 0. */
  readonly characters: readonly { readonly character: string; readonly position: number }[];
}

/** The characters outside of the GSM default alphabet and its extension table, of which the first `max` are named. */
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

/** The first character that is no character: U+0000 or half of a surrogate pair. */
export function findBroken(text: string): Unencodable | undefined {
  // Both tests are native and answer for nearly every text; the walk is for the one that is refused.
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
