import { ok, refused } from './result.ts';
import type { Result } from './result.ts';

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
  return first === undefined ? null : (keywordsOf(first, [[0, first.length]])[0] ?? null);
}

/**
 * The first word of a text if it is a known one. Where its script writes no spaces, it is the longest known one that the
 * text begins with.
 */
export function findKeyword(text: string | null, isKnown: (word: string) => boolean): string | null {
  const first = text === null ? undefined : firstWordOf(text);
  return first === undefined ? null : (keywordsOf(first, beginnings(first)).find(isKnown) ?? null);
}

/** A word of a text, folded, and the text without it. */
export interface KeywordInText {
  readonly keyword: string;
  readonly rest: string;
}

/** The known words of a text, wherever they stand, each with what is said beside it. */
export function keywordsIn(text: string, isKnown: (word: string) => boolean): readonly KeywordInText[] {
  const normal = normalOf(text);
  return wordsOf(text).flatMap(({ word, at }) =>
    [...beginnings(word), ...endings(word)].flatMap(([from, to]) => {
      const [keyword] = keywordsOf(word, [[from, to]]);
      if (keyword === undefined || !isKnown(keyword)) return [];
      return [{ keyword, rest: `${normal.slice(0, at + from)} ${normal.slice(at + to)}` }];
    }),
  );
}

/** Reads what an operator gives as a keyword: one word, in any case, with or without marks around it; or says what is wrong. */
export function parseKeyword(input: string): Result<string, string> {
  const words = input.length > lookMax ? [] : wordsOf(input);
  const [word] = words;
  if (words.length > 1) {
    return refused('it has to be one word of letters and digits, without spaces or marks in it: the first word counts');
  }
  const [keyword] = word === undefined ? [] : keywordsOf(word.word, [[0, word.word.length]]);
  return keyword === undefined ? refused(`it has to be a word of 1 to ${keywordMax} letters and digits`) : ok(keyword);
}

/** Letters that no normal form takes apart, and that people leave out where their keyboard has none. */
const plainLetters: Readonly<Record<string, string>> = { ς: 'σ', ł: 'l', đ: 'd', ø: 'o', æ: 'ae', œ: 'oe' };

/** The zeros of digits that phones write in other scripts; full-width ones are compatible forms of 0 to 9. */
const zeros = Array.from('٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០', (zero) => zero.codePointAt(0) ?? 0);

/**
 * The form in which words are compared: compatible forms are one (NFKC), and so are cases, digits of all scripts, and Latin and
 * Greek letters with and without accents, which a GSM text often cannot carry. Marks of other scripts make other letters.
 */
function foldKeyword(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '')
    .replaceAll(/\p{Cf}/gu, '')
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

function wordsOf(text: string): { readonly word: string; readonly at: number }[] {
  return [...normalOf(text).matchAll(wordPattern)].map((found) => ({ word: found[0], at: found.index }));
}

type Span = readonly [from: number, to: number];

/** All of a word, and every beginning after which a script without spaces may begin another; the longest first. */
function beginnings(word: string): readonly Span[] {
  return [word.length, ...cuts(word).toReversed()].map((cut) => [0, cut]);
}

function endings(word: string): readonly Span[] {
  return cuts(word).map((cut) => [cut, word.length]);
}

/** Where one word may end and another begin, though nothing stands between them. */
function cuts(word: string): readonly number[] {
  if (!spaceless.test(word)) return [];
  const found: number[] = [];
  let at = 0;
  let last = '';
  for (const character of word) {
    if (at > 0 && !inside.test(character) && (spaceless.test(last) || spaceless.test(character))) found.push(at);
    if (!inside.test(character)) last = character;
    at += character.length;
  }
  return found;
}

/** Parts of a word as keywords are compared, without those that are too long for one. */
function keywordsOf(word: string, spans: readonly Span[]): readonly string[] {
  return spans
    .filter(([from, to]) => to - from <= keywordMax * 2)
    .map(([from, to]) => foldKeyword(word.slice(from, to)))
    .filter((keyword) => keyword.length <= keywordMax);
}
