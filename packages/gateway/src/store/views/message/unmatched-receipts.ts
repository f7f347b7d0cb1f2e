/* Views of unmatched receipts. */

import type { receipt } from '@morsel/api/admin/message/receipt.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { unmatchedReasons } from '@morsel/api/values/message.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import { unmatchedReceiptRowFrom } from '../../sqlite/row-readers.ts';
import { integer, text } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import { pageOf } from '../page.ts';
import type { ListInput, Page } from '../page.ts';
import type { Queries } from '../queries.ts';

type Shown = typeof receipt.operations;
type UnmatchedReceiptView = AnswerOf<Shown['unmatched']>['items'][number];

interface UnmatchedInput extends ListInput {
  /** Only receipts of this carrier; undefined for receipts of all carriers. */
  readonly carrier?: string | undefined;
  readonly why?: UnmatchedWhy | undefined;
  /** Only receipts that were received before this instant; infinity for no limit. */
  readonly until: Instant;
}

/**
 * Reads a page of unmatched receipts, the newest first. Ids grow with the time of arrival, so the time becomes a limit
 * for ids.
 */
export function findUnmatched(queries: Queries, { limit, ...input }: UnmatchedInput): Page<UnmatchedReceiptView> {
  const { carrier, why, after = Number.MAX_SAFE_INTEGER, until } = input;
  const upper = Math.min(Number(after), firstIdFrom(queries, until));
  const found =
    carrier === undefined && why === undefined
      ? queries.all('select * from unmatched_receipt where id < ? order by id desc limit ?', upper, limit + 1)
      : ofCarriers(queries, input, { upper, limit: limit + 1 });
  const names = new Map(
    queries.all('select id, name from carrier').map((each) => [integer(each, 'id'), text(each, 'name')]),
  );
  const receipts = found.map((row) => viewOf(row, names));
  return pageOf(receipts, limit, ({ id }) => String(id));
}

export function readUnmatched(queries: Queries, id: number): AnswerOf<Shown['show']> | undefined {
  const row = queries.get('select * from unmatched_receipt where id = ?', id);
  if (!row) return undefined;
  const name = queries.get('select name from carrier where id = ?', integer(row, 'carrier'));
  const view = viewOf(row, new Map([[integer(row, 'carrier'), text(name ?? {}, 'name')]]));
  const { octets, orInbound } = unmatchedReceiptRowFrom(row);
  return { ...view, octets: octets ?? orInbound?.octets ?? null };
}

/** Reads the newest receipts for each carrier and reason with an index, and merges them. */
function ofCarriers(
  queries: Queries,
  { carrier: wanted, why: wantedWhy }: Pick<UnmatchedInput, 'carrier' | 'why'>,
  { upper, limit }: { readonly upper: number; readonly limit: number },
): readonly Record[] {
  const carriers =
    wanted === undefined
      ? queries.all('select id from carrier')
      : queries.all('select id from carrier where name = ?', wanted);
  const found = carriers.flatMap((carrier) =>
    (wantedWhy === undefined ? unmatchedReasons : [wantedWhy]).flatMap((why) =>
      queries.all(
        'select * from unmatched_receipt where carrier = ? and why = ? and id < ? order by id desc limit ?',
        integer(carrier, 'id'),
        why,
        upper,
        limit,
      ),
    ),
  );
  return found.toSorted((one, other) => integer(other, 'id') - integer(one, 'id')).slice(0, limit);
}

/** The first id that arrived at or after `until`. A binary search in the ids finds it without an index of times. */
function firstIdFrom(queries: Queries, until: Instant): number {
  if (until === Number.POSITIVE_INFINITY) return Number.MAX_SAFE_INTEGER;
  const bounds =
    queries.get('select coalesce(min(id), 0) as low, coalesce(max(id), 0) as high from unmatched_receipt') ?? {};
  let low = integer(bounds, 'low');
  let high = integer(bounds, 'high') + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = queries.get('select id, received_at from unmatched_receipt where id >= ? order by id limit 1', middle);
    if (row && integer(row, 'received_at') < until) low = integer(row, 'id') + 1;
    else high = middle;
  }
  return high;
}

function viewOf(found: Record, names: ReadonlyMap<number, string>): UnmatchedReceiptView {
  const {
    change: _change,
    carrierIdKey: _key,
    octets: _octets,
    orInbound: _orInbound,
    carrier,
    carrierState,
    ...row
  } = unmatchedReceiptRowFrom(found);
  return { ...row, carrier: names.get(carrier) ?? '', state: carrierState };
}
