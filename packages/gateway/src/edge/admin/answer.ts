import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';

/** What an operation of the operator's old API answers, or why not. */
export type Answer = Promise<Result<Json, Rejection>>;
