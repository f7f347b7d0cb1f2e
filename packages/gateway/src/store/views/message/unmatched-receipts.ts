/* Views of unmatched receipts. */

import type { receipt } from '@morsel/api/admin/message/receipt.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { unmatchedReasons, type UnmatchedWhy } from '@morsel/api/values/message.ts';
import { integer, nullable, text } from '../../../state/tables/column.ts';
import { unmatchedReceiptTable, type UnmatchedReceiptRow } from '../../../state/tables/receipt.ts';
import { shape } from '../../../state/tables/table.ts';
import { carrierIdOf } from '../account/ids-of-names.ts';
import { eachOf, beforeNewest, pageOf } from '../page.ts';
import type { Queries } from '../queries.ts';
import { openerOf } from '../sealed.ts';
import type { View } from '../view.ts';

const carrierShape = shape({ id: integer, name: text });

type UnmatchedReceiptView = AnswerOf<typeof receipt.operations.unmatched>['items'][number];

/**
 * Lists unmatched receipts, the newest first. Ids grow with the time of arrival, so the time becomes a limit for ids.
 */
const list: View<'receipt.unmatched'> = async (queries, { after = beforeNewest, limit, now, ...input }) => {
  const { carrier, why, olderThan, until = Number.POSITIVE_INFINITY } = input;
  const known = await carrierIdOf(queries, carrier);
  if (!known.ok) return known;
  const before = olderThan === undefined ? until : Math.min(until, now - olderThan);
  const upper = Math.min(Number(after), await firstIdFrom(queries, before));
  const found =
    carrier === undefined && why === undefined
      ? await queries.find(unmatchedReceiptTable, 'where id < ? order by id desc limit ?', upper, limit + 1)
      : await ofCarriers(queries, { carrier, why }, { upper, limit: limit + 1 });
  const names = new Map(
    (await queries.rows(carrierShape, 'select id, name from carrier')).map(({ id, name }) => [id, name]),
  );
  const receipts = found.map((row) => viewOf(row, names));
  return ok(pageOf(receipts, limit, ({ id }) => String(id)));
};

const show: View<'receipt.show'> = async (queries, { id }) => {
  const row = await queries.first(unmatchedReceiptTable, 'where id = ?', id);
  if (!row) {
    const detail = `there is no unmatched receipt ${id}: it may have been matched since, or removed because of its age`;
    return refused({ code: 'does_not_exist', detail });
  }
  const name = (await queries.value(text, 'select name from carrier where id = ?', row.carrier)) ?? '';
  const open = await openerOf(queries, null);
  const opened = row.octets && open({ column: 'unmatched_receipt.octets', id }, row.octets);
  return ok({ ...viewOf(row, new Map([[row.carrier, name]])), octets: opened ?? null });
};

export const receiptViews = { 'receipt.unmatched': list, 'receipt.show': show };

/** The newest receipts of each carrier and reason are read by an index, and merged. */
async function ofCarriers(
  queries: Queries,
  { carrier: wanted, why: wantedWhy }: { readonly carrier: string | undefined; readonly why: UnmatchedWhy | undefined },
  { upper, limit }: { readonly upper: number; readonly limit: number },
): Promise<readonly UnmatchedReceiptRow[]> {
  const carriers =
    wanted === undefined
      ? await queries.rows(carrierShape, 'select id, name from carrier')
      : await queries.rows(carrierShape, 'select id, name from carrier where name = ?', wanted);
  const reasons = wantedWhy === undefined ? unmatchedReasons : [wantedWhy];
  const asked = carriers.flatMap(({ id }) => reasons.map((why) => ({ id, why })));
  const found = await eachOf(asked, ({ id, why }) => {
    const newest = 'where carrier = ? and why = ? and id < ? order by id desc limit ?';
    return queries.find(unmatchedReceiptTable, newest, id, why, upper, limit);
  });
  return found
    .flat()
    .toSorted((one, other) => other.id - one.id)
    .slice(0, limit);
}

/** Finds an id by its time with a binary search in the ids, which needs no index of times. */
async function firstIdFrom(queries: Queries, until: Instant): Promise<number> {
  if (until === Number.POSITIVE_INFINITY) return beforeNewest;
  let low = (await queries.value(nullable(integer), 'select min(id) from unmatched_receipt')) ?? 0;
  let high = ((await queries.value(nullable(integer), 'select max(id) from unmatched_receipt')) ?? 0) + 1;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const row = await queries.first(unmatchedReceiptTable, 'where id >= ? order by id limit 1', middle);
    if (row && row.receivedAt < until) low = row.id + 1;
    else high = middle;
  }
  return high;
}

function viewOf(row: UnmatchedReceiptRow, names: ReadonlyMap<number, string>): UnmatchedReceiptView {
  const { id, carrierId, errorCode, sender, receiver, receivedAt, why, carrierState } = row;
  const carrier = names.get(row.carrier) ?? '';
  return { id, carrier, carrierId, state: carrierState, errorCode, sender, receiver, receivedAt, why };
}
