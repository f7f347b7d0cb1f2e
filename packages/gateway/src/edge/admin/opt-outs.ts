import type { Account } from '../../core/account/account.ts';
import { everySender } from '../../core/number/opt-out.ts';
import { usualWords } from '../../core/number/opt-out-words.ts';
import { warningsOfWords, wordFor } from '../../core/number/account-words.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import { receiverField } from '../../operator/number/opt-outs.ts';
import { name, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Field, Fields } from '../../operator/fields.ts';
import type { OptOutEventView, OptOutPlace, OptOutView } from '../../store/views/number/opt-outs.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import { shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of opt-out lists. */

interface OptOutQuestionNeeds extends QuestionNeeds {
  readonly snapshot: () => Snapshot;
}

const limitMax = 1_000;
const limitDefault = 50;

const placePattern = /^(\d{1,10})\/(\+\d{7,15})\/(.{0,32})$/u;

/** The place where the page before ended, as it said it. */
const place: Field<OptOutPlace> = {
  parse: (text) => {
    const [, account = '', receiver = '', sender = everySender] = placePattern.exec(text) ?? [];
    return account === ''
      ? refused('it has to be the `next` of the page before')
      : ok({ account: Number(account), receiver, sender });
  },
};

const whose = { account: optional(name, null), receiver: optional(receiverField, null) };
const limit = optional(wholeNumber(1, limitMax), limitDefault);
const listFields = { ...whose, after: optional(place, null), limit };

/** Entries of the lists of an account, or all, and where to go on as `after` if there may be more. */
export async function askOptOuts(needs: OptOutQuestionNeeds, fields: Fields): Answer {
  const read = readFields(listFields, fields);
  if (!read.ok) return read;
  const account = accountOrAll(needs, read.value.account);
  if (!account.ok) return account;
  return shown(await needs.reader.ask('optOuts', read.value), ({ optOuts, next }) => ({
    optOuts: optOuts.map(showOptOut),
    next: next === null ? null : `${next.account}/${next.receiver}/${next.sender}`,
  }));
}

const eventFields = { ...whose, before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null), limit };

/** What changed on the lists, the newest first, and where to go on as `before` if there may be more. */
export async function askOptOutEvents(needs: OptOutQuestionNeeds, fields: Fields): Answer {
  const read = readFields(eventFields, fields);
  if (!read.ok) return read;
  const account = accountOrAll(needs, read.value.account);
  if (!account.ok) return account;
  return shown(await needs.reader.ask('optOutEvents', read.value), ({ events, next }) => ({
    events: events.map(showEvent),
    next: next === null ? null : String(next),
  }));
}

/** The usual words by their languages; with an account, its own and how it is handled. */
export async function askOptOutWords(needs: OptOutQuestionNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null) }, fields);
  if (!read.ok) return read;
  const account = accountOrAll(needs, read.value.account);
  if (!account.ok) return account;
  const usual = usualWords.map(({ language, stop, start }) => ({ language, stop: [...stop], start: [...start] }));
  if (account.value === null) return ok({ usual });
  const { id, name: accountName } = account.value;
  return shown(await needs.reader.ask('optOutHandling', id), ({ isOn, scope, words }) => ({
    account: accountName,
    words: isOn ? 'on' : 'off',
    scope,
    stopWord: wordFor('stop', words) ?? null,
    startWord: wordFor('start', words) ?? null,
    warnings: isOn ? warningsOfWords(words) : [],
    accountWords: [...words].map(([word, means]) => ({ word, means })),
    usual,
  }));
}

function accountOrAll(needs: OptOutQuestionNeeds, wanted: string | null): Result<Account | null, AccountMissing> {
  if (wanted === null) return ok(null);
  const account = [...needs.snapshot().accounts.values()].find((each) => each.name === wanted);
  return account ? ok(account) : refused({ code: 'does_not_exist', detail: `there is no account named ${wanted}` });
}

interface AccountMissing {
  readonly code: 'does_not_exist';
  readonly detail: string;
}

function showOptOut(row: OptOutView): Json {
  const { account, receiver, sender } = row;
  return { account, receiver, sender, since: time(row.since), ...causeOf(row) };
}

function showEvent(row: OptOutEventView): Json {
  const { account, receiver, sender, wish } = row;
  return { id: String(row.id), at: time(row.at), account, receiver, sender, wish, ...causeOf(row) };
}

/** A phone's message by its id, or who did it. */
function causeOf({ inbound, word, actor, reason }: OptOutView | OptOutEventView): { readonly [member: string]: Json } {
  return {
    by: inbound === null ? 'operator' : 'inbound',
    inbound: inbound === null ? null : String(inbound),
    word,
    actor,
    reason,
  };
}
