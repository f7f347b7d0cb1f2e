import assert from 'node:assert/strict';
import type { Result } from '@morsel/api/values/result.ts';

/** The value of a result; fails the test if the result is a refusal. */
export function done<T>(result: Result<T, unknown>): T {
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.error));
  return result.value;
}
