/* Decisions of the operations on opt-outs: entries of the lists, and the words and settings that add entries. */

import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { shownHandling } from '../../../core/number/account-words.ts';
import {
  accountWordsMax,
  everySender,
  foldWord,
  readWish,
  wordMax,
  type OptOutHandling,
} from '../../../core/number/opt-out.ts';
import { numberText } from '../../../core/number/owners.ts';
import { noAccount } from '../../../core/named.ts';
import { rewrite, type Rows } from '../../rows/rows.ts';
import { accountById, accountByName } from '../../tables/account.ts';
import { keywordsOfAccount } from '../../tables/inbound.ts';
import {
  handlingOfAccount,
  optOutHandlingTable,
  optOutsOf,
  optOutWordTable,
  wordsOfAccount,
  type OptOutCause,
} from '../../tables/opt-out.ts';
import { missing, type Decided } from '../decided.ts';
import type { Decision, Given, Unsettled } from '../decision.ts';
import { handlingOf } from './inbound-route.ts';
import { addOptOut, listed, readOptOuts, removeOptOuts } from './opt-out.ts';

/** An entry in stored form. The caller reads it: store threads load no number plan. */
export interface OptOutWanted {
  readonly receiver: string;
  /** The sender; undefined for every sender. */
  readonly sender: string | undefined;
  readonly reason: string;
}

/** Finds an account, and reads the entries for these receivers in its list. */
function lookAtEntries(rows: Rows, name: string, wanted: readonly OptOutWanted[]): Decided<number> {
  const account = rows.one(accountByName, name)?.id;
  if (account === undefined) return noAccount(name);
  rows.one(accountById, account);
  for (const { receiver } of wanted) {
    rows.all(optOutsOf, account, receiver);
    readOptOuts(rows, { account, receiver });
  }
  return ok(account);
}

type By = Pick<Given, 'at' | 'by'>;

/** The cause of a change by an operator. The history of the list shows the operator's name. */
function causeBy({ at, by: actor }: By, reason: string): OptOutCause {
  return { at, inbound: null, word: null, actor, reason };
}

/**
 * Adds receivers to an account's list, with an event for each new entry. Returns the number of new entries; existing
 * entries stay unchanged. After the commit the account cannot send to these receivers.
 */
function addAll(rows: Rows, name: string, { list, ...by }: By & { readonly list: readonly OptOutWanted[] }) {
  const account = lookAtEntries(rows, name, list);
  if (!account.ok) return account;
  let added = 0;
  for (const { receiver, sender = everySender, reason } of list) {
    if (addOptOut(rows, { account: account.value, receiver, sender }, causeBy(by, reason))) added += 1;
  }
  return ok(added);
}

const addOne: Unsettled<'optOut.add', Result<OptOutWanted, Rejection>> = {
  isSetting: false,
  decide(rows, { account }, { made, ...by }) {
    if (!made.ok) return made;
    const added = addAll(rows, account, { ...by, list: [made.value] });
    const { receiver, sender = null } = made.value;
    return added.ok ? ok({ account, receiver, sender, added: added.value > 0 }) : added;
  },
};

const addMany: Unsettled<'optOut.import', Result<readonly OptOutWanted[], Rejection>> = {
  isSetting: false,
  decide(rows, { account }, { made, ...by }) {
    if (!made.ok) return made;
    const added = addAll(rows, account, { ...by, list: made.value });
    return added.ok ? ok({ account, entries: made.value.length, added: added.value }) : added;
  },
};

/** Removes a receiver from an account's list, for one sender or for all, with an event for each removed entry. */
const removeEntries: Unsettled<'optOut.remove', Result<OptOutWanted, Rejection>> = {
  isSetting: false,
  decide(rows, { account: name }, { made, ...by }) {
    if (!made.ok) return made;
    const { receiver, sender = null } = made.value;
    const account = lookAtEntries(rows, name, [made.value]);
    if (!account.ok) return account;
    const place = { account: account.value, receiver, sender };
    const isThere = listed(rows, place).length > 0;
    const removed = removeOptOuts(rows, place, causeBy(by, made.value.reason));
    if (removed > 0) return ok({ account: name, receiver, removed });
    return missing(
      isThere && sender !== null
        ? `the opt-out list has no entry of ${receiver} for sender ${sender}: leave the sender out to remove all entries of this number`
        : `${receiver} is not on the opt-out list`,
    );
  },
};

/** The opt-out settings of an account. Its keywords are read, too, because they must not be opt-out words. */
function settingsOf(rows: Rows, name: string): Decided<{ readonly account: number; readonly before: OptOutHandling }> {
  const account = rows.one(accountByName, name)?.id;
  if (account === undefined) return noAccount(name);
  rows.one(handlingOfAccount, account);
  rows.all(wordsOfAccount, account);
  rows.all(keywordsOfAccount, account);
  return ok({ account, before: handlingOf(rows, account) });
}

/** Sets whether opt-out words in inbound messages change an account's list, and for which senders. */
const set: Decision<'optOut.set'> = (rows, { account: name, words, scope }) => {
  const found = settingsOf(rows, name);
  if (!found.ok) return found;
  const { account, before } = found.value;
  const isOn = words === undefined ? before.isOn : words === 'on';
  const after = { ...before, isOn, scope: scope ?? before.scope };
  const clash = before.isOn ? undefined : keywordAgainst(rows, { account, handling: after });
  if (clash !== undefined) return invalid('words', clash);
  keepHandling(rows, account, after);
  return ok(shownHandling(name, after));
};

/**
 * Adds an opt-out word to an account, or stops one of the usual words from being one. The meaning `usual` undoes a
 * former change of the word.
 */
const setWord: Decision<'optOut.word'> = (rows, { account: name, word: given, means }) => {
  // Words are compared without marks and accents, so a word that has only marks could never match.
  const word = foldWord(given);
  if (word === '' || word.length > wordMax)
    return invalid('word', `must be a word or a phrase of 1 to ${wordMax} letters and digits`);
  const found = settingsOf(rows, name);
  if (!found.ok) return found;
  const { account, before } = found.value;
  const words = new Map(before.words);
  if (means === 'usual') words.delete(word);
  else words.set(word, means);
  if (words.size > accountWordsMax) {
    return invalid(
      'word',
      `an account can have at most ${accountWordsMax} opt-out words of its own: reset one to its usual meaning first`,
    );
  }
  const after = { ...before, words };
  const clash = keywordAgainst(rows, { account, handling: after, word });
  if (clash !== undefined) return invalid('word', clash);
  keepHandling(rows, account, after);
  const known = rows.all(wordsOfAccount, account).find((row) => row.word === word);
  if (known) known.change = 'gone';
  if (means !== 'usual') rows.add(optOutWordTable, { account, word, means });
  return ok(shownHandling(name, after));
};

function keepHandling(rows: Rows, account: number, { isOn, scope }: OptOutHandling): void {
  const row = rows.one(handlingOfAccount, account);
  if (row) rewrite(row, { isOn, scope });
  else rows.add(optOutHandlingTable, { account, isOn, scope });
}

interface Changed {
  readonly account: number;
  /** The opt-out settings as they would be after the change. */
  readonly handling: OptOutHandling;
  /** The changed opt-out word, in the form for comparisons; undefined to check all words. */
  readonly word?: string;
}

/**
 * Checks that no keyword of the account would also be one of its opt-out words. Returns an error message if one would:
 * a person who sends the keyword would be opted out by mistake. Keywords of other accounts do not matter.
 */
function keywordAgainst(rows: Rows, { account, handling, word }: Changed): string | undefined {
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

export const optOutDecisions = {
  'optOut.add': addOne,
  'optOut.import': addMany,
  'optOut.remove': removeEntries,
  'optOut.set': set,
  'optOut.word': setWord,
};
