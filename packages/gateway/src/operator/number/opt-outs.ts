import type { Account } from '../../core/account/account.ts';
import { parseReceiver, parseSender } from '../../core/number/address.ts';
import { everySender, foldWord, optOutScopes, wordMax, wordMeanings } from '../../core/number/opt-out.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Journal } from '../../store/journal.ts';
import type { OptOutWanted } from '../../store/commands/opt-out.ts';
import { actor, invalid, name, oneOf, optional, readFields, sentence } from '../fields.ts';
import type { Field, Fields } from '../fields.ts';

/* Who wants no more messages: what the operator changes of it, and what admission asks. Phones change it by `receive`. */

interface OptOutNeeds {
  readonly journal: Pick<Journal, 'append'>;
  readonly clock: { now(): Instant };
  readonly snapshot: () => Snapshot;
}

/** Most characters of a reason. */
export const reasonMax = 200;

/** Entries of one request: they are one commit, and other commits wait some 20 ms for it. */
export const listMax = 2_000;

/** A number in the one form in which it is stored. */
export const receiverField: Field<string> = {
  parse: (text) => {
    const receiver = parseReceiver(text);
    return receiver.ok ? ok(receiver.value) : refused(sentenceOf(receiver.error));
  },
};

const senderField: Field<string> = {
  parse: (text) => {
    const sender = parseSender(text);
    return sender.ok ? ok(sender.value) : refused(sentenceOf(sender.error));
  },
};

function sentenceOf(rejection: Rejection): string {
  return 'detail' in rejection ? rejection.detail : rejection.code;
}

const reason = sentence(reasonMax);
const entryFields = { receiver: receiverField, sender: optional(senderField, everySender), reason };

/** Puts a phone on an account's list; whether it was not there before. Nothing is sent to it from this answer on. */
export async function addOptOut(
  needs: OptOutNeeds,
  fields: Fields,
): Promise<Result<{ account: string; receiver: string; sender: string | null; added: boolean }, Rejection>> {
  const { account: wanted, ...entry } = fields;
  const account = accountOf(needs, { account: wanted });
  if (!account.ok) return account;
  const read = readFields({ ...entryFields, actor }, entry);
  if (!read.ok) return read;
  const { actor: by, ...listed } = read.value;
  const { receiver, sender } = listed;
  const added = await append(needs, account.value, { list: [listed], actor: by });
  if (!added.ok) return added;
  return ok({ account: account.value.name, receiver, sender: sender || null, added: added.value.added > 0 });
}

/** Puts many on a list, all of them in one commit or none; how many of them were not there before. */
export async function importOptOuts(
  needs: OptOutNeeds,
  fields: Fields,
): Promise<Result<{ account: string; entries: number; added: number }, Rejection>> {
  const { list: given, actor: givenActor, ...rest } = fields;
  const by = readFields({ actor }, { actor: givenActor });
  if (!by.ok) return by;
  const account = accountOf(needs, rest);
  if (!account.ok) return account;
  const list = readList(given);
  if (!list.ok) return list;
  const added = await append(needs, account.value, { list: list.value, ...by.value });
  return added.ok ? ok({ account: account.value.name, entries: list.value.length, ...added.value }) : added;
}

/** `actor`: who did it, as the events say. */
function append(
  needs: OptOutNeeds,
  account: Account,
  { list, actor: by }: { readonly list: readonly OptOutWanted[]; readonly actor: string },
) {
  const at = needs.clock.now();
  return needs.journal.append<'add-opt-outs'>({ kind: 'add-opt-outs', at, account: account.id, list, actor: by });
}

function readList(given: unknown): Result<readonly OptOutWanted[], Rejection> {
  if (!Array.isArray(given)) return invalid('list', 'it has to be a list of receivers, each with a reason');
  if (given.length < 1 || given.length > listMax) return invalid('list', `it has to have 1 to ${listMax} entries`);
  const list: OptOutWanted[] = [];
  for (const each of given as readonly unknown[]) {
    if (typeof each !== 'object' || each === null) return invalid('list', 'each has to have a receiver and a reason');
    const read = readFields(entryFields, { ...each });
    if (!read.ok) return read;
    list.push(read.value);
  }
  return ok(list);
}

const removeFields = { account: name, receiver: receiverField, sender: optional(senderField, null), reason, actor };

/** Takes a phone from an account's list: of one sender, or all its entries. The events say who did it and why. */
export async function removeOptOut(
  needs: OptOutNeeds,
  fields: Fields,
): Promise<Result<{ account: string; receiver: string; removed: number }, Rejection>> {
  const read = readFields(removeFields, fields);
  if (!read.ok) return read;
  const account = accountNamed(needs, read.value.account);
  if (!account.ok) return account;
  const at = needs.clock.now();
  const command = { ...read.value, at, account: account.value.id };
  const removed = await needs.journal.append<'remove-opt-out'>({ kind: 'remove-opt-out', ...command });
  return removed.ok
    ? ok({ account: read.value.account, receiver: read.value.receiver, removed: removed.value.removed })
    : removed;
}

const onOrOff = oneOf(['on', 'off']);
const handlingFields = { account: name, words: optional(onOrOff, null), scope: optional(oneOf(optOutScopes), null) };

/** Says whether words of phones change an account's list, and for which of its senders. */
export async function setOptOutHandling(
  needs: OptOutNeeds,
  fields: Fields,
): Promise<Result<{ account: string }, Rejection>> {
  const read = readFields(handlingFields, fields);
  if (!read.ok) return read;
  const { words, scope } = read.value;
  if (words === null && scope === null) {
    return invalid('words', 'nothing is asked to be changed: name words, scope, or both');
  }
  const account = accountNamed(needs, read.value.account);
  if (!account.ok) return account;
  const isOn = words === null ? null : words === 'on';
  const command = { account: account.value.id, isOn, scope };
  const set = await needs.journal.append<'set-opt-out-handling'>({ kind: 'set-opt-out-handling', ...command });
  return set.ok ? ok({ account: account.value.name }) : set;
}

/** Words are compared folded; one of which nothing is left could never be met. */
const word: Field<string> = {
  parse: (text) => {
    const folded = foldWord(text);
    const isWord = folded !== '' && folded.length <= wordMax;
    return isWord ? ok(folded) : refused(`it has to be a word or a phrase of 1 to ${wordMax} letters and digits`);
  },
};
const wordFields = { account: name, word, means: oneOf([...wordMeanings, 'usual'] as const) };

/** Gives an account a word of its own, or takes a usual one away; `usual` undoes it. */
export async function setOptOutWord(
  needs: OptOutNeeds,
  fields: Fields,
): Promise<Result<{ account: string }, Rejection>> {
  const read = readFields(wordFields, fields);
  if (!read.ok) return read;
  const account = accountNamed(needs, read.value.account);
  if (!account.ok) return account;
  const means = read.value.means === 'usual' ? null : read.value.means;
  const command = { account: account.value.id, word: read.value.word, means };
  const set = await needs.journal.append<'set-opt-out-word'>({ kind: 'set-opt-out-word', ...command });
  return set.ok ? ok({ account: account.value.name }) : set;
}

function accountOf(needs: Pick<OptOutNeeds, 'snapshot'>, fields: Fields): Result<Account, Rejection> {
  const read = readFields({ account: name }, fields);
  return read.ok ? accountNamed(needs, read.value.account) : read;
}

function accountNamed(needs: Pick<OptOutNeeds, 'snapshot'>, wanted: string): Result<Account, Rejection> {
  const account = [...needs.snapshot().accounts.values()].find((each) => each.name === wanted);
  return account ? ok(account) : refused({ code: 'does_not_exist', detail: `there is no account named ${wanted}` });
}
