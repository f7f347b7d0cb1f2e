import { politeWords, reasonableMeans, signatureBeginnings, usualWords } from './opt-out-words.ts';

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
export const accountWordsMax = 500;
/** UTF-16 units of one: a phrase, not a text. */
export const wordMax = 40;

/** Ten parts, as somebody may write STOP until they are full; longer texts say more than a word, whatever they begin with. */
const textMax = 1_600;

export interface Wished {
  readonly wish: Wish;
  /** The word it was, folded: one of a list, never what else a person wrote. */
  readonly word: string;
}

/**
 * What a text wishes; nothing unless it is all that it says: one of the words or phrases, alone or again and again, with
 * punctuation, emoji and a `please` around it, or letter by letter. Behind a STOP there may be what is to stop, and a
 * signature. "Stop by the shop tomorrow" wishes nothing, nor does "don't stop".
 */
export function readWish(text: string, accountWords: OptOutHandling['words']): Wished | undefined {
  if (text.length > textMax) return undefined;
  const whole = wishOfAll(text, accountWords);
  if (whole) return whole;
  const signed = aboveSignature(text);
  const above = signed === undefined ? undefined : wishOfAll(signed, accountWords);
  // A protection is taken away by nothing but its word.
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

function meaningOf(word: string, accountWords: OptOutHandling['words']): Wish | undefined {
  const meaning = accountWords.get(word) ?? usual.get(word);
  return meaning === 'nothing' ? undefined : meaning;
}

/** One phrase, or nothing but words of one wish ("STOP STOP"). */
function wishOf(folded: string, accountWords: OptOutHandling['words']): Wished | undefined {
  const wish = meaningOf(folded, accountWords);
  if (wish) return { wish, word: folded };
  const [first = '', ...rest] = folded.split(' ');
  const repeated = meaningOf(first, accountWords);
  return repeated && rest.every((word) => meaningOf(word, accountWords) === repeated)
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

/** "S.T.O.P" and "s t o p": letters that stand alone are one word. */
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

/** A STOP with nothing behind it but what is to stop. */
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
    // "End of message" is a sign that stands under one.
    const isOfMessages = !everyday.includes(head) || (rest[0] !== 'of' && rest.some((word) => messages.has(word)));
    if (isAllOfIt && isOfMessages && meaningOf(head, accountWords) === 'stop') return { wish: 'stop', word: head };
  }
  return undefined;
}

const lineEnd = /\r\n|[\r\n\u2028\u2029]/;
/** Lines of marks (`-- ` is the one of RFC 3676, section 4.3), and an empty one, part a text from what stands under it. */
const partingLine = /^\s*(?:--.*|[–—_=~*]+\s*)?$/;
const signatures: readonly string[] = signatureBeginnings.map(foldWord);

/** What stands above a signature: one line; undefined where there is none. */
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
