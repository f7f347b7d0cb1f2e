/* The operator's changes of opt-outs, and of the words that fill the lists. */

import type { optOut } from '@morsel/api/admin/number/opt-out.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { parseReceiver, parseSender } from '../../core/number/address.ts';
import { everySender, foldWord, wordMax } from '../../core/number/opt-out.ts';
import type { OptOutWanted } from '../../state/decide/number/opt-out.ts';
import type { Journal } from '../../store/journal.ts';
import { accountNamed } from '../account/known-account.ts';
import type { Caller } from '../../core/account/caller.ts';
import { invalid } from '../../state/decide/decided.ts';

interface OptOutNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  /** The history of a list has the name. */
  readonly caller: Pick<Caller, 'name'>;
  readonly snapshot: () => Snapshot;
}

type Operations = typeof optOut.operations;

/**
 * Puts a number on an account's opt-out list, and returns whether the number is new on the list. After the answer, the
 * account cannot send to this number.
 */
export async function addOptOut(
  needs: OptOutNeeds,
  { account: wanted, ...given }: InputOf<Operations['add']>,
): Promise<Result<AnswerOf<Operations['add']>, Rejection>> {
  const entry = readEntry(given);
  if (!entry.ok) return entry;
  const added = await importEntries(needs, { account: wanted, list: [entry.value] });
  if (!added.ok) return added;
  const { receiver, sender } = entry.value;
  return ok({ account: wanted, receiver, sender: sender || null, added: added.value > 0 });
}

/** Puts many numbers on an account's opt-out list in one commit. Returns how many numbers are new on the list. */
export async function importOptOuts(
  needs: OptOutNeeds,
  { list: given, ...whose }: InputOf<Operations['import']>,
): Promise<Result<AnswerOf<Operations['import']>, Rejection>> {
  const list: OptOutWanted[] = [];
  for (const each of given) {
    const entry = readEntry(each);
    if (!entry.ok) return entry;
    list.push(entry.value);
  }
  const added = await importEntries(needs, { ...whose, list });
  return added.ok ? ok({ account: whose.account, entries: list.length, added: added.value }) : added;
}

interface Import {
  readonly account: string;
  readonly list: readonly OptOutWanted[];
}

async function importEntries(
  needs: OptOutNeeds,
  { account: wanted, ...entries }: Import,
): Promise<Result<number, Rejection>> {
  const account = accountNamed(needs, wanted);
  if (!account.ok) return account;
  const command = { at: needs.clock.now(), account: account.value.id, actor: needs.caller.name, ...entries };
  const added = await needs.journal.append<'add-opt-outs'>({ kind: 'add-opt-outs', ...command });
  return added.ok ? ok(added.value.added) : added;
}

function readEntry(given: {
  readonly receiver: string;
  readonly sender?: string | undefined;
  readonly reason: string;
}): Result<OptOutWanted, Rejection> {
  const receiver = parseReceiver(given.receiver);
  if (!receiver.ok) return receiver;
  const sender = readSender(given.sender);
  return sender.ok
    ? ok({ receiver: receiver.value, sender: sender.value ?? everySender, reason: given.reason })
    : sender;
}

/**
 * Removes a number from an account's opt-out list, for one sender or for all senders. The history of the list keeps the
 * operator and the reason.
 */
export async function removeOptOut(
  needs: OptOutNeeds,
  { account: wanted, reason, ...given }: InputOf<Operations['remove']>,
): Promise<Result<AnswerOf<Operations['remove']>, Rejection>> {
  const receiver = parseReceiver(given.receiver);
  if (!receiver.ok) return receiver;
  const sender = readSender(given.sender);
  if (!sender.ok) return sender;
  const account = accountNamed(needs, wanted);
  if (!account.ok) return account;
  const removed = await needs.journal.append<'remove-opt-out'>({
    kind: 'remove-opt-out',
    at: needs.clock.now(),
    account: account.value.id,
    receiver: receiver.value,
    sender: sender.value ?? null,
    reason,
    actor: needs.caller.name,
  });
  return removed.ok ? ok({ account: wanted, receiver: receiver.value, removed: removed.value.removed }) : removed;
}

/** Sets whether opt-out words of phones change an account's list, and for which senders. Returns the account. */
export async function setOptOutHandling(
  needs: OptOutNeeds,
  { account: wanted, words, scope }: InputOf<Operations['set']>,
): Promise<Result<Account, Rejection>> {
  const account = accountNamed(needs, wanted);
  if (!account.ok) return account;
  const isOn = words === undefined ? null : words === 'on';
  const command = { account: account.value.id, isOn, scope: scope ?? null };
  const set = await needs.journal.append<'set-opt-out-handling'>({ kind: 'set-opt-out-handling', ...command });
  return set.ok ? account : set;
}

/**
 * Adds an opt-out word of the account, or removes one of the usual words. The meaning `usual` undoes an earlier change
 * of the word.
 * Returns the account.
 */
export async function setOptOutWord(
  needs: OptOutNeeds,
  { account: wanted, word: given, means }: InputOf<Operations['word']>,
): Promise<Result<Account, Rejection>> {
  // Words are compared without marks and accents, so a word that has only marks could never match.
  const word = foldWord(given);
  if (word === '' || word.length > wordMax) {
    return invalid('word', `must be a word or a phrase of 1 to ${wordMax} letters and digits`);
  }
  const account = accountNamed(needs, wanted);
  if (!account.ok) return account;
  const command = { account: account.value.id, word, means: means === 'usual' ? null : means };
  const set = await needs.journal.append<'set-opt-out-word'>({ kind: 'set-opt-out-word', ...command });
  return set.ok ? account : set;
}

function readSender(given: string | undefined): Result<string | undefined, Rejection> {
  if (given === undefined) return ok(given);
  const sender = parseSender(given);
  return sender.ok || !('detail' in sender.error) ? sender : invalid('sender', sender.error.detail);
}
