import type { entryFields } from '@morsel/api/admin/money/posting.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { echoNames } from '@morsel/api/values/message.ts';
import { zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { startOfDay } from '../../../core/money/calendar.ts';
import { accountTable } from '../../../state/tables/account.ts';
import { integer, micros, text } from '../../../state/tables/column.ts';
import { entryTable, type EntryRow } from '../../../state/tables/ledger.ts';
import { messageTable } from '../../../state/tables/message.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import { beforeNewest } from '../page.ts';
import { noAccount } from '../../../core/named.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';

/* Ids and times of an account's entries have the same order, so a binary search finds past balances fast. */

/** The most entries on a page, and messages of their charges. A full page has a few hundred KiB. */
const entriesMax = 1_000;
const messagesMax = 1_000;

type EntryView = Values<typeof entryFields>;

const payerShape = shape(pick(accountTable, 'id', 'currency', 'balance', 'timeZone'));
const payerNamed = 'select id, currency, balance, time_zone from account where name = ?';

const statement: View<'posting.statement'> = async (queries, { account: name, messages, after, now, ...given }) => {
  const account = await queries.row(payerShape, payerNamed, name);
  const zone = given.zone ?? account?.timeZone ?? 'UTC';
  const from = timeIn(zone, given.from);
  if (from !== null && from > now) return toCome('from');
  const to = timeIn(zone, given.to);
  if (from !== null && to !== null && from >= to) return invalid('to', 'must be later than from');
  if (!account) return noAccount(name);
  const size = { entriesMax, messagesMax: messages ? messagesMax : null };
  const page = await readStatement(queries, account.id, { from, to, after, ...size });
  return ok({ account: name, from, to: to ?? now, currency: account.currency, ...page });
};

const balanceAt: View<'posting.balance'> = async (queries, { account: name, now, ...given }) => {
  const account = await queries.row(payerShape, payerNamed, name);
  const at = timeIn(given.zone ?? account?.timeZone ?? 'UTC', given.at);
  if (at !== null && at > now) return toCome('at');
  if (!account) return noAccount(name);
  const { id, currency, balance: present } = account;
  return ok({
    account: name,
    at: at ?? now,
    currency,
    balance: at === null ? present : await balanceBefore(queries, id, at),
  });
};

export const postingViews = { 'posting.statement': statement, 'posting.balance': balanceAt };

/** Reads a time. A date means the beginning of the day in the time zone; any other time has its own offset. */
function timeIn(zone: string, at: string | undefined): Instant | null {
  return at === undefined ? null : (startOfDay(at, zone) ?? Date.parse(at));
}

function toCome(field: string): Result<never, Rejection> {
  return invalid(field, 'must be a time in the past, because later entries are not known yet');
}

interface Statement {
  /** The start of the period; null to start with the first entry. */
  readonly from: Instant | null;
  /** The end of the period; null to end with the last entry. */
  readonly to: Instant | null;
  /** Where the last page ended. It has the last entry of the period, so `from` and `to` are ignored. */
  readonly after?: string | undefined;
  readonly entriesMax: number;
  /** The page ends after this many messages of its charges. Null for a page without messages. */
  readonly messagesMax: number | null;
}

/** Reads a page. `opening` plus the amounts on this page and all later pages is `closing`. */
export async function readStatement(queries: Queries, account: number, wanted: Statement) {
  const [
    after = await lastEntryBefore(queries, account, wanted.from ?? 0),
    through = await lastEntryBefore(queries, account, wanted.to ?? beforeNewest),
  ] = wanted.after?.split('/').map(Number) ?? [];
  const ofPeriod = 'where account = ? and id > ? and id <= ? order by id limit ?';
  const rows = await queries.find(entryTable, ofPeriod, account, after, through, wanted.entriesMax);
  const entries = await entriesOf(queries, rows, wanted.messagesMax);
  const isWhole = entries.length === rows.length && rows.length < wanted.entriesMax;
  return {
    opening: await balanceBehind(queries, account, after),
    closing: await balanceBehind(queries, account, through),
    entries,
    next: isWhole ? null : `${entries.at(-1)?.entry}/${through}`,
  };
}

export async function balanceBefore(queries: Queries, account: number, at: Instant): Promise<Micros> {
  return balanceBehind(queries, account, await lastEntryBefore(queries, account, at));
}

const upTo = 'where account = ? and id <= ? order by id desc limit 1';

/** The id of an account's last entry before an instant; 0 if there is none. */
async function lastEntryBefore(queries: Queries, account: number, at: Instant): Promise<number> {
  const newest = await queries.first(entryTable, upTo, account, Number.MAX_SAFE_INTEGER);
  if (!newest) return 0;
  let before = 0;
  let last = newest.id;
  if (newest.createdAt < at) return last;
  while (before < last) {
    const middle = before + Math.ceil((last - before) / 2);
    const entry = await queries.first(entryTable, upTo, account, middle);
    if (!entry || entry.createdAt < at) before = middle;
    else last = entry.id - 1;
  }
  return before;
}

async function balanceBehind(queries: Queries, account: number, entry: number): Promise<Micros> {
  const newest = await queries.first(entryTable, upTo, account, entry);
  return newest?.balanceAfter ?? zeroMicros;
}

async function entriesOf(queries: Queries, rows: readonly EntryRow[], most: number | null): Promise<EntryView[]> {
  if (most === null) return rows.map((row) => entryViewFrom(row));
  const entries: EntryView[] = [];
  let messages = 0;
  for (const row of rows) {
    const charged = row.kind === 'charge' ? await chargedBy(queries, row) : undefined;
    entries.push(entryViewFrom(row, charged));
    messages += charged?.length ?? 0;
    if (messages >= most) break;
  }
  return entries;
}

const echoMembers = pick(messageTable, ...echoNames);
const chargedShape = shape({
  msgId: text,
  receiver: text,
  parts: integer,
  unitPrice: micros,
  cost: micros,
  balance: micros,
  ...echoMembers,
});
type ChargedView = ShapeOf<typeof chargedShape>;

/** Reads the messages of a charge, in the order in which they were charged. */
async function chargedBy(queries: Queries, { id, firstMessage, lastMessage }: EntryRow): Promise<ChargedView[]> {
  return queries.rows(
    chargedShape,
    `select id as msg_id, receiver, num_parts as parts, unit_price, total_cost as cost, balance_after as balance,
        ${columnsOf('message', echoMembers)}
      from message where id between ? and ? and entry = ? order by entry_place`,
    firstMessage,
    lastMessage,
    id,
  );
}

function entryViewFrom(row: EntryRow, charged?: readonly ChargedView[]): EntryView {
  const { id: entry, createdAt: at, kind, amount, balanceAfter: balance, messages, parts } = row;
  const { part, reason, actor, key } = row;
  const msgId = kind === 'refund' ? String(row.firstMessage) : null;
  return { entry, at, kind, amount, balance, messages, parts, msgId, part, reason, actor, key, charged };
}
