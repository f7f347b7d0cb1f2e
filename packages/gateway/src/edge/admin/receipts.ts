import type { Rejection } from '../../core/base/rejection.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { hourMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { instant, name, oneOf, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Field, Fields } from '../../operator/fields.ts';
import type { UnmatchedReceiptDetail, UnmatchedReceiptView } from '../../store/views/message/unmatched-receipts.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { carrierRow } from './carrier-rows.ts';
import { time } from './present.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What the operator asks of receipts that match nothing. */

/** Receipts of one page: what a person looks through. */
const limitMax = 1_000;
const limitDefault = 50;

const unmatchedReasons = ['unknown', 'undecided', 'unreadable'] as const;

const units: { readonly [unit: string]: number } = { s: secondMs, m: minuteMs, h: hourMs, d: 24 * hourMs };

/** A length of time as people write it, in milliseconds. */
const age: Field<number> = {
  parse: (text) => {
    const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    const unitMs = units[unit];
    return count === undefined || unitMs === undefined
      ? refused('it has to be a length of time such as 90s, 15m, 2h or 3d')
      : ok(Number(count) * unitMs);
  },
};

const unmatchedFields = {
  carrier: optional(name, null),
  why: optional(oneOf(unmatchedReasons), null),
  olderThan: optional(age, null),
  until: optional(instant, null),
  before: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER), null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** Unmatched receipts, the newest first, and where to go on if there may be more: as `before` of the next question. */
export async function askUnmatched(
  needs: QuestionNeeds & { readonly clock: { now(): Instant } },
  fields: Fields,
): Answer {
  const read = readFields(unmatchedFields, fields);
  if (!read.ok) return read;
  const { olderThan, until, ...wanted } = read.value;
  const carrier = wanted.carrier === null ? ok(null) : await carrierRow(needs, wanted.carrier);
  if (!carrier.ok) return carrier;
  const ends = [until, olderThan === null ? null : needs.clock.now() - olderThan].filter((each) => each !== null);
  const found = await needs.reader.ask('unmatchedReceipts', {
    ...wanted,
    until: ends.length === 0 ? null : Math.min(...ends),
  });
  if (!found.ok) return found;
  const { receipts, next } = found.value;
  return ok({ receipts: receipts.map(showUnmatched), next: next === null ? null : String(next) });
}

export async function askUnmatchedOne(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields({ id: wholeNumber(1, Number.MAX_SAFE_INTEGER) }, fields);
  if (!read.ok) return read;
  const found = await needs.reader.ask('unmatchedReceipt', read.value.id);
  if (!found.ok) return found;
  return found.value
    ? ok(showUnmatchedOne(found.value))
    : missing(`there is no unmatched receipt ${read.value.id}: it may have been matched, or given up for its age`);
}

/** The only place where octets of a receipt are shown. */
function showUnmatchedOne(receipt: UnmatchedReceiptDetail): Json {
  const { octets } = receipt;
  return { ...showUnmatched(receipt), octets: octets === null ? null : Buffer.from(octets).toString('hex') };
}

function showUnmatched(receipt: UnmatchedReceiptView): { readonly [member: string]: Json } {
  return {
    id: String(receipt.id),
    carrier: receipt.carrier,
    carrierId: receipt.carrierId,
    state: receipt.state,
    errorCode: receipt.errorCode,
    sender: receipt.sender,
    receiver: receipt.receiver,
    receivedAt: time(receipt.receivedAt),
    why: receipt.why,
  };
}

function missing(detail: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail });
}
