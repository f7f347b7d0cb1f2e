import assert from 'node:assert/strict';
import type { Result } from '@morsel/api/values/result.ts';

/** The value of a step that must not be refused in this test. */
export function done<T>(result: Result<T, unknown>): T {
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.error));
  return result.value;
}
