import { keywordsIn } from './keyword.ts';
import { foldWord, readWish, usualHandling, type OptOutHandling, type Wished } from './opt-out.ts';

/** An opt-out or opt-in that names a keyword, such as STOP NEWS. */
export interface KeywordWish {
  readonly keyword: string;
  readonly account: number;
  readonly wished: Wished;
}

interface Shared {
  /** The keywords of the number with the account of each. */
  readonly keywords: ReadonlyMap<string, number>;
  readonly handlingOf: (account: number) => OptOutHandling;
}

/** A longer text is never an opt-out with a keyword. */
const textMax = 200;

/**
 * Reads an opt-out or opt-in such as `STOP NEWS` or `NEWS STOP`: a keyword and an opt-out word of the keyword's
 * account, and nothing else. Undefined if the text names no keyword. Also undefined if the text is an opt-out by
 * itself, such as `STOP ALL`, even if ALL is a keyword.
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

export function saysOnly(text: string, keyword: string | null): boolean {
  if (keyword === null || text.length > textMax) return false;
  return keywordsIn(text, (word) => word === keyword).some(({ rest }) => foldWord(rest) === '');
}
