import { startOfDay } from '../../core/money/calendar.ts';
import { isTimeZone } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { anyText, flag, instant, invalid, name, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Field, Fields } from '../../operator/fields.ts';
import type { ChargedView, EntryView } from '../../store/views/money/statement.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of the ledger of one account. */

type Needs = QuestionNeeds & { readonly clock: { now(): Instant }; readonly snapshot: () => Snapshot };

/** Entries of one page, and the messages of charges in it: an answer of some hundred KiB, and milliseconds of the reader. */
const entriesMax = 1_000;
const messagesMax = 1_000;

const timeZone: Field<string> = {
  parse: (text) => (isTimeZone(text) ? ok(text) : refused('it has to be a time zone such as UTC or Europe/Zurich')),
};

const zone = optional(timeZone, null);
const entry = wholeNumber(0, Number.MAX_SAFE_INTEGER);

const statementFields = {
  account: name,
  from: optional(anyText, null),
  to: optional(anyText, null),
  zone,
  messages: optional(flag, false),
  after: optional(entry, null),
  through: optional(entry, null),
};

/**
 * What was posted from `from` until before `to`, a page at a time: the next is asked for with the `after` and `through` of
 * this one. Opening and closing balance are those of what is left, so the first page has those of the whole.
 */
export async function askStatement(needs: Needs, fields: Fields): Answer {
  const read = readFields(statementFields, fields);
  if (!read.ok) return read;
  const { account, after, through } = read.value;
  const at = zoneOf(needs, read.value);
  const from = readTime('from', read.value.from, at);
  if (!from.ok) return from;
  if (isToCome(needs, from.value)) return toCome('from');
  const to = readTime('to', read.value.to, at);
  if (!to.ok) return to;
  if (from.value !== null && to.value !== null && from.value >= to.value) {
    return invalid('to', 'it has to be later than from: entries of its own instant are not in it');
  }
  if ((after === null) !== (through === null)) return invalid('after', 'it comes with through, as the last page said');
  const found = await needs.reader.ask('statement', {
    account,
    from: from.value,
    to: to.value,
    page: after === null || through === null ? null : { after, through },
    entriesMax,
    messagesMax: read.value.messages ? messagesMax : null,
  });
  if (!found.ok) return found;
  if (!found.value) return missing(account);
  const { entries, after: next, ...page } = found.value;
  return ok({
    account,
    from: from.value === null ? null : time(from.value),
    to: time(to.value ?? needs.clock.now()),
    ...page,
    after: next,
    // The last member: whoever writes page after page takes what stands in it as it is.
    entries: entries.map(showEntry),
  });
}

/** What everything posted before `at` comes to, or the balance now. */
export async function askBalance(needs: Needs, fields: Fields): Answer {
  const read = readFields({ account: name, at: optional(anyText, null), zone }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const at = readTime('at', read.value.at, zoneOf(needs, read.value));
  if (!at.ok) return at;
  if (isToCome(needs, at.value)) return toCome('at');
  const found = await needs.reader.ask('balanceAt', { account, at: at.value });
  if (!found.ok) return found;
  return found.value ? ok({ account, at: time(at.value ?? needs.clock.now()), ...found.value }) : missing(account);
}

function isToCome({ clock }: Pick<Needs, 'clock'>, at: Instant | null): boolean {
  return at !== null && at > clock.now();
}

function toCome(field: string): Result<never, Rejection> {
  return invalid(field, 'it is still to come, and nobody knows what will be posted by then');
}

/** Where days begin: where it is said, or where those of the account do. */
function zoneOf(needs: Needs, given: { readonly account: string; readonly zone: string | null }): string {
  const account = [...needs.snapshot().accounts.values()].find(({ name: each }) => each === given.account);
  return given.zone ?? account?.timeZone ?? 'UTC';
}

/** A day is its beginning in a time zone; every other time says for itself where it is. */
function readTime(field: string, text: string | null, inZone: string): Result<Instant | null, Rejection> {
  if (text === null) return ok(null);
  const day = startOfDay(text, inZone);
  if (day !== undefined) return ok(day);
  const read = instant.parse(text);
  return read.ok ? read : invalid(field, read.error);
}

function showEntry(view: EntryView): Json {
  return {
    entry: view.id,
    at: time(view.at),
    kind: view.kind,
    amount: view.amount,
    balance: view.balanceAfter,
    messages: view.messages,
    parts: view.parts,
    msgId: view.message === null ? null : String(view.message),
    part: view.part,
    reason: view.reason,
    actor: view.actor,
    key: view.key,
    charged: view.charged === null ? undefined : view.charged.map(showCharged),
  };
}

function showCharged(charged: ChargedView): Json {
  return {
    msgId: String(charged.id),
    receiver: charged.receiver,
    parts: charged.parts,
    unitPrice: charged.unitPrice,
    cost: charged.cost,
    balance: charged.balanceAfter,
  };
}

function missing(account: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no account named ${account}` });
}
