import type { entryFields } from '@morsel/api/admin/money/posting.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { echoNames } from '@morsel/api/values/message.ts';
import { zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { accountTable } from '../../../state/tables/account.ts';
import { integer, micros, text } from '../../../state/tables/column.ts';
import { entryTable, type EntryRow } from '../../../state/tables/ledger.ts';
import { messageTable } from '../../../state/tables/message.ts';
import { pick, shape, type ShapeOf } from '../../../state/tables/table.ts';
import { columnsOf } from '../../table-sql.ts';
import { beforeNewest } from '../page.ts';
import type { Queries } from '../queries.ts';

/*
 * Views of an account's ledger entries. Ids and times of an account's entries have the same order, so a binary search in
 * the ids finds an instant. So past balances are found fast in a ledger of any size.
 */

export interface StatementInput {
  readonly account: string;
  /** The begin of the period; null to start with the first entry. */
  readonly from: Instant | null;
  /** The end of the period; null to end with the last entry. */
  readonly to: Instant | null;
  /**
   * The place where the page before ended. It also contains the last entry of the period, so `from` and `to` are
   * ignored then.
   */
  readonly after?: string | undefined;
  readonly entriesMax: number;
  /**
   * If set, the page has the messages of each charge, and ends after the entry with which it reaches this number of
   * messages. Null for a page without messages.
   */
  readonly messagesMax: number | null;
}

/** A page of a statement. `opening` plus the amounts on this page and all later pages is `closing`. */
export interface StatementPage {
  readonly currency: string;
  readonly opening: Micros;
  readonly closing: Micros;
  readonly entries: readonly EntryView[];
  readonly next: string | null;
}

export type EntryView = Values<typeof entryFields>;

const payerShape = shape(pick(accountTable, 'id', 'currency', 'balance'));
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

const payerNamed = 'select id, currency, balance from account where name = ?';

/** Reads a page of a statement. Undefined if the account does not exist. */
export async function readStatement(queries: Queries, input: StatementInput): Promise<StatementPage | undefined> {
  const account = await queries.row(payerShape, payerNamed, input.account);
  if (!account) return undefined;
  const { id, currency } = account;
  const [
    after = await lastEntryBefore(queries, id, input.from ?? 0),
    through = await lastEntryBefore(queries, id, input.to ?? beforeNewest),
  ] = input.after?.split('/').map(Number) ?? [];
  const ofPeriod = 'where account = ? and id > ? and id <= ? order by id limit ?';
  const rows = await queries.find(entryTable, ofPeriod, id, after, through, input.entriesMax);
  const entries = await entriesOf(queries, rows, input.messagesMax);
  const isWhole = entries.length === rows.length && rows.length < input.entriesMax;
  return {
    currency,
    opening: await balanceBehind(queries, id, after),
    closing: await balanceBehind(queries, id, through),
    entries,
    next: isWhole ? null : `${entries.at(-1)?.entry}/${through}`,
  };
}

export interface BalanceAt {
  readonly currency: string;
  readonly balance: Micros;
}

/** Reads the balance of an account at an instant, or the present balance if `at` is null. */
export async function readBalanceAt(
  queries: Queries,
  wanted: { readonly account: string; readonly at: Instant | null },
): Promise<BalanceAt | undefined> {
  const account = await queries.row(payerShape, payerNamed, wanted.account);
  if (!account) return undefined;
  const { id, currency, balance } = account;
  return {
    currency,
    balance:
      wanted.at === null ? balance : await balanceBehind(queries, id, await lastEntryBefore(queries, id, wanted.at)),
  };
}

/** An id behind an account's entries before an instant, and before its others; 0 if there is no entry before. */
async function lastEntryBefore(queries: Queries, account: number, at: Instant): Promise<number> {
  const upTo = 'where account = ? and id <= ? order by id desc limit 1';
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
  const newest = await queries.first(
    entryTable,
    'where account = ? and id <= ? order by id desc limit 1',
    account,
    entry,
  );
  return newest?.balanceAfter ?? zeroMicros;
}

async function entriesOf(
  queries: Queries,
  rows: readonly EntryRow[],
  messagesMax: number | null,
): Promise<EntryView[]> {
  if (messagesMax === null) return rows.map((row) => entryViewFrom(row));
  const entries: EntryView[] = [];
  let messages = 0;
  for (const row of rows) {
    const charged = row.kind === 'charge' ? await chargedBy(queries, row) : undefined;
    entries.push(entryViewFrom(row, charged));
    messages += charged?.length ?? 0;
    if (messages >= messagesMax) break;
  }
  return entries;
}

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
