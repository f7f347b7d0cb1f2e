import type { chargedFields, entryFields } from '@morsel/api/admin/money/posting.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { entryKindFrom } from '../../sqlite/row-readers.ts';
import { micros, integer, integerOrNull, text, textOrNull } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

/*
 * Views of an account's ledger entries. Ids and times of entries have the same order, so a binary search in the ids
 * finds an instant. So past balances are found fast in a ledger of any size.
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
type ChargedView = Values<typeof chargedFields>;

/** An instant after all entries. */
const forever = Number.MAX_SAFE_INTEGER;

/** Reads a page of a statement. Undefined if the account does not exist. */
export function readStatement(queries: Queries, input: StatementInput): StatementPage | undefined {
  const account = queries.get('select id, currency from account where name = ?', input.account);
  if (!account) return undefined;
  const id = integer(account, 'id');
  const [after = lastEntryBefore(queries, input.from ?? 0), through = lastEntryBefore(queries, input.to ?? forever)] =
    input.after?.split('/').map(Number) ?? [];
  const rows = queries.all(
    'select * from entry where account = ? and id > ? and id <= ? order by id limit ?',
    id,
    after,
    through,
    input.entriesMax,
  );
  const entries = entriesOf(queries, rows, input.messagesMax);
  const isWhole = entries.length === rows.length && rows.length < input.entriesMax;
  return {
    currency: text(account, 'currency'),
    opening: balanceBehind(queries, id, after),
    closing: balanceBehind(queries, id, through),
    entries,
    next: isWhole ? null : `${entries.at(-1)?.entry}/${through}`,
  };
}

export interface BalanceAt {
  readonly currency: string;
  readonly balance: Micros;
}

/** Reads the balance of an account at an instant, or the present balance if `at` is null. */
export function readBalanceAt(
  queries: Queries,
  wanted: { readonly account: string; readonly at: Instant | null },
): BalanceAt | undefined {
  const account = queries.get('select id, currency, balance from account where name = ?', wanted.account);
  if (!account) return undefined;
  const balance =
    wanted.at === null
      ? micros(account, 'balance')
      : balanceBehind(queries, integer(account, 'id'), lastEntryBefore(queries, wanted.at));
  return { currency: text(account, 'currency'), balance };
}

/** The id of the newest entry of any account before an instant; 0 if there is no entry before. */
function lastEntryBefore(queries: Queries, at: Instant): number {
  const newest = queries.get('select id, created_at from entry order by id desc limit 1');
  if (!newest) return 0;
  let before = 0;
  let last = integer(newest, 'id');
  if (integer(newest, 'created_at') < at) return last;
  while (before < last) {
    const middle = before + Math.ceil((last - before) / 2);
    const entry = queries.get('select id, created_at from entry where id <= ? order by id desc limit 1', middle);
    if (!entry || integer(entry, 'created_at') < at) before = middle;
    else last = integer(entry, 'id') - 1;
  }
  return before;
}

function balanceBehind(queries: Queries, account: number, entry: number): Micros {
  const row = queries.get(
    'select balance_after from entry where account = ? and id <= ? order by id desc limit 1',
    account,
    entry,
  );
  return row ? micros(row, 'balance_after') : zeroMicros;
}

function entriesOf(queries: Queries, rows: readonly Record[], messagesMax: number | null): EntryView[] {
  if (messagesMax === null) return rows.map((row) => entryViewFrom(row));
  const entries: EntryView[] = [];
  let messages = 0;
  for (const row of rows) {
    const charged = text(row, 'kind') === 'charge' ? chargedBy(queries, row) : undefined;
    entries.push(entryViewFrom(row, charged));
    messages += charged?.length ?? 0;
    if (messages >= messagesMax) break;
  }
  return entries;
}

/** Reads the messages of a charge, in the order in which they were charged. */
function chargedBy(queries: Queries, entry: Record): ChargedView[] {
  return queries
    .all(
      `select id, receiver, num_parts, unit_price, total_cost, balance_after from message
        where id between ? and ? and entry = ? order by entry_place`,
      integer(entry, 'first_message'),
      integer(entry, 'last_message'),
      integer(entry, 'id'),
    )
    .map((row) => ({
      msgId: String(integer(row, 'id')),
      receiver: text(row, 'receiver'),
      parts: integer(row, 'num_parts'),
      unitPrice: micros(row, 'unit_price'),
      cost: micros(row, 'total_cost'),
      balance: micros(row, 'balance_after'),
    }));
}

function entryViewFrom(row: Record, charged?: readonly ChargedView[]): EntryView {
  const kind = entryKindFrom(row);
  return {
    entry: integer(row, 'id'),
    at: integer(row, 'created_at'),
    kind,
    amount: micros(row, 'amount'),
    balance: micros(row, 'balance_after'),
    messages: integer(row, 'messages'),
    parts: integer(row, 'parts'),
    msgId: kind === 'refund' ? String(integer(row, 'first_message')) : null,
    part: integerOrNull(row, 'part'),
    reason: text(row, 'reason'),
    actor: text(row, 'actor'),
    key: textOrNull(row, 'key'),
    charged,
  };
}
