import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';

/*
 * A keyword is the first word of a message from a phone, by which its number leads to an account or a webhook (decisions,
 * section 6). A word is letters and digits of any script; whatever stands before it (`#`, quotes, emoji, spaces) and behind it
 * is none. Everybody who asks for a keyword asks here.
 */

/** Longer than any word that somebody would print on a poster. */
export const keywordMax = 32;

/** As far as a text is looked at for its first word, and for a word beside a STOP. */
const lookMax = 256;

/** Combining marks belong to their letter; what nobody sees (joiners, direction marks) does not end a word. */
const firstWordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}]*/u;
const wordPattern = new RegExp(firstWordPattern, 'gu');

/** Scripts that write no spaces between words, and what never begins a word in them. */
const spaceless = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const inside = /[\p{M}\p{Cf}ー]/u;

/** All of the first word of a text, folded; null when there is none, or it is too long for a keyword. */
export function keywordOf(text: string | null): string | null {
  const first = text === null ? undefined : firstWordOf(text);
  return first === undefined ? null : keywordFrom([first]);
}

/**
 * The first word of a text if it is a known one. Where its script writes no spaces, it is the longest known one that the
 * text begins with.
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

/** The known words of a text, wherever they stand, each with what is said beside it. */
export function keywordsIn(text: string, isKnown: (word: string) => boolean): readonly KeywordInText[] {
  const normal = normalOf(text);
  return [...normal.matchAll(wordPattern)].flatMap((found) => {
    const pieces = piecesOf(found[0]);
    const folded = pieces.map(foldKeyword);
    const lengthOf = (from: number, to: number) => pieces.slice(from, to).join('').length;
    // All of it, its beginnings, its endings: one word beside another is never in the middle of a third.
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

/** Reads what an operator gives as a keyword: one word, in any case, with or without marks around it; or says what is wrong. */
export function parseKeyword(input: string): Result<string, string> {
  const words = input.length > lookMax ? [] : (normalOf(input).match(wordPattern) ?? []);
  if (words.length > 1) {
    return refused('must be one word of letters and digits, without spaces or marks in it: the first word counts');
  }
  const keyword = keywordFrom(words);
  return keyword === null ? refused(`must be a word of 1 to ${keywordMax} letters and digits`) : ok(keyword);
}

const plainWord = /^[A-Za-z0-9]+$/;

/** Letters that no normal form takes apart, and that people leave out where their keyboard has none. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', ł: 'l', đ: 'd', ø: 'o', æ: 'ae', œ: 'oe' };

/** The zeros of digits that phones write in other scripts; full-width ones are compatible forms of 0 to 9. */
const zeros = Array.from('٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០', (zero) => zero.codePointAt(0) ?? 0);

/**
 * The form in which words are compared: compatible forms are one (NFKC), and so are cases, digits of all scripts, and Latin and
 * Greek letters with and without accents, which a GSM text often cannot carry. Marks of other scripts make other letters.
 */
function foldKeyword(word: string): string {
  // Most are plain, and need nothing else of this.
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

/** From one piece of a word to before another. */
type Span = readonly [from: number, to: number];

/** One keyword of pieces of a word that are folded; null if it is none, or too long for one. */
function joined(folded: readonly string[], from: number, to: number): string | null {
  const keyword = folded.slice(from, to).join('');
  return keyword === '' || keyword.length > keywordMax ? null : keyword;
}

function keywordFrom(words: readonly string[]): string | null {
  return joined(words.slice(0, 1).map(foldKeyword), 0, 1);
}

/** A word where it may end and another begin, though nothing stands between them: only scripts without spaces have such places. */
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
