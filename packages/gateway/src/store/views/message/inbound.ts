/* Views of inbound messages and their notifications. */

import type { inbound } from '@morsel/api/admin/message/inbound.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { portsOf } from '../../../core/message/inbound.ts';
import { firstIdAt, instantOf, parseMessageId, toMessageId, type MessageId } from '../../../core/base/message-id.ts';
import type { NotificationState } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { integer, messageId, named, nullable, text, word } from '../../../state/tables/column.ts';
import { inboundTable } from '../../../state/tables/inbound.ts';
import { pick, shape } from '../../../state/tables/table.ts';
import { failuresOf, notificationsOfMessage } from '../notification/notification-list.ts';
import { accountIdOf } from '../account/ids-of-names.ts';
import { eachOf, beforeNewest } from '../page.ts';
import type { Queries } from '../queries.ts';
import type { View } from '../view.ts';
import { readSaid } from '../sealed.ts';
import { endOfLook, Where } from '../where.ts';

const newestState = `(select notification.state from notification where notification.subject = inbound.id and notification.kind = 'inbound'
  order by notification.id desc limit 1)`;
const summaryColumns = `inbound.id, account.name as account, inbound.matched_by, inbound.keyword, carrier.name as carrier,
  inbound.sender, inbound.receiver, inbound.dcs, inbound.num_parts, inbound.parts_received, inbound.complete,
  inbound.received_at, ${newestState} as delivery`;
const summaryMembers = {
  ...pick(inboundTable, 'matchedBy', 'keyword', 'sender', 'receiver', 'dcs', 'numParts', 'partsReceived', 'complete'),
  msgId: named('id', messageId),
  account: nullable(text),
  carrier: text,
  receivedTime: named('received_at', integer),
  delivery: nullable(word<NotificationState>()),
};
const summaryShape = shape(summaryMembers);
const shownShape = shape({
  ...summaryMembers,
  ...pick(inboundTable, 'content', 'code'),
  accountId: nullable(integer),
});

const joins =
  'from inbound join carrier on carrier.id = inbound.carrier left join account on account.id = inbound.account';

const show: View<'inbound.show'> = async (queries, { id }) => {
  const msgId = parseMessageId(id);
  const found = msgId === undefined ? undefined : await readInbound(queries, msgId);
  return found ? ok(found) : refused({ code: 'message_not_found' });
};

export async function readInbound(
  queries: Queries,
  id: MessageId,
): Promise<AnswerOf<typeof inbound.operations.show> | undefined> {
  const row = await queries.row(
    shownShape,
    `select ${summaryColumns}, inbound.content, inbound.account as account_id, inbound.code ${joins}
      where inbound.id = ?`,
    id,
  );
  if (!row) return undefined;
  const { content, accountId, code, ...shown } = row;
  const said = await readSaid(queries, { account: accountId, column: 'inbound.content', id }, content);
  const ports = portsOf(said?.header ?? null);
  return {
    ...shown,
    dataCoding: code ?? 0,
    text: said?.text ?? undefined,
    data: said?.octets ?? undefined,
    header: said?.header ?? null,
    erased: !said,
    destinationPort: ports?.destination ?? null,
    sourcePort: ports?.source ?? null,
    notifications: await eachOf(await notificationsOfMessage(queries, id, 'inbound'), async (each) => ({
      ...each,
      failures: await failuresOf(queries, each.id),
    })),
  };
}

/** Numbers are in the stored form; that of the gateway has no plus. A replay lists the oldest first. */
type ListInput = InputOf<typeof inbound.operations.list> & { readonly order?: 'oldest' };
type FindInput = Omit<ListInput, 'account'> & { readonly account: number | undefined };

/** The most messages that one query reads, whatever the filter is. */
const scannedMax = 10_000;

/** Lists messages in a limited range of ids. An empty page may still have a next page. */
async function list(queries: Queries, { account: name, ...asked }: ListInput) {
  const account = await accountIdOf(queries, name);
  if (!account.ok) return account;
  const input = { ...asked, account: account.value };
  const { number: digits, limit, order } = input;
  // A number is stored without a plus if the carrier did not mark it as international, so both forms are searched.
  const receivers = digits === undefined ? [undefined] : [digits, `+${digits}`];
  const stretches = await eachOf(receivers, (receiver) => findTo(queries, input, receiver));
  const ends = stretches.flatMap(({ end }) => end ?? []);
  const sign = order === 'oldest' ? 1 : -1;
  // The last id up to which the searches for both forms have read.
  const end = ends.length === 0 ? undefined : sign * Math.min(...ends.map((each) => sign * each));
  const found = stretches
    .flatMap(({ messages }) => messages)
    .filter(({ msgId }) => end === undefined || sign * msgId <= sign * end)
    .toSorted((one, other) => sign * (one.msgId - other.msgId));
  const items = found.slice(0, limit);
  if (found.length > limit) return ok({ items, next: String(items.at(-1)?.msgId) });
  if (end === undefined) return ok({ items, next: null });
  return ok({ items, next: String(end), searchedTo: instantOf(toMessageId(end)) });
}

export const inboundViews = { 'inbound.list': list, 'inbound.show': show };

/** `end` is the last id that was read; undefined if no message is left. */
async function findTo(queries: Queries, input: FindInput, receiver: string | undefined) {
  const { order, limit } = input;
  const direction = order === 'oldest' ? 'asc' : 'desc';
  const { above, below } = idsOf(input);
  const owners = ownersOf(input, receiver);
  // Only one lower bound is given, because SQLite starts from the first of several.
  const within = (from: number, to: number) => new Where('inbound.id > ? and inbound.id < ?', from, to).with(owners);
  const filter = filterOf(input, receiver);
  // Without such a filter, an index finds the rows of the page, so no limit is needed.
  const end = filter.isEmpty
    ? undefined
    : await endOfLook(queries, { place: 'inbound.id', where: within(above, below), direction, passed: scannedMax - 1 });
  const reach = order === 'oldest' ? within(above, (end ?? below - 1) + 1) : within((end ?? above + 1) - 1, below);
  const where = reach.with(filter);
  const messages = await queries.rows(
    summaryShape,
    `select ${summaryColumns} ${joins} ${where.sql} order by inbound.id ${direction} limit ?`,
    ...where.values,
    limit + 1,
  );
  return { messages, end };
}

/** The times of the filter are turned into ids, because ids grow with time. */
function idsOf({ since, until, order, after }: FindInput): { readonly above: number; readonly below: number } {
  const above = since === undefined ? 0 : firstIdAt(since) - 1;
  const below = until === undefined ? beforeNewest : firstIdAt(until);
  if (after === undefined) return { above, below };
  return order === 'oldest'
    ? { above: Math.max(above, Number(after)), below }
    : { above, below: Math.min(below, Number(after)) };
}

const ofAccount = 'inbound.account = ?';

/** The conditions that an index finds: the receiver, or else the account. */
function ownersOf({ account, unmatched }: FindInput, receiver: string | undefined): Where {
  if (receiver !== undefined) return new Where('inbound.receiver = ?', receiver);
  const where = new Where().given(ofAccount, account);
  return unmatched ? where.and('inbound.account is null') : where;
}

/** The other conditions. The plus keeps SQLite from using the index of accounts instead of that of receivers. */
function filterOf(input: FindInput, receiver: string | undefined): Where {
  const { account, unmatched, sender, keyword, undelivered } = input;
  const where = new Where().given('inbound.sender = ?', sender).given('inbound.keyword = ?', keyword);
  if (receiver !== undefined) where.given(`+${ofAccount}`, account);
  if (receiver !== undefined && unmatched) where.and('+inbound.account is null');
  return undelivered ? where.and(`${newestState} is distinct from 'delivered'`) : where;
}
