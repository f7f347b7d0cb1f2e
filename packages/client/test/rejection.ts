import assert from 'node:assert/strict';
import { MorselError } from '../src/index.ts';

/** The error that a call rejects with, which must be the one it may reject with. */
export async function rejection(call: Promise<unknown>): Promise<MorselError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof MorselError, `it gave ${JSON.stringify(outcome)} ${String(outcome)}`);
  return outcome;
}
