import { foldWord, readWish } from '../../../core/number/opt-out.ts';
import type { OptOutHandling } from '../../../core/number/opt-out.ts';
import { numberText } from '../../../core/number/owners.ts';
import type { Rows } from '../../tables/rows.ts';

interface Wanted {
  readonly account: number;
  /** With the change made. */
  readonly handling: OptOutHandling;
  /** The folded word that changes; undefined if any may. */
  readonly word?: string;
}

/**
 * The account's keyword that would also opt a person out of it, or in again, as a sentence; undefined if there is none.
 * A person who must write a word to get something must not be opted out by it. Keywords of other accounts do not
 * matter.
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
      const or = word === undefined ? ', or have it mean nothing (optout word)' : '';
      return `${keyword} is a keyword of the account on ${number}, and a person who writes it there would ${would}: remove the keyword first${or}`;
    }
  }
  return undefined;
}
