/* Decisions of the operations on keywords. */

import { ok } from '@morsel/api/values/result.ts';
import { parseKeyword } from '../../../core/number/keyword.ts';
import { readWish } from '../../../core/number/opt-out.ts';
import { noAccount } from '../../../core/named.ts';
import { query } from '../../tables/lookup.ts';
import { accountByName } from '../../tables/account.ts';
import { integer } from '../../tables/column.ts';
import {
  keywordByWord,
  keywordsOfNumber,
  keywordTable,
  type KeywordRow,
  type NumberRow,
} from '../../tables/inbound.ts';
import type { Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { invalid } from '../../../core/base/rejection.ts';
import { exists, missing } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { handlingOf, storedKeywords } from './inbound-route.ts';
import { lookAtNumber, type ReadNumber } from './number.ts';

/** The most keywords of one number, and of all numbers. Those of numbers that get messages are in memory. */
const ofNumberMax = 10_000;
const ofAllMax = 100_000;

const keywordCount = query<[]>()('keyword.count', shape({ count: integer }));

/**
 * Adds a keyword: later messages to the number that start with this word go to the account. An opt-out word of the
 * account is refused, because nobody could opt out with it any more.
 */
const add: Decision<'keyword.add', ReadNumber> = (rows, given, { at: createdAt, made }) => {
  const folded = parseKeyword(given.word);
  if (!folded.ok) return invalid('word', folded.error);
  if (!made.ok) return made;
  const word = folded.value;
  const { number, digits, kind } = made.value;
  const account = rows.one(accountByName, given.account);
  const row = lookAtNumber(rows, made.value, account?.id);
  const known = rows.one(keywordByWord, digits, kind, word);
  const ofAll = rows.values(keywordCount)[0]?.count ?? 0;
  if (!account) return noAccount(given.account);
  if (!row) return missing(`there is no ${kind} ${number}: add it with number add before its keywords`);
  if (known) return exists(`the ${kind} ${number} already has the keyword ${word}: remove the keyword first`);
  const handling = handlingOf(rows, account.id);
  const wish = handling.isOn ? readWish(word, handling.words)?.wish : undefined;
  if (wish) {
    const what = wish === 'stop' ? 'to get no more messages' : 'to get messages again';
    return invalid(
      'word',
      `people write ${word} ${what}: use another keyword, or first make the word mean nothing for account ${account.name}, with optout word`,
    );
  }
  if (isFull(rows, row, ofAll)) {
    return invalid(
      'word',
      `a number can have at most ${ofNumberMax} keywords, and all numbers together ${ofAllMax}: remove keywords first`,
    );
  }
  rows.add(keywordTable, { digits, kind, word, account: account.id, createdAt });
  return ok({ number, kind, word, account: account.name });
};

/** Removes a keyword of a number. Earlier messages keep their account. */
const remove: Decision<'keyword.remove', ReadNumber> = (rows, given, { made }) => {
  const folded = parseKeyword(given.word);
  if (!folded.ok) return invalid('word', folded.error);
  if (!made.ok) return made;
  const word = folded.value;
  const { number, digits, kind } = made.value;
  lookAtNumber(rows, made.value);
  const row = rows.one(keywordByWord, digits, kind, word);
  if (!row) return missing(`the ${kind} ${number} has no keyword ${word}`);
  row.change = 'gone';
  return ok({ number, kind, word });
};

export const keywordDecisions = { 'keyword.add': add, 'keyword.remove': remove };

/** Whether the number, or all numbers together, have as many keywords as they may. */
function isFull(rows: Rows, { digits, kind }: NumberRow, ofAll: number): boolean {
  const ofNumber = rows.values(keywordsOfNumber, digits, kind).length;
  const loaded = rows.of(keywordTable);
  // Keywords that the group of commands changed are counted only near a limit.
  if (ofNumber + loaded.length < ofNumberMax && ofAll + loaded.length < ofAllMax) return false;
  const changed = loaded.filter(({ change }) => change !== 'none');
  const onNumber = changed.filter((row) => row.digits === digits && row.kind === kind);
  return ofNumber + growthOf(rows, onNumber) >= ofNumberMax || ofAll + growthOf(rows, changed) >= ofAllMax;
}

/** The group's change to the count of keywords. It may remove a word, add the word and remove it again. */
function growthOf(rows: Rows, changed: readonly KeywordRow[]): number {
  const isStored = ({ digits, kind, word }: KeywordRow) =>
    storedKeywords(rows.values(keywordsOfNumber, digits, kind))?.words.has(word) === true;
  const before = new Set(changed.filter(isStored).map(({ digits, kind, word }) => `${kind} ${digits} ${word}`));
  return changed.filter(({ change }) => change === 'new').length - before.size;
}
