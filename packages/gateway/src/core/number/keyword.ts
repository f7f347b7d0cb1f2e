import { ok, refused, type Result } from '@morsel/api/values/result.ts';

/*
 * Finds keywords. A keyword is the first word of an inbound message; it selects an account or a webhook. A word
 * consists of letters and digits of any script. Other characters around a word, such as `#`, quotes, emoji and spaces,
 * do not belong to the word.
 */

/** Most UTF-16 units of a keyword. Keywords in advertisements are shorter. */
export const keywordMax = 32;

/** Keywords are searched only in this many first characters of a text. */
const lookMax = 256;

/** A word includes combining marks of its letters, and invisible characters such as joiners and direction marks. */
const firstWordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}]*/u;
const wordPattern = new RegExp(firstWordPattern, 'gu');

/** Characters of scripts without spaces between words; `inside` has the characters that never begin a word there. */
const spaceless = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const inside = /[\p{M}\p{Cf}ー]/u;

/** The first word of a text in its folded form; null if there is no word, or the word is too long for a keyword. */
export function keywordOf(text: string | null): string | null {
  const first = text === null ? undefined : firstWordOf(text);
  return first === undefined ? null : keywordFrom([first]);
}

/** The known keyword that is the first word; in scripts without spaces, the longest one with which the word begins. */
export function findKeyword(text: string | null, isKnown: (word: string) => boolean): string | null {
  const first = text === null ? undefined : firstWordOf(text);
  const pieces = first === undefined ? [] : piecesOf(first).map(foldKeyword);
  for (let count = pieces.length; count > 0; count--) {
    const keyword = joined(pieces, 0, count);
    if (keyword !== null && isKnown(keyword)) return keyword;
  }
  return null;
}

/** A keyword that was found in a text, in its folded form, and the rest of the text. */
export interface KeywordInText {
  readonly keyword: string;
  readonly rest: string;
}

/** Finds known keywords anywhere in a text. Each result has the keyword and the rest of the text. */
export function keywordsIn(text: string, isKnown: (word: string) => boolean): readonly KeywordInText[] {
  const normal = normalOf(text);
  return [...normal.matchAll(wordPattern)].flatMap((found) => {
    const pieces = piecesOf(found[0]);
    const folded = pieces.map(foldKeyword);
    const lengthOf = (from: number, to: number) => pieces.slice(from, to).join('').length;
    // In scripts without spaces, a keyword may be the whole run of characters, its beginning or its end.
    const spans = pieces.flatMap((_, at): Span[] =>
      at === 0
        ? [[0, pieces.length]]
        : [
            [0, at],
            [at, pieces.length],
          ],
    );
    return spans.flatMap(([from, to]) => {
      const keyword = joined(folded, from, to);
      if (keyword === null || !isKnown(keyword)) return [];
      const at = found.index + lengthOf(0, from);
      return [{ keyword, rest: `${normal.slice(0, at)} ${normal.slice(at + lengthOf(from, to))}` }];
    });
  });
}

/** The operator gives one word in upper or lower case; other characters around it are dropped. */
export function parseKeyword(input: string): Result<string, string> {
  const words = input.length > lookMax ? [] : (normalOf(input).match(wordPattern) ?? []);
  if (words.length > 1) {
    return refused(
      'must be one word of letters and digits, without other characters inside: a keyword is only the first word of a message',
    );
  }
  const keyword = keywordFrom(words);
  return keyword === null ? refused(`must be a word of 1 to ${keywordMax} letters and digits`) : ok(keyword);
}

const plainWord = /^[A-Za-z0-9]+$/;

/** Letters that normalisation does not decompose. People without these letters type the replacements. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', ł: 'l', đ: 'd', ø: 'o', æ: 'ae', œ: 'oe' };

/** The digit zero of other scripts; the digits 1 to 9 follow it. NFKD already converts full-width digits. */
const zeros = Array.from('٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០', (zero) => zero.codePointAt(0) ?? 0);

/**
 * Brings a word into its folded form, in which words are compared. Upper and lower case, compatible forms (NFKC) and
 * digits of all scripts become equal. Latin and Greek letters lose their accents, which the GSM alphabet often lacks.
 * Letters of other scripts keep their marks.
 */
function foldKeyword(word: string): string {
  if (plainWord.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '')
    .replaceAll(/[ςłđøæœ]/g, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)))
    .normalize('NFC');
}

function valueOf(digit: string): number | string {
  const code = digit.codePointAt(0) ?? 0;
  const zero = zeros.find((each) => code >= each && code <= each + 9);
  return zero === undefined ? digit : code - zero;
}

function normalOf(text: string): string {
  return text.slice(0, lookMax).normalize('NFKC');
}

function firstWordOf(text: string): string | undefined {
  return firstWordPattern.exec(normalOf(text))?.[0];
}

/** Which pieces of a word belong together: from the piece `from` up to, but not including, the piece `to`. */
type Span = readonly [from: number, to: number];

/** Joins folded pieces of a word to a keyword; null if the result is empty or too long. */
function joined(folded: readonly string[], from: number, to: number): string | null {
  const keyword = folded.slice(from, to).join('');
  return keyword === '' || keyword.length > keywordMax ? null : keyword;
}

function keywordFrom(words: readonly string[]): string | null {
  return joined(words.slice(0, 1).map(foldKeyword), 0, 1);
}

/** Only words of scripts without spaces have several pieces: a keyword may begin or end at each piece. */
function piecesOf(word: string): readonly string[] {
  if (!spaceless.test(word)) return [word];
  const pieces: string[] = [];
  let last = '';
  for (const character of word) {
    const isNew = !inside.test(character) && (spaceless.test(last) || spaceless.test(character));
    if (isNew || pieces.length === 0) pieces.push(character);
    else pieces[pieces.length - 1] += character;
    if (!inside.test(character)) last = character;
  }
  return pieces;
}
