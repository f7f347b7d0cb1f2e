/* Views of unmatched receipts. */

import type { CarrierState } from '../../../core/message/receipt.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { UnmatchedWhy } from '../../tables/receipt.ts';
import { unmatchedReceiptRowFrom } from '../../sqlite/row-readers.ts';
import { integer, text } from '../../sqlite/columns.ts';
import type { Record } from '../../sqlite/columns.ts';
import type { Queries } from '../queries.ts';

/** A receipt that matches nothing, as the operator sees it. */
export interface UnmatchedReceiptView {
  readonly id: number;
  readonly carrier: string;
  /** As the carrier wrote it. */
  readonly carrierId: string;
  readonly state: CarrierState | null;
  readonly errorCode: string | null;
  readonly sender: string;
  readonly receiver: string;
  readonly receivedAt: Instant;
  readonly why: UnmatchedWhy;
}

/** One of them, looked at. */
export interface UnmatchedReceiptDetail extends UnmatchedReceiptView {
  /** The PDU as it came, as far as it is kept, of what nobody could make sense of; the text of an unmarked receipt. */
  readonly octets: Uint8Array | null;
}

export interface UnmatchedInput {
  /** Of this carrier; null for all. */
  readonly carrier: string | null;
  readonly why: UnmatchedWhy | null;
  /** Received before then. */
  readonly until: Instant | null;
  /** Go on below this id: what the page before said. */
  readonly before: number | null;
  readonly limit: number;
}

export interface UnmatchedFound {
  readonly receipts: readonly UnmatchedReceiptView[];
  /** The id to go on below, if there may be more. */
  readonly next: number | null;
}

const reasons: readonly UnmatchedWhy[] = ['unknown', 'undecided', 'unreadable'];

/** The newest unmatched receipts, a page of them: ids grow with the time of their coming, so the time is a bound of ids. */
export function findUnmatched(queries: Queries, input: UnmatchedInput): UnmatchedFound {
  const upper = Math.min(input.before ?? Number.MAX_SAFE_INTEGER, firstIdFrom(queries, input.until));
  const found =
    input.carrier === null && input.why === null
      ? queries.all('select * from unmatched_receipt where id < ? order by id desc limit ?', upper, input.limit)
      : ofCarriers(queries, input, upper);
  const names = new Map(
    queries.all('select id, name from carrier').map((each) => [integer(each, 'id'), text(each, 'name')]),
  );
  const receipts = found.map((row) => viewOf(row, names));
  return { receipts, next: receipts.length === input.limit ? (receipts.at(-1)?.id ?? null) : null };
}

export function readUnmatched(queries: Queries, id: number): UnmatchedReceiptDetail | undefined {
  const row = queries.get('select * from unmatched_receipt where id = ?', id);
  if (!row) return undefined;
  const name = queries.get('select name from carrier where id = ?', integer(row, 'carrier'));
  const view = viewOf(row, new Map([[integer(row, 'carrier'), text(name ?? {}, 'name')]]));
  const { octets, orInbound } = unmatchedReceiptRowFrom(row);
  return { ...view, octets: octets ?? orInbound?.octets ?? null };
}

/** The newest of each carrier and reason, each by the index of both, put together. */
function ofCarriers(queries: Queries, input: UnmatchedInput, upper: number): readonly Record[] {
  const carriers =
    input.carrier === null
      ? queries.all('select id from carrier')
      : queries.all('select id from carrier where name = ?', input.carrier);
  const found = carriers.flatMap((carrier) =>
    (input.why === null ? reasons : [input.why]).flatMap((why) =>
      queries.all(
        'select * from unmatched_receipt where carrier = ? and why = ? and id < ? order by id desc limit ?',
        integer(carrier, 'id'),
        why,
        upper,
        input.limit,
      ),
    ),
  );
  return found.toSorted((one, other) => integer(other, 'id') - integer(one, 'id')).slice(0, input.limit);
}

/** The first id that came at or after `until`, by halving the range of ids: no index on the time has to be kept for it. */
function firstIdFrom(queries: Queries, until: Instant | null): number {
  if (until === null) return Number.MAX_SAFE_INTEGER;
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
