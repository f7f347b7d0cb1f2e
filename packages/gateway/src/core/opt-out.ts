import { politeWords, usualWords } from './opt-out-words.ts';

/** What a phone's message wishes: no more messages, or messages again. */
export type Wish = 'stop' | 'start';

/** What an account's own word means; `nothing` takes a usual word away. */
export const wordMeanings = ['stop', 'start', 'nothing'] as const;
export type WordMeaning = (typeof wordMeanings)[number];

/**
 * What a STOP is for. `account`: every sender of the account, whichever number the phone wrote to; a phone cannot answer an
 * alphanumeric sender, and who withdraws a consent withdraws it from the company and not from one of its numbers.
 * `sender`: the number that it wrote to, for accounts in which several companies have each their number.
 */
export const optOutScopes = ['account', 'sender'] as const;
export type OptOutScope = (typeof optOutScopes)[number];

/** How an account's opt-out list fills. */
export interface OptOutHandling {
  /** Whether words of phones change the list. What is on it holds in any case. */
  readonly isOn: boolean;
  readonly scope: OptOutScope;
  /** Its own words by their folded form; they go before the usual ones. */
  readonly words: ReadonlyMap<string, WordMeaning>;
}

/** How an account is handled that the operator did not set otherwise. */
export const usualHandling: OptOutHandling = { isOn: true, scope: 'account', words: new Map() };

/** An opt-out of every sender of an account. */
export const everySender = '';

/** Words that an account may have of its own. */
export const ownWordsMax = 500;
/** UTF-16 units of one: a phrase, not a text. */
export const wordMax = 40;

/** Longer texts say more than a word, whatever they begin with. */
const textMax = 160;

export interface Wished {
  readonly wish: Wish;
  /** The word it was, folded: one of a list, never what else a person wrote. */
  readonly word: string;
}

/**
 * What a text wishes; nothing unless it is all that it says: one of the words or phrases, alone or again and again, with
 * punctuation, emoji and a `please` around it. "Stop by the shop tomorrow" wishes nothing, nor does "don't stop".
 */
export function readWish(text: string, own: OptOutHandling['words']): Wished | undefined {
  if (text.length > textMax) return undefined;
  const folded = foldWord(text);
  return wishOf(folded, own) ?? wishOf(withoutPolite(folded), own);
}

/**
 * The form in which words are compared: compatible forms are one (NFKC: full-width letters), and so are cases, letters with
 * and without accents, and whatever stands between words. Look-alikes of other scripts are not.
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

/** Whether an entry of the list is for this sender. Names of senders are the same in either case. */
export function coversSender(listed: string, sender: string): boolean {
  return listed === everySender || listed.toLowerCase() === sender.toLowerCase();
}

/** Marks on letters; the signs of Indic and Thai vowels are letters of their own. */
const accents = /[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;
/** Direction marks, joiners and byte order marks: nobody sees them. */
const invisible = /\p{Cf}/gu;
const between = /[^\p{L}\p{M}\p{N}]+/gu;

/** Letters that no normal form takes apart, and that people leave out or replace where their keyboard has none. */
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

function meaningOf(word: string, own: OptOutHandling['words']): Wish | undefined {
  const meaning = own.get(word) ?? usual.get(word);
  return meaning === 'nothing' ? undefined : meaning;
}

/** One phrase, or nothing but words of one wish ("STOP STOP"). */
function wishOf(folded: string, own: OptOutHandling['words']): Wished | undefined {
  const wish = meaningOf(folded, own);
  if (wish) return { wish, word: folded };
  const [first = '', ...rest] = folded.split(' ');
  const repeated = meaningOf(first, own);
  return repeated && rest.every((word) => meaningOf(word, own) === repeated)
    ? { wish: repeated, word: first }
    : undefined;
}

/** Once before, and once behind. */
function withoutPolite(folded: string): string {
  const before = polite.find((word) => folded.startsWith(`${word} `));
  const rest = before === undefined ? folded : folded.slice(before.length + 1);
  const behind = polite.find((word) => rest.endsWith(` ${word}`));
  return behind === undefined ? rest : rest.slice(0, -behind.length - 1);
}
