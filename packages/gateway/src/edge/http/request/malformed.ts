import type { Rejection } from '../../../core/base/rejection.ts';
import { refused } from '@morsel/api/values/result.ts';

/** A request that cannot be read, why, and the field at fault if it is one; neither quotes what came. */
export function malformed(detail: string, field?: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'malformed_request', detail, field });
}

export const twoTokens = malformed('two different tokens came in one request');
