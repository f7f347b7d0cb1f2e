import { ok } from '@morsel/api/values/result.ts';
import { answerKeysOf, carrierIdKeys } from '../../../core/message/carrier-id.ts';
import { firstIdAt, instantOf, toMessageId } from '../../../core/base/message-id.ts';
import { summaryColumns, summaryJoins, summaryShape } from './messages.ts';
import { accountIdOf, carrierIdOf } from '../account/ids-of-names.ts';
import { beforeNewest, pageOf } from '../page.ts';
import type { View } from '../view.ts';
import { inDoubt } from './in-doubt.ts';
import { endOfLook, Where } from '../where.ts';

/*
 * Only the carrier's id and the tags have an index: an index of receivers would make commits half as long again, and
 * the store three times as large. Other searches go back in time, read a limited number of messages, and return where
 * they stopped.
 */

/**
 * The most messages that one query reads. Such a query takes some tens of milliseconds, and other queries wait for it.
 */
export const scannedMax = 50_000;

/**
 * Finds the newest matching messages in a limited range of ids, which grow with time. A page that is not full may still
 * have a next page. Sender and receiver are in the stored form.
 */
const find: View<'message.find'> = async (queries, input) => {
  const account = await accountIdOf(queries, input.account);
  if (!account.ok) return account;
  const carrier = await carrierIdOf(queries, input.carrier);
  if (!carrier.ok) return carrier;
  const upper = Math.min(
    Number(input.after ?? Infinity),
    input.until === undefined ? beforeNewest : firstIdAt(input.until),
  );
  const lower = input.since === undefined ? 0 : firstIdAt(input.since);
  // A search by tag reads only the messages with the tag.
  const [place, tables] =
    input.tag === undefined
      ? (['message.id', 'message'] as const)
      : (['tagged.message', 'tagged join message on message.id = tagged.message'] as const);
  // Only one lower bound is given, because SQLite starts from the first of several.
  const within = (from: number) =>
    new Where(`${place} < ? and ${place} >= ?`, upper, from).given('tagged.tag = ?', input.tag);
  const wanted = filterOf(input, account.value);
  // Without a filter, or with a carrier's id, an index finds the rows of the page, so no limit is needed.
  const end =
    !wanted.isEmpty && input.carrierMessageId === undefined
      ? await endOfLook(queries, { place, where: within(lower), direction: 'desc', passed: scannedMax })
      : undefined;
  const where = within(end ?? lower).with(wanted);
  const rows = await queries.rows(
    summaryShape,
    `select ${summaryColumns} from ${tables} ${summaryJoins} ${where.sql} order by ${place} desc limit ?`,
    ...where.values,
    input.limit + 1,
  );
  const { items, next } = pageOf(rows, input.limit, ({ msgId }) => String(msgId));
  if (next !== null || end === undefined) return ok({ items, next });
  return ok({ items, next: String(end), searchedTo: instantOf(toMessageId(end)) });
};

export const messageViews = { 'message.find': find, 'message.inDoubt': inDoubt };

function filterOf(input: Parameters<typeof find>[1], account: number | undefined): Where {
  const where = new Where()
    .given('message.account = ?', account)
    .given('message.sender = ?', input.sender)
    .given('message.receiver = ?', input.receiver)
    .given('message.client_ref = ?', input.clientRef)
    .given('first_part.report_event = ?', input.event);
  const carriers = input.carrier === undefined ? 'select id from carrier' : 'select id from carrier where name = ?';
  const carrier = input.carrier === undefined ? [] : [input.carrier];
  if (input.carrierMessageId !== undefined) {
    const keys = [...new Set(carrierIdKeys(input.carrierMessageId).flatMap(answerKeysOf))];
    const places = keys.map(() => '?').join(', ');
    const given = `select message from attempt where carrier in (${carriers}) and carrier_id_key in (${places})`;
    where.and(`message.id in (${given})`, ...carrier, ...keys);
  } else if (input.carrier !== undefined) {
    const given = `select message from attempt where attempt.message = message.id and carrier in (${carriers})
      union all select message from part where part.message = message.id and tried_by in (${carriers})`;
    where.and(`exists (${given})`, input.carrier, input.carrier);
  }
  return where;
}
