/* Decides commands about keywords of numbers. */

import { accountByName } from '../../tables/account.ts';
import { withKeyword } from '../../../core/number/inbound-route.ts';
import { readWish, usualHandling } from '../../../core/number/opt-out.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { AddKeyword, RemoveKeyword } from '../../commands/inbound.ts';
import { numberKey } from '../../tables/inbound.ts';
import type { KeywordRow } from '../../tables/inbound.ts';
import type { Rows } from '../../tables/rows.ts';

/** The most keywords of one number and of all numbers. All keywords are in memory. */
const ofNumberMax = 10_000;
const ofAllMax = 100_000;

/**
 * Adds a keyword: messages to the number that start with this word go to the account. An opt-out word of the account is
 * rejected, because people could no longer opt out with this word.
 */
export function decideAddKeyword(rows: Rows, command: AddKeyword): Result<null, Rejection> {
  const { number, digits, numberKind: kind, word, at: createdAt } = command;
  const account = rows.one(accountByName, command.account);
  if (!account) return refused({ code: 'does_not_exist', detail: `there is no account named ${command.account}` });
  const key = numberKey({ kind, digits });
  if (!rows.inbound.numbers.has(key)) {
    const detail = `there is no ${kind} ${number}: add it with number add before its keywords`;
    return refused({ code: 'does_not_exist', detail });
  }
  const before = rows.inbound.keywords.get(key);
  if (before?.words.has(word)) {
    const detail = `the ${kind} ${number} already has the keyword ${word}: remove the keyword first`;
    return refused({ code: 'already_exists', detail });
  }
  const handling = rows.optOuts.handlings.get(account.id) ?? usualHandling;
  const wish = handling.isOn ? readWish(word, handling.words)?.wish : undefined;
  if (wish) {
    const what = wish === 'stop' ? 'to get no more messages' : 'to get messages again';
    const detail = `people write ${word} ${what}: use another keyword, or first make the word mean nothing for account ${account.name}, with optout word`;
    return refused({ code: 'invalid_parameter', field: 'word', detail });
  }
  if ((before?.words.size ?? 0) >= ofNumberMax || countOf(rows) >= ofAllMax) {
    const detail = `a number can have at most ${ofNumberMax} keywords, and all numbers together ${ofAllMax}: remove keywords first`;
    return refused({ code: 'invalid_parameter', field: 'word', detail });
  }
  change(rows, { change: 'new', digits, kind, word, account: account.id, createdAt });
  return ok(null);
}

/** Removes a keyword. Messages that were received before keep their account. */
export function decideRemoveKeyword(rows: Rows, command: RemoveKeyword): Result<null, Rejection> {
  const { number, digits, numberKind: kind, word, at: createdAt } = command;
  const account = rows.inbound.keywords.get(numberKey({ kind, digits }))?.words.get(word);
  if (account === undefined)
    return refused({ code: 'does_not_exist', detail: `the ${kind} ${number} has no keyword ${word}` });
  change(rows, { change: 'gone', digits, kind, word, account, createdAt });
  return ok(null);
}

/** Copies the map before changing it, because this commit may be rolled back. */
function change(rows: Rows, row: KeywordRow): void {
  const key = numberKey(row);
  const keywords = new Map(rows.inbound.keywords);
  const after = withKeyword(keywords.get(key), row.word, row.change === 'gone' ? null : row.account);
  if (after) keywords.set(key, after);
  else keywords.delete(key);
  rows.inbound.keywords = keywords;
  rows.inbound.changedKeywords.set(`${key} ${row.word}`, row);
}

function countOf(rows: Rows): number {
  let count = 0;
  for (const { words } of rows.inbound.keywords.values()) count += words.size;
  return count;
}
