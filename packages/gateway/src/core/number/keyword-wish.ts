import { keywordsIn } from './keyword.ts';
import { foldWord, readWish, usualHandling } from './opt-out.ts';
import type { OptOutHandling, Wished } from './opt-out.ts';

/** A STOP or START that names a keyword. */
export interface KeywordWish {
  readonly keyword: string;
  readonly account: number;
  readonly wished: Wished;
}

interface Shared {
  /** The keywords of the number with their accounts. */
  readonly keywords: ReadonlyMap<string, number>;
  readonly handlingOf: (account: number) => OptOutHandling;
}

/** An opt-out text is short (core/number/opt-out.ts), and a keyword beside it too. */
const textMax = 200;

/**
 * The opt-out or opt-in of `STOP WORD` or `WORD STOP`: a keyword, beside nothing but a word by which its account opts
 * out. Undefined if the text names no keyword, and for a text that is complete by itself, such as `STOP ALL`, whatever
 * keywords exist.
 */
export function readKeywordWish(text: string, { keywords, handlingOf }: Shared): KeywordWish | undefined {
  if (text.length > textMax) return undefined;
  const named = keywordsIn(text, (word) => keywords.has(word));
  if (named.length === 0 || readWish(text, usualHandling.words)) return undefined;
  for (const { keyword, rest } of named) {
    const account = keywords.get(keyword);
    const wished = account === undefined ? undefined : readWish(rest, handlingOf(account).words);
    if (account !== undefined && wished) return { keyword, account, wished };
  }
  return undefined;
}

/** Whether a text is this keyword and nothing else. */
export function saysOnly(text: string, keyword: string | null): boolean {
  if (keyword === null || text.length > textMax) return false;
  return keywordsIn(text, (word) => word === keyword).some(({ rest }) => foldWord(rest) === '');
}
