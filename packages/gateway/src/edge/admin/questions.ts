import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { name, optional, readFields, wholeNumber } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { Readiness } from '../../flow/readiness.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Answer } from './answer.ts';
import { carrierRow } from './carrier-rows.ts';
import type { CarrierNeeds } from './carrier-rows.ts';
import { showInDoubt } from './present.ts';

/* What the operator asks. Each function reads its fields, asks a view, and shows what it answered. */

export interface QuestionNeeds extends CarrierNeeds {
  readonly clock: { now(): Instant };
  readonly readiness: Pick<Readiness, 'troubles' | 'ready' | 'isHeld' | 'resume'>;
}

/** Messages of one page: what a person looks through, and an answer of some hundred KiB. */
export const limitMax = 1_000;
export const limitDefault = 50;

const inDoubtFields = {
  carrier: optional(name, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** Parts that carriers have, or have not: nobody knows. */
export async function askInDoubt(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields(inDoubtFields, fields);
  if (!read.ok) return read;
  const { carrier } = read.value;
  const owner = carrier === null ? ok(null) : await carrierRow(needs, carrier);
  if (!owner.ok) return owner;
  return shown(await needs.reader.ask('inDoubt', read.value), (parts) => parts.map(showInDoubt));
}

export async function askTotals(needs: QuestionNeeds): Answer {
  return shown(await needs.reader.ask('totals', undefined), (totals) => ({ ...totals }));
}

export function shown<T>(found: Result<T, Rejection>, show: (value: T) => Json): Result<Json, Rejection> {
  return found.ok ? ok(show(found.value)) : found;
}
