import assert from 'node:assert/strict';
import { MorselError } from '../src/index.ts';

/** The error with which a call rejects. Fails the test unless the call rejects with a MorselError. */
export async function rejection(call: Promise<unknown>): Promise<MorselError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof MorselError, `it gave ${JSON.stringify(outcome)} ${String(outcome)}`);
  return outcome;
}
