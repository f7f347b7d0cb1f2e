/* Views of opt-outs, their history and their settings. */

import { ok } from '@morsel/api/values/result.ts';
import { shownHandling } from '../../../core/number/account-words.ts';
import { coversSender } from '../../../core/number/opt-out.ts';
import { usualWords } from '../../../core/number/opt-out-words.ts';
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
import { accountIdOf } from '../account/ids-of-names.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { Where } from '../where.ts';

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

const causes = `account.name as account_name, event.inbound, event.word, event.actor, event.reason`;
const causeMembers = { accountName: text, ...pick(optOutEventTable, 'inbound', 'word', 'actor', 'reason') };
const listedShape = shape({ ...optOutTable.members, ...causeMembers });
const eventShape = shape({ ...pick(optOutEventTable, 'id', 'receiver', 'sender', 'at', 'wish'), ...causeMembers });

/** Lists opt-outs, in the order of account, receiver and sender. The receiver is in the stored form. */
const list: View<'optOut.list'> = async (queries, { account: name, receiver, after = '0//', limit }) => {
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  const [, id = '', ...place] = /^(\d+)\/([^/]*)\/(.*)$/u.exec(after) ?? [];
  // For one account, only receiver and sender are compared. Otherwise SQLite would read all earlier entries of the
  // account.
  const where =
    account.value === undefined
      ? new Where('(opt_out.account, opt_out.receiver, opt_out.sender) > (?, ?, ?)', Number(id), ...place)
      : new Where('(opt_out.receiver, opt_out.sender) > (?, ?)', ...place);
  where.given('opt_out.account = ?', account.value).given('opt_out.receiver = ?', receiver);
  const found = await queries.rows(
    listedShape,
    `select opt_out.*, ${causes} from opt_out join account on account.id = opt_out.account
      join opt_out_event as event on event.id = opt_out.event ${where.sql}
      order by opt_out.account, opt_out.receiver, opt_out.sender limit ?`,
    ...where.values,
    limit + 1,
  );
  const { items, next } = pageOf(found, limit, (row) => `${row.account}/${row.receiver}/${row.sender}`);
  return ok({ items: items.map(withCause), next });
};

/** Lists the changes of opt-out lists, the newest first. */
const history: View<'optOut.history'> = async (queries, { account: name, receiver, after = beforeNewest, limit }) => {
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  const where = new Where('event.id < ?', Number(after));
  where.given('event.account = ?', account.value).given('event.receiver = ?', receiver);
  const found = await queries.rows(
    eventShape,
    `select event.id, event.receiver, event.sender, event.at, event.wish, ${causes} from opt_out_event as event
      join account on account.id = event.account ${where.sql} order by event.id desc limit ?`,
    ...where.values,
    limit + 1,
  );
  return ok(pageOf(found.map(withCause), limit, ({ id }) => String(id)));
};

/** Shows the opt-out words of an account; without an account, the usual words. */
const words: View<'optOut.words'> = async (queries, { account: name }) => {
  if (name === undefined) return ok({ usual: usualWords });
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  const [row] = await queries.find(optOutHandlingTable, 'where account = ?', account.value);
  const own = row ? await queries.find(optOutWordTable, 'where account = ?', account.value) : [];
  return ok(
    shownHandling(
      name,
      handlingFrom(row, () => own),
    ),
  );
};

export const optOutViews = { 'optOut.list': list, 'optOut.history': history, 'optOut.words': words };

/** Adds the name of the account and the cause to a row. */
function withCause<Row extends Pick<OptOutEventRow, 'sender' | 'inbound'> & { readonly accountName: string }>(
  row: Row,
) {
  const by = row.inbound === null ? ('operator' as const) : ('inbound' as const);
  return { ...row, account: row.accountName, sender: row.sender || null, by };
}
