/* Views of opt-outs, their history and their settings. */

import type { optOut } from '@morsel/api/admin/number/opt-out.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { coversSender, type OptOutHandling } from '../../../core/number/opt-out.ts';
import { erasedNumber } from '../../../core/privacy/erased.ts';
import { integer, text } from '../../../state/tables/column.ts';
import { numberKeyId, numberKeyTable } from '../../../state/tables/privacy/removal.ts';
import {
  handlingFrom,
  optOutEventTable,
  optOutHandlingTable,
  optOutTable,
  optOutWordTable,
  type OptOutEventRow,
} from '../../../state/tables/opt-out.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { beforeNewest, pageOf, type ListInput, type Page } from '../page.ts';
import type { Queries } from '../queries.ts';
import { Where } from '../where.ts';

type Shown = typeof optOut.operations;
type OptOutView = AnswerOf<Shown['list']>['items'][number];
type OptOutEventView = AnswerOf<Shown['history']>['items'][number];

/**
 * Finds the opt-out that forbids messages from this sender to the receiver. Returns the sender of the opt-out, which is
 * empty for an opt-out from all senders.
 */
export async function readOptOutOf(
  queries: Queries,
  { account, receiver, sender }: { readonly account: number; readonly receiver: string; readonly sender: string },
): Promise<string | undefined> {
  const ofReceiver = 'where account = ? and receiver = ?';
  const listed = await queries.find(optOutTable, ofReceiver, account, receiver);
  const isAny = await queries.value(integer, 'select account from opt_out where account = ? limit 1', account);
  const key = isAny === undefined ? undefined : await queries.first(numberKeyTable, 'where id = ?', numberKeyId);
  const erased = key ? await queries.find(optOutTable, ofReceiver, account, erasedNumber(key.key, receiver)) : [];
  return [...listed, ...erased].find((each) => coversSender(each.sender, sender))?.sender;
}

interface FindOptOutsInput extends ListInput {
  readonly account?: string | undefined;
  readonly receiver?: string | undefined;
}

const idOfName = '(select id from account where name = ?)';
const causes = `account.name as account_name, event.inbound, event.word, event.actor, event.reason`;
const causeMembers = { accountName: text, ...pick(optOutEventTable, 'inbound', 'word', 'actor', 'reason') };
const listedShape = shape({ ...optOutTable.members, ...causeMembers });
const eventShape = shape({ ...pick(optOutEventTable, 'id', 'receiver', 'sender', 'at', 'wish'), ...causeMembers });

/** Reads a page of opt-outs, in the order of account, receiver and sender. */
export async function findOptOuts(queries: Queries, input: FindOptOutsInput): Promise<Page<OptOutView>> {
  const { account, receiver, after = '0//', limit } = input;
  const [, id = '', ...place] = /^(\d+)\/([^/]*)\/(.*)$/u.exec(after) ?? [];
  // For one account, only receiver and sender are compared. Otherwise SQLite would read all earlier entries of the
  // account.
  const where =
    account === undefined
      ? new Where('(opt_out.account, opt_out.receiver, opt_out.sender) > (?, ?, ?)', Number(id), ...place)
      : new Where('(opt_out.receiver, opt_out.sender) > (?, ?)', ...place);
  where.given(`opt_out.account = ${idOfName}`, account).given('opt_out.receiver = ?', receiver);
  const found = await queries.rows(
    listedShape,
    `select opt_out.*, ${causes} from opt_out join account on account.id = opt_out.account
      join opt_out_event as event on event.id = opt_out.event ${where.sql}
      order by opt_out.account, opt_out.receiver, opt_out.sender limit ?`,
    ...where.values,
    limit + 1,
  );
  const { items, next } = pageOf(found, limit, (row) => `${row.account}/${row.receiver}/${row.sender}`);
  return { items: items.map((row) => ({ ...causeOf(row), since: row.since })), next };
}

/** Reads a page of changes of opt-out lists, the newest first. */
export async function findOptOutEvents(queries: Queries, input: FindOptOutsInput): Promise<Page<OptOutEventView>> {
  const { account, receiver, after = beforeNewest, limit } = input;
  const where = new Where('event.id < ?', Number(after));
  where.given(`event.account = ${idOfName}`, account).given('event.receiver = ?', receiver);
  const found = await queries.rows(
    eventShape,
    `select event.id, event.receiver, event.sender, event.at, event.wish, ${causes} from opt_out_event as event
      join account on account.id = event.account ${where.sql} order by event.id desc limit ?`,
    ...where.values,
    limit + 1,
  );
  const events = found.map((row) => ({ ...causeOf(row), id: row.id, at: row.at, wish: row.wish }));
  return pageOf(events, limit, ({ id }) => String(id));
}

/** Reads the opt-out settings of an account. */
export async function readOptOutHandling(queries: Queries, account: number): Promise<OptOutHandling> {
  const [row] = await queries.find(optOutHandlingTable, 'where account = ?', account);
  const words = row ? await queries.find(optOutWordTable, 'where account = ?', account) : [];
  return handlingFrom(row, () => words);
}

type Caused = Pick<OptOutEventRow, 'receiver' | 'sender' | 'inbound' | 'word' | 'actor' | 'reason'>;

function causeOf(row: Caused & { readonly accountName: string }): Omit<OptOutView, 'since'> {
  const { accountName: account, receiver, sender, inbound, word, actor, reason } = row;
  const by = inbound === null ? 'operator' : 'inbound';
  return { account, receiver, sender: sender || null, by, inbound, word, actor, reason };
}
