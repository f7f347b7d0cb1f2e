/* Commands about keywords of numbers. */

import { readWish } from '../../../core/number/opt-out.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { query } from '../../tables/lookup.ts';
import type { Reads } from '../../rows/reads.ts';
import { accountByName } from '../../tables/account.ts';
import { integer } from '../../tables/column.ts';
import {
  keywordByWord,
  keywordsOfNumber,
  keywordTable,
  numberByDigits,
  type KeywordRow,
  type NumberRow,
} from '../../tables/inbound.ts';
import type { Rows } from '../../rows/rows.ts';
import { shape } from '../../tables/table.ts';
import { exists, missing, type Decided } from '../decided.ts';
import { handlingOf, storedKeywords } from './inbound-route.ts';
import { readForNumber, type NamedNumber } from './number.ts';

/** The most keywords of one number and of all numbers. The keywords of numbers that get messages are in memory. */
const ofNumberMax = 10_000;
const ofAllMax = 100_000;

const keywordCount = query<[]>()('keyword.count', shape({ count: integer }));

interface RemoveKeyword extends NamedNumber {
  /** Folded. */
  readonly word: string;
}

interface AddKeyword extends RemoveKeyword {
  readonly account: string;
}

export const addKeywordCommand = {
  isSetting: true,
  reads(read: Reads, command: AddKeyword): void {
    readForNumber(read, command);
    read.one(keywordByWord, command.digits, command.numberKind, command.word);
    read.values(keywordCount);
  },
  decide: decideAddKeyword,
};

/**
 * Routes messages to the number that start with this word to the account. An opt-out word of the account is rejected,
 * because people could no longer opt out with this word.
 */
function decideAddKeyword(rows: Rows, command: AddKeyword): Decided<null> {
  const { number, digits, numberKind: kind, word, at: createdAt } = command;
  const account = rows.one(accountByName, command.account);
  if (!account) return missing(`there is no account named ${command.account}`);
  const row = rows.one(numberByDigits, digits, kind);
  if (!row) return missing(`there is no ${kind} ${number}: add it with number add before its keywords`);
  if (rows.one(keywordByWord, digits, kind, word))
    return exists(`the ${kind} ${number} already has the keyword ${word}: remove the keyword first`);
  const handling = handlingOf(rows, account.id);
  const wish = handling.isOn ? readWish(word, handling.words)?.wish : undefined;
  if (wish) {
    const what = wish === 'stop' ? 'to get no more messages' : 'to get messages again';
    const detail = `people write ${word} ${what}: use another keyword, or first make the word mean nothing for account ${account.name}, with optout word`;
    return refused({ code: 'invalid_parameter', field: 'word', detail });
  }
  if (isFull(rows, row)) {
    const detail = `a number can have at most ${ofNumberMax} keywords, and all numbers together ${ofAllMax}: remove keywords first`;
    return refused({ code: 'invalid_parameter', field: 'word', detail });
  }
  rows.add(keywordTable, { digits, kind, word, account: account.id, createdAt });
  return ok(null);
}

export const removeKeywordCommand = {
  isSetting: true,
  reads(read: Reads, command: RemoveKeyword): void {
    readForNumber(read, command);
    read.one(keywordByWord, command.digits, command.numberKind, command.word);
  },
  /** Removes a keyword. Messages that were received before keep their account. */
  decide(rows: Rows, { number, digits, numberKind: kind, word }: RemoveKeyword): Decided<null> {
    const row = rows.one(keywordByWord, digits, kind, word);
    if (!row) return missing(`the ${kind} ${number} has no keyword ${word}`);
    row.change = 'gone';
    return ok(null);
  },
};

/** Whether the number, or all numbers together, have as many keywords as they may. */
function isFull(rows: Rows, { digits, kind }: NumberRow): boolean {
  const ofNumber = rows.values(keywordsOfNumber, digits, kind).length;
  const ofAll = rows.values(keywordCount)[0]?.count ?? 0;
  const loaded = rows.of(keywordTable);
  // What the group changed is counted only near a limit.
  if (ofNumber + loaded.length < ofNumberMax && ofAll + loaded.length < ofAllMax) return false;
  const changed = loaded.filter(({ change }) => change !== 'none');
  const onNumber = changed.filter((row) => row.digits === digits && row.kind === kind);
  return ofNumber + growthOf(rows, onNumber) >= ofNumberMax || ofAll + growthOf(rows, changed) >= ofAllMax;
}

/** By how many the group has changed the count of keywords. It may remove a word, add it and remove it again. */
function growthOf(rows: Rows, changed: readonly KeywordRow[]): number {
  const isStored = ({ digits, kind, word }: KeywordRow) =>
    storedKeywords(rows.values(keywordsOfNumber, digits, kind))?.words.has(word) === true;
  const before = new Set(changed.filter(isStored).map(({ digits, kind, word }) => `${kind} ${digits} ${word}`));
  return changed.filter(({ change }) => change === 'new').length - before.size;
}
