import { findKeyword } from '../../../core/number/keyword.ts';
import { readKeywordWish } from '../../../core/number/keyword-wish.ts';
import type { KeywordWish } from '../../../core/number/keyword-wish.ts';
import { routeInbound } from '../../../core/number/inbound-route.ts';
import type { InboundRoute, NumberKeywords } from '../../../core/number/inbound-route.ts';
import { usualHandling } from '../../../core/number/opt-out.ts';
import { ownersOf } from '../../../core/number/owners.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { NumberRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';

/** The account of an inbound message, and the facts that decide about opt-outs. */
export interface Routed {
  readonly route: InboundRoute;
  /**
   * The keywords of the number. Undefined if the number has no keywords; then the number's account gets the message.
   */
  readonly keywords: NumberKeywords | undefined;
  /** The account for messages without a keyword. */
  readonly fallback: number | null;
  /** A STOP or START that names a keyword, and so concerns only the account of that keyword. */
  readonly keywordWish: KeywordWish | undefined;
}

/**
 * Finds the number that a message was sent to, by the longest match. Undefined if the operator has not added such a
 * number.
 */
export function numberOf(rows: Rows, receiver: string): NumberRow | undefined {
  for (const owner of ownersOf(receiver)) {
    const row = rows.inbound.numbers.get(numberKey(owner));
    if (row) return row;
  }
  return undefined;
}

/**
 * Finds the account of an inbound message: first the longest match of the number, then the keyword, otherwise the
 * account of the number. `STOP WORD` goes to the account of the keyword WORD. `text` is null if the beginning of the
 * message is missing. Then the message has no keyword.
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
