import { foldWord, readWish, type OptOutHandling } from '../../../core/number/opt-out.ts';
import { numberText } from '../../../core/number/owners.ts';
import { keywordsOfAccount } from '../../tables/inbound.ts';
import type { Rows } from '../../rows/rows.ts';

interface Wanted {
  readonly account: number;
  /** The opt-out settings as they would be after the change. */
  readonly handling: OptOutHandling;
  /** The changed opt-out word, in the form for comparisons; undefined to check all words. */
  readonly word?: string;
}

/**
 * Checks that no keyword of the account would also be one of its opt-out words. Returns an error message if one would.
 * Otherwise a person who sends the keyword would be opted out by mistake. Keywords of other accounts do not matter.
 */
export function keywordAgainst(rows: Rows, { account, handling, word }: Wanted): string | undefined {
  if (!handling.isOn) return undefined;
  for (const { kind, digits, word: keyword } of rows.all(keywordsOfAccount, account)) {
    if (word !== undefined && foldWord(keyword) !== word) continue;
    const wish = readWish(keyword, handling.words)?.wish;
    if (!wish) continue;
    const would = wish === 'stop' ? 'opt out' : 'opt in again';
    const or = word === undefined ? ', or make it mean nothing with optout word' : '';
    return `${keyword} is a keyword of this account on ${numberText({ kind, digits })}, and a person who sends it there would ${would}: remove the keyword first${or}`;
  }
  return undefined;
}
