/* Finds the account of an inbound message by the number that it was sent to, and that number's keywords. */

import { findKeyword } from '../../../core/number/keyword.ts';
import { readKeywordWish, type KeywordWish } from '../../../core/number/keyword-wish.ts';
import {
  keywordsFrom,
  routeInbound,
  type InboundRoute,
  type NumberKeywords,
} from '../../../core/number/inbound-route.ts';
import type { OptOutHandling } from '../../../core/number/opt-out.ts';
import { ownersOf } from '../../../core/number/owners.ts';
import type { Looks } from '../../rows/reads.ts';
import {
  keywordsOfNumber,
  keywordTable,
  numberByDigits,
  type KeywordRow,
  type NumberRow,
} from '../../tables/inbound.ts';
import { handlingFrom, handlingOfAccount, optOutHandlingTable, wordsOfAccount } from '../../tables/opt-out.ts';
import type { Rows } from '../../rows/rows.ts';
import { readDestinations } from '../notification/notification.ts';

/** The account of an inbound message, and the facts that decide about opt-outs. */
export interface Routed {
  readonly route: InboundRoute;
  /** The keywords of the number. Undefined if the number has none; then the account of the number gets the message. */
  readonly keywords: NumberKeywords | undefined;
  /** The account that gets messages without a keyword, if the number has keywords; null if no account does. */
  readonly fallback: number | null;
  /** Set if the text is a STOP or START with a keyword. It concerns only the account of that keyword. */
  readonly keywordWish: KeywordWish | undefined;
}

/** Reads the numbers that a receiver may match, their keywords, and the settings of their accounts. */
export function readRoute(read: Looks, receiver: string): void {
  for (const { digits, kind } of ownersOf(receiver)) {
    const number = read.one(numberByDigits, digits, kind);
    if (!number) continue;
    if (number.account !== null) readOwner(read, number.account);
    const keywords = storedKeywords(read.values(keywordsOfNumber, digits, kind));
    for (const account of keywords?.accounts ?? []) readHandling(read, account);
  }
}

/** Reads the settings and destinations of an account that may get messages to a number. */
export function readOwner(read: Looks, account: number): void {
  readHandling(read, account);
  readDestinations(read, account);
}

/** Reads the opt-out settings of an account. */
function readHandling(read: Looks, account: number): void {
  if (read.one(handlingOfAccount, account)) read.all(wordsOfAccount, account);
}

/** The opt-out settings of an account. An account that the same group of commands made has the defaults. */
export function handlingOf(rows: Rows, account: number): OptOutHandling {
  const row = rows.of(optOutHandlingTable).find((each) => each.account === account);
  return handlingFrom(row, () => rows.all(wordsOfAccount, account));
}

/**
 * Finds the number that a message was sent to, by the longest match. Undefined if the operator has not added such a
 * number.
 */
export function numberOf(rows: Rows, receiver: string): NumberRow | undefined {
  for (const { digits, kind } of ownersOf(receiver)) {
    const row = rows.one(numberByDigits, digits, kind);
    if (row) return row;
  }
  return undefined;
}

/** The keywords of an answer are made once: a number may have thousands, and answers stay in memory. */
const made = new WeakMap<object, { readonly keywords: NumberKeywords | undefined }>();

export function storedKeywords(answer: readonly Pick<KeywordRow, 'word' | 'account'>[]): NumberKeywords | undefined {
  const known = made.get(answer);
  if (known) return known.keywords;
  const keywords = keywordsFrom(new Map(answer.map(({ word, account }) => [word, account])));
  made.set(answer, { keywords });
  return keywords;
}

/** The keywords of a number, including changes by earlier commands of the same group. */
export function keywordsOf(rows: Rows, number: Pick<NumberRow, 'digits' | 'kind'>): NumberKeywords | undefined {
  const { digits, kind } = number;
  const stored = storedKeywords(rows.values(keywordsOfNumber, digits, kind));
  const changed = rows
    .of(keywordTable)
    .filter((row) => row.change !== 'none' && row.digits === digits && row.kind === kind);
  if (changed.length === 0) return stored;
  const words = new Map(stored?.words);
  for (const { change, word, account } of changed) {
    if (change === 'gone') words.delete(word);
    else words.set(word, account);
  }
  return keywordsFrom(words);
}

/**
 * Finds the account of an inbound message: first the longest match of the number, then the keyword, otherwise the
 * account of the number. A message `STOP WORD` goes to the account of the keyword WORD. `text` is null if the beginning
 * of the message is missing; then the message has no keyword.
 */
export function routeOf(rows: Rows, receiver: string, text: string | null): Routed {
  const number = numberOf(rows, receiver);
  const keywords = number && keywordsOf(rows, number);
  const fallback = number?.account ?? null;
  if (!keywords) return { route: routeInbound(number, keywords, null), keywords, fallback, keywordWish: undefined };
  const { words } = keywords;
  const keywordWish =
    text === null
      ? undefined
      : readKeywordWish(text, { keywords: words, handlingOf: (account) => handlingOf(rows, account) });
  const keyword = findKeyword(text, (word) => words.has(word)) ?? keywordWish?.keyword ?? null;
  return { route: routeInbound(number, keywords, keyword), keywords, fallback, keywordWish };
}
