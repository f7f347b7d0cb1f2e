import type { Rejection } from '../../../core/base/rejection.ts';
import { refused } from '@morsel/api/values/result.ts';

/** The rejection of a request that cannot be read. `detail` and `field` must not quote the request. */
export function malformed(detail: string, field?: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'malformed_request', detail, field });
}
