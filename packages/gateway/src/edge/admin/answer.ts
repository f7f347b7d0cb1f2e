import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';

/** The answer of an operation of the operator's old API, or its refusal. */
export type Answer = Promise<Result<Json, Rejection>>;
