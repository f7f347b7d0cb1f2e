/* The handlers of opt-outs: the lists, their history, and the opt-out words. */

import type { optOut } from '@morsel/api/admin/number/opt-out.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { warningsOfWords, wordFor } from '../../../../core/number/account-words.ts';
import type { Account } from '../../../../core/account/account.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { parseReceiver } from '../../../../core/number/address.ts';
import { usualWords } from '../../../../core/number/opt-out-words.ts';
import { accountNamed } from '../../../../operator/account/known-account.ts';
import {
  addOptOut,
  importOptOuts,
  removeOptOut,
  setOptOutHandling,
  setOptOutWord,
} from '../../../../operator/number/opt-outs.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

export const optOutHandlers: Handlers<'optOut'> = {
  list: async (needs, input) => {
    const wanted = readWhose(needs, input);
    return wanted.ok ? needs.reader.ask('optOuts', { ...input, ...wanted.value }) : wanted;
  },
  history: async (needs, input) => {
    const wanted = readWhose(needs, input);
    return wanted.ok ? needs.reader.ask('optOutEvents', { ...input, ...wanted.value }) : wanted;
  },
  add: addOptOut,
  import: importOptOuts,
  remove: removeOptOut,
  words: async (needs, { account }) => {
    if (account === undefined) return ok({ usual: usualWords });
    const named = accountNamed(needs, account);
    return named.ok ? handlingOf(needs, named.value) : named;
  },
  word: async (needs, input) => {
    const set = await setOptOutWord(needs, input);
    return set.ok ? handlingOf(needs, set.value) : set;
  },
  set: async (needs, input) => {
    const set = await setOptOutHandling(needs, input);
    return set.ok ? handlingOf(needs, set.value) : set;
  },
};

interface Whose {
  readonly account?: string | undefined;
  readonly receiver?: string | undefined;
}

/** Checks that the account exists, and converts the receiver to the form in which it is stored. */
function readWhose(needs: OperatorNeeds, { account, receiver }: Whose): Result<Whose, Rejection> {
  const named = accountNamed(needs, account);
  if (!named.ok) return named;
  const read = receiver === undefined ? ok(undefined) : parseReceiver(receiver);
  return read.ok ? ok({ account, receiver: read.value }) : read;
}

/** Returns the settings and words of an account's opt-out list. */
async function handlingOf(
  needs: OperatorNeeds,
  { id, name: account }: Account,
): Promise<Result<AnswerOf<typeof optOut.operations.words>, Rejection>> {
  const found = await needs.reader.ask('optOutHandling', id);
  if (!found.ok) return found;
  const { isOn, scope, words } = found.value;
  return ok({
    account,
    words: isOn ? 'on' : 'off',
    scope,
    stopWord: wordFor('stop', words) ?? null,
    startWord: wordFor('start', words) ?? null,
    warnings: isOn ? warningsOfWords(words) : [],
    accountWords: [...words].map(([word, means]) => ({ word, means })),
    usual: usualWords,
  });
}
