import type { Rejection } from '../../core/base/rejection.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Readiness } from '../../flow/readiness.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Answer } from './answer.ts';
import type { CarrierNeeds } from './carrier-rows.ts';

/* Read operations. Each function reads its fields, asks a view, and shows the answer. */

export interface QuestionNeeds extends CarrierNeeds {
  readonly clock: { now(): Instant };
  readonly readiness: Pick<Readiness, 'troubles' | 'ready' | 'isHeld' | 'resume'>;
}

export async function askTotals(needs: QuestionNeeds): Answer {
  return shown(await needs.reader.ask('totals', undefined), (totals) => ({ ...totals }));
}

export function shown<T>(found: Result<T, Rejection>, show: (value: T) => Json): Result<Json, Rejection> {
  return found.ok ? ok(show(found.value)) : found;
}
