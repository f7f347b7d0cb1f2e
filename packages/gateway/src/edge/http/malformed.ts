import type { Rejection } from '../../core/rejection.ts';
import { refused } from '../../core/result.ts';

/** A request that cannot be read, and why; `detail` never quotes it. */
export function malformed(detail: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'malformed_request', detail });
}
