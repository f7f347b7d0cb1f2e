import { findKeyword } from '../../../core/number/keyword.ts';
import { readKeywordWish } from '../../../core/number/keyword-wish.ts';
import type { KeywordWish } from '../../../core/number/keyword-wish.ts';
import { routeInbound } from '../../../core/number/inbound-route.ts';
import type { InboundRoute, NumberKeywords } from '../../../core/number/inbound-route.ts';
import { usualHandling } from '../../../core/number/opt-out.ts';
import { ownersOf } from '../../../core/number/owned-number.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { NumberRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';

/** Whose a message is, and what of its number and text an opt-out has to know. */
export interface Routed {
  readonly route: InboundRoute;
  /** What the number has of keywords; undefined where there are none, and the account is the number's own. */
  readonly keywords: NumberKeywords | undefined;
  /** Who gets what has no keyword. */
  readonly fallback: number | null;
  /** A STOP or START of one keyword's account alone. */
  readonly keywordWish: KeywordWish | undefined;
}

/** The number that a message is sent to: the longest match. Undefined when nobody has it. */
export function numberOf(rows: Rows, receiver: string): NumberRow | undefined {
  for (const owner of ownersOf(receiver)) {
    const row = rows.inbound.numbers.get(numberKey(owner));
    if (row) return row;
  }
  return undefined;
}

/**
 * The one place that says whose a message is: the longest match of its number, then the keyword on that number, then the
 * number's own account. `STOP WORD` is for the account of the keyword, though it is not its first word. A text of which the
 * beginning is missing (null here) has no keyword.
 */
export function routeOf(rows: Rows, receiver: string, text: string | null): Routed {
  const number = numberOf(rows, receiver);
  const keywords = number && rows.inbound.keywords.get(numberKey(number));
  const fallback = number?.account ?? null;
  if (!keywords) return { route: routeInbound(number, keywords, null), keywords, fallback, keywordWish: undefined };
  const { words } = keywords;
  const handlingOf = (account: number) => rows.optOuts.handlings.get(account) ?? usualHandling;
  const keywordWish = text === null ? undefined : readKeywordWish(text, { keywords: words, handlingOf });
  const keyword = findKeyword(text, (word) => words.has(word)) ?? keywordWish?.keyword ?? null;
  return { route: routeInbound(number, keywords, keyword), keywords, fallback, keywordWish };
}
