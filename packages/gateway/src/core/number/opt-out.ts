/*
 * Which inbound texts opt out or in, and of what: the words, how texts compare with them, and how an account can change
 * them.
 */

import type { OptOutScope, WordMeaning } from '@morsel/api/values/number.ts';
import { politeWords, reasonableMeans, signatureBeginnings, usualWords } from './opt-out-words.ts';

/** What a text asks for: no more messages, or messages again. */
export type Wish = 'stop' | 'start';

/** How an account's opt-out list is filled. */
export interface OptOutHandling {
  /** Whether inbound words change the list. Existing entries always count. */
  readonly isOn: boolean;
  readonly scope: OptOutScope;
  /** The account's words by their folded form; they take precedence over the usual ones. */
  readonly words: ReadonlyMap<string, WordMeaning>;
}

/** The default settings. */
export const usualHandling: OptOutHandling = { isOn: true, scope: 'account', words: new Map() };

/** An opt-out of every sender of an account. */
export const everySender = '';

/** Most words of an account. */
export const accountWordsMax = 500;
/** Most UTF-16 units of a word: a phrase, not a text. */
export const wordMax = 40;

/**
 * Longest text that can opt out: ten parts, because somebody may repeat STOP until they are full. A longer text says
 * more than a word.
 */
const textMax = 1_600;

export interface Wished {
  readonly wish: Wish;
  /** The word, folded: always a word of a list, never other text of a person. */
  readonly word: string;
}

/**
 * What a text asks for, if it says nothing else. It may be one of the words or phrases, alone or repeated, with
 * punctuation, emoji and a `please` around it, or letter by letter. After a STOP there may be what should stop, and a
 * signature. "Stop by the shop tomorrow" and "don't stop" ask for nothing.
 */
export function readWish(text: string, accountWords: OptOutHandling['words']): Wished | undefined {
  if (text.length > textMax) return undefined;
  const whole = wishOfAll(text, accountWords);
  if (whole) return whole;
  const signed = aboveSignature(text);
  const above = signed === undefined ? undefined : wishOfAll(signed, accountWords);
  // Only a START word itself ends a protection.
  return above?.wish === 'stop' ? above : undefined;
}

function wishOfAll(text: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const folded = foldWord(text);
  const bare = withoutPolite(folded);
  return (
    wishOf(folded, accountWords) ??
    wishOf(bare, accountWords) ??
    wishOf(spelledOut(bare), accountWords) ??
    reasonableStop(bare, accountWords)
  );
}

/**
 * The folded form in which words compare. Compatible forms (NFKC: full-width letters), cases, letters with and without
 * accents, and separators between words are equal. Look-alikes of other scripts are not.
 */
export function foldWord(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(accents, '')
    .replaceAll(invisible, '')
    .replaceAll(/[ıßłøđæœς]/g, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFC')
    .replaceAll(between, ' ')
    .trim();
}

/** Whether an entry of the list covers this sender. Alphanumeric senders compare without case. */
export function coversSender(listed: string, sender: string): boolean {
  return listed === everySender || listed.toLowerCase() === sender.toLowerCase();
}

/** Marks on letters; the signs of Indic and Thai vowels are letters of their own. */
const accents = /[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;
/** Invisible characters: direction marks, joiners and byte order marks. */
const invisible = /\p{Cf}/gu;
const between = /[^\p{L}\p{M}\p{N}]+/gu;

/** Letters that no normal form decomposes, and that people replace if their keyboard lacks them. */
const plainLetters: Readonly<Record<string, string>> = {
  ı: 'i',
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
};

const usual: ReadonlyMap<string, Wish> = new Map(
  usualWords.flatMap(({ stop, start }) => [
    ...stop.map((word) => [foldWord(word), 'stop'] as const),
    ...start.map((word) => [foldWord(word), 'start'] as const),
  ]),
);

const polite: readonly string[] = politeWords.map(foldWord);

function meaningOf(word: string, accountWords: OptOutHandling['words']): Wish | undefined {
  const meaning = accountWords.get(word) ?? usual.get(word);
  return meaning === 'nothing' ? undefined : meaning;
}

/** One phrase, or only words with the same meaning ("STOP STOP"). */
function wishOf(folded: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const wish = meaningOf(folded, accountWords);
  if (wish) return { wish, word: folded };
  const [first = '', ...rest] = folded.split(' ');
  const repeated = meaningOf(first, accountWords);
  return repeated && rest.every((word) => meaningOf(word, accountWords) === repeated)
    ? { wish: repeated, word: first }
    : undefined;
}

/** Removed once before, and once after. */
function withoutPolite(folded: string): string {
  const before = polite.find((word) => folded.startsWith(`${word} `));
  const rest = before === undefined ? folded : folded.slice(before.length + 1);
  const behind = polite.find((word) => rest.endsWith(` ${word}`));
  return behind === undefined ? rest : rest.slice(0, -behind.length - 1);
}

/** "S.T.O.P" and "s t o p": single letters are joined to one word. */
function spelledOut(folded: string): string {
  return /^\p{L}(?: \p{L})+$/u.test(folded) ? folded.replaceAll(' ', '') : folded;
}

const plain: readonly string[] = reasonableMeans.plain;
const everyday: readonly string[] = reasonableMeans.everyday;
const wished: readonly string[] = reasonableMeans.wished;
const before = new Set<string>(reasonableMeans.before);
const messages = new Set<string>(reasonableMeans.messages);
const around = new Set<string>([
  ...reasonableMeans.messages,
  ...reasonableMeans.between,
  ...reasonableMeans.address,
  ...politeWords.map(foldWord),
]);

/** A STOP followed only by what should stop. */
function reasonableStop(folded: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const words = folded.split(' ');
  const start = words.findIndex((word) => !before.has(word));
  const asked = words.slice(Math.max(start, 0)).join(' ');
  const heads = start > 0 ? wished : [...plain, ...everyday];
  for (const head of heads) {
    if (asked !== head && !asked.startsWith(`${head} `)) continue;
    const rest = asked
      .slice(head.length + 1)
      .split(' ')
      .filter((word) => word !== '');
    const isAllOfIt = rest.every((word) => around.has(word));
    // "End of message" is printed below some messages.
    const isOfMessages = !everyday.includes(head) || (rest[0] !== 'of' && rest.some((word) => messages.has(word)));
    if (isAllOfIt && isOfMessages && meaningOf(head, accountWords) === 'stop') return { wish: 'stop', word: head };
  }
  return undefined;
}

const lineEnd = /\r\n|[\r\n\u2028\u2029]/;
/**
 * Separators between a text and its signature: lines of marks (`-- ` is that of RFC 3676, section 4.3), and an empty
 * line.
 */
const partingLine = /^\s*(?:--.*|[–—_=~*]+\s*)?$/;
const signatures: readonly string[] = signatureBeginnings.map(foldWord);

/** The one line above a signature; undefined if there is no signature. */
function aboveSignature(text: string): string | undefined {
  const lines = text.trim().split(lineEnd);
  const [first = '', second] = lines;
  if (second !== undefined) return partingLine.test(second) || isSignature(foldWord(second)) ? first : undefined;
  const folded = foldWord(first);
  const at = signatures.map((each) => folded.indexOf(` ${each} `)).filter((each) => each > 0);
  return at.length === 0 ? undefined : folded.slice(0, Math.min(...at));
}

function isSignature(folded: string): boolean {
  return signatures.some((each) => folded.startsWith(`${each} `));
}
