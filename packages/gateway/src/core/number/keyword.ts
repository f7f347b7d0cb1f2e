import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/*
 * A keyword is the first word of an inbound message, by which its number leads to an account or a webhook. A word is
 * letters and digits of any script. Other characters before and after it (`#`, quotes, emoji, spaces) do not belong to
 * it. All code that reads keywords uses this file.
 */

/** Longer than any word on a poster. */
export const keywordMax = 32;

/** How much of a text is searched for its first word, and for a word beside a STOP. */
const lookMax = 256;

/** Combining marks belong to their letter; invisible characters (joiners, direction marks) do not end a word. */
const firstWordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}]*/u;
const wordPattern = new RegExp(firstWordPattern, 'gu');

/** Scripts without spaces between words, and characters that never begin a word in them. */
const spaceless = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const inside = /[\p{M}\p{Cf}ー]/u;

/** The first word of a text, folded; null if there is none, or it is too long for a keyword. */
export function keywordOf(text: string | null): string | null {
  const first = text === null ? undefined : firstWordOf(text);
  return first === undefined ? null : keywordFrom([first]);
}

/**
 * The first word of a text if it is a known one. In scripts without spaces it is the longest known word that the text
 * begins with.
 */
export function findKeyword(text: string | null, isKnown: (word: string) => boolean): string | null {
  const first = text === null ? undefined : firstWordOf(text);
  const pieces = first === undefined ? [] : piecesOf(first).map(foldKeyword);
  for (let count = pieces.length; count > 0; count--) {
    const keyword = joined(pieces, 0, count);
    if (keyword !== null && isKnown(keyword)) return keyword;
  }
  return null;
}

/** A word of a text, folded, and the text without it. */
export interface KeywordInText {
  readonly keyword: string;
  readonly rest: string;
}

/** The known words of a text, in any place, each with the rest of the text. */
export function keywordsIn(text: string, isKnown: (word: string) => boolean): readonly KeywordInText[] {
  const normal = normalOf(text);
  return [...normal.matchAll(wordPattern)].flatMap((found) => {
    const pieces = piecesOf(found[0]);
    const folded = pieces.map(foldKeyword);
    const lengthOf = (from: number, to: number) => pieces.slice(from, to).join('').length;
    // The whole text, its beginnings and its endings: a word beside another is never inside a third one.
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

/** Parses a keyword from the operator: one word, in any case, with or without marks around it. */
export function parseKeyword(input: string): Result<string, string> {
  const words = input.length > lookMax ? [] : (normalOf(input).match(wordPattern) ?? []);
  if (words.length > 1) {
    return refused('must be one word of letters and digits, without spaces or marks in it: the first word counts');
  }
  const keyword = keywordFrom(words);
  return keyword === null ? refused(`must be a word of 1 to ${keywordMax} letters and digits`) : ok(keyword);
}

const plainWord = /^[A-Za-z0-9]+$/;

/** Letters that no normal form decomposes, and that people replace if their keyboard lacks them. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', ł: 'l', đ: 'd', ø: 'o', æ: 'ae', œ: 'oe' };

/** The zeros of digits in other scripts. Full-width digits are compatible forms of 0 to 9. */
const zeros = Array.from('٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០', (zero) => zero.codePointAt(0) ?? 0);

/**
 * The folded form in which words compare. Compatible forms (NFKC), cases, digits of all scripts, and Latin and Greek
 * letters with and without accents are equal, because a GSM text often cannot carry them. Marks of other scripts make
 * other letters.
 */
function foldKeyword(word: string): string {
  // Most words are plain and need nothing more.
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

/** The separators before a piece of a word. */
type Span = readonly [from: number, to: number];

/** Makes one keyword of folded pieces of a word; null if it is none, or too long. */
function joined(folded: readonly string[], from: number, to: number): string | null {
  const keyword = folded.slice(from, to).join('');
  return keyword === '' || keyword.length > keywordMax ? null : keyword;
}

function keywordFrom(words: readonly string[]): string | null {
  return joined(words.slice(0, 1).map(foldKeyword), 0, 1);
}

/** Positions where a word may end and another begin without a separator: only in scripts without spaces. */
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
