import type { Rejection } from '../../../core/base/rejection.ts';
import { refused } from '@morsel/api/values/result.ts';

/** Refuses a request that cannot be read. Neither the detail nor the field may quote the request. */
export function malformed(detail: string, field?: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'malformed_request', detail, field });
}

export const twoTokens = malformed('two different tokens came in one request');
