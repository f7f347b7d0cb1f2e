/*
 * Recognises inbound texts that opt out or opt in: compares a text with the usual words and with the account's words.
 */

import type { OptOutScope, WordMeaning } from '@morsel/api/values/number.ts';
import { politeWords, reasonableMeans, signatureBeginnings, usualWords } from './opt-out-words.ts';

/** The request of the person: no more messages (`stop`), or messages again (`start`). */
export type Wish = 'stop' | 'start';

export interface OptOutHandling {
  /** Whether inbound messages change the opt-out list. Existing entries of the list always count. */
  readonly isOn: boolean;
  readonly scope: OptOutScope;
  /** The account's words in their folded form, which take precedence over the usual words. */
  readonly words: ReadonlyMap<string, WordMeaning>;
}

export const usualHandling: OptOutHandling = { isOn: true, scope: 'account', words: new Map() };

/** Stands for all senders of an account in its opt-out list. */
export const everySender = '';

export const accountWordsMax = 500;
/** Most UTF-16 units of an opt-out word. A word may be a short phrase. */
export const wordMax = 40;

/** A longer text is never an opt-out. The limit is about ten parts, because some people repeat STOP many times. */
const textMax = 1_600;

export interface Wished {
  readonly wish: Wish;
  /** The recognised word in its folded form. It is always a word from a list, never other text that a person wrote. */
  readonly word: string;
}

/**
 * Recognises a text that opts out or opts in and says nothing else; otherwise undefined. The text is a word or phrase
 * of the lists, which may be repeated or spelled letter by letter. Punctuation, emoji and polite words may stand around
 * it. After a STOP, the text may say what should stop, and have a signature. "Stop by the shop tomorrow" and "don't
 * stop" are not recognised.
 */
export function readWish(text: string, accountWords: OptOutHandling['words']): Wished | undefined {
  if (text.length > textMax) return undefined;
  const folded = foldWord(text);
  const whole = wishOfAll(folded, accountWords);
  if (whole) return whole;
  const signed = aboveSignature(text, folded);
  const above = signed === undefined ? undefined : wishOfAll(foldWord(signed), accountWords);
  // Above a signature only an opt-out counts, because an opt-in must be quite clear.
  return above?.wish === 'stop' ? above : undefined;
}

function wishOfAll(folded: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const bare = withoutPolite(folded);
  return (
    wishOf(folded, accountWords) ??
    wishOf(bare, accountWords) ??
    wishOf(spelledOut(bare), accountWords) ??
    reasonableStop(bare, accountWords)
  );
}

/**
 * Brings a text into its folded form, in which texts are compared. Upper and lower case, compatible forms (NFKC, such
 * as full-width letters), accents and separators make no difference. Letters of other scripts that look alike stay
 * different.
 */
export function foldWord(text: string): string {
  // Of these texts, which are most, only the last two steps change anything.
  if (ascii.test(text)) return text.toLowerCase().replaceAll(betweenAscii, ' ').trim();
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

/** Whether an entry of the opt-out list covers this sender. Upper and lower case are equal in names. */
export function coversSender(listed: string, sender: string): boolean {
  return listed === everySender || listed.toLowerCase() === sender.toLowerCase();
}

/** Vowel signs of Indic scripts and Thai are not removed, because they are letters. */
const accents = /[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;
/** Invisible characters: direction marks, joiners and byte order marks. */
const invisible = /\p{Cf}/gu;
const between = /[^\p{L}\p{M}\p{N}]+/gu;
const ascii = /^\p{ASCII}*$/u;
const betweenAscii = /[^a-z0-9]+/g;

/** Letters that normalisation does not decompose. People without these letters type the replacements. */
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

const polite = politeWords.map(foldWord);
const politeBefore = polite.map((word) => `${word} `);
const politeBehind = polite.map((word) => ` ${word}`);

function meaningOf(word: string, accountWords: OptOutHandling['words']): Wish | undefined {
  const meaning = accountWords.get(word) ?? usual.get(word);
  return meaning === 'nothing' ? undefined : meaning;
}

/** Recognises one word or phrase of the lists, or several words with the same meaning ("STOP STOP"). */
function wishOf(folded: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const wish = meaningOf(folded, accountWords);
  if (wish) return { wish, word: folded };
  const [first = '', ...rest] = folded.split(' ');
  const repeated = meaningOf(first, accountWords);
  return repeated && rest.every((word) => meaningOf(word, accountWords) === repeated)
    ? { wish: repeated, word: first }
    : undefined;
}

/** Removes one polite word or phrase at the beginning, and one at the end. */
function withoutPolite(folded: string): string {
  const before = politeBefore.find((word) => folded.startsWith(word)) ?? '';
  const rest = folded.slice(before.length);
  const behind = politeBehind.find((word) => rest.endsWith(word)) ?? '';
  return rest.slice(0, rest.length - behind.length);
}

/** Joins single letters to one word: "S.T.O.P" and "s t o p" become "stop". */
function spelledOut(folded: string): string {
  return /^\p{L}(?: \p{L})+$/u.test(folded) ? folded.replaceAll(' ', '') : folded;
}

const plain: readonly string[] = reasonableMeans.plain;
const everyday: readonly string[] = reasonableMeans.everyday;
const wished: readonly string[] = reasonableMeans.wished;
const unwished = [...plain, ...everyday];
const before = new Set<string>(reasonableMeans.before);
const messages = new Set<string>(reasonableMeans.messages);
const around = new Set<string>([
  ...reasonableMeans.messages,
  ...reasonableMeans.between,
  ...reasonableMeans.address,
  ...polite,
]);

/** Recognises an English STOP after which the text only says what should stop ("stop sending me messages"). */
function reasonableStop(folded: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const words = folded.split(' ');
  const start = words.findIndex((word) => !before.has(word));
  const asked = words.slice(Math.max(start, 0)).join(' ');
  const heads = start > 0 ? wished : unwished;
  for (const head of heads) {
    if (asked !== head && !asked.startsWith(`${head} `)) continue;
    const rest = asked
      .slice(head.length + 1)
      .split(' ')
      .filter((word) => word !== '');
    const isAllOfIt = rest.every((word) => around.has(word));
    // "End of message" is no opt-out: some programs add it to messages.
    const isOfMessages = !everyday.includes(head) || (rest[0] !== 'of' && rest.some((word) => messages.has(word)));
    if (isAllOfIt && isOfMessages && meaningOf(head, accountWords) === 'stop') return { wish: 'stop', word: head };
  }
  return undefined;
}

const lineEnd = /\r\n|[\r\n\u2028\u2029]/;
/** A line between a text and its signature: an empty line or a line of marks, such as `-- ` (RFC 3676, section 4.3). */
const partingLine = /^\s*(?:--.*|[–—_=~*]+\s*)?$/;
const signatures = signatureBeginnings.map((each) => `${foldWord(each)} `);
const signaturesBehind = signatures.map((each) => ` ${each}`);

/** The text before a signature; undefined if there is no signature, or more than one line before it. */
function aboveSignature(text: string, folded: string): string | undefined {
  const lines = text.trim().split(lineEnd);
  const [first = '', second] = lines;
  if (second !== undefined) return partingLine.test(second) || isSignature(foldWord(second)) ? first : undefined;
  const at = signaturesBehind.map((each) => folded.indexOf(each)).filter((each) => each > 0);
  return at.length === 0 ? undefined : folded.slice(0, Math.min(...at));
}

function isSignature(folded: string): boolean {
  return signatures.some((each) => folded.startsWith(each));
}
