import { foldWord, readWish } from '../../../core/number/opt-out.ts';
import type { OptOutHandling } from '../../../core/number/opt-out.ts';
import { numberText } from '../../../core/number/owners.ts';
import type { Rows } from '../../tables/rows.ts';

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
export function keywordAgainst({ inbound }: Rows, { account, handling, word }: Wanted): string | undefined {
  if (!handling.isOn) return undefined;
  for (const [key, { words, accounts }] of inbound.keywords) {
    if (!accounts.has(account)) continue;
    for (const [keyword, owner] of words) {
      if (owner !== account || (word !== undefined && foldWord(keyword) !== word)) continue;
      const wish = readWish(keyword, handling.words)?.wish;
      if (!wish) continue;
      const [kind, digits = ''] = key.split(' ');
      const number = numberText({ kind: kind === 'prefix' ? 'prefix' : 'number', digits });
      const would = wish === 'stop' ? 'opt out' : 'opt in again';
      const or = word === undefined ? ', or make it mean nothing with optout word' : '';
      return `${keyword} is a keyword of this account on ${number}, and a person who sends it there would ${would}: remove the keyword first${or}`;
    }
  }
  return undefined;
}
