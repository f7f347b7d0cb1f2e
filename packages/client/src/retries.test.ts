import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { retryAfterMsOf } from './exchange.ts';
import { newKey } from './morsel.ts';
import { MorselError } from './morsel-error.ts';
import { waitBefore } from './retries.ts';

describe('the wait before a retry', () => {
  it('doubles up to 8 seconds, is shortened at random by up to half, and is never shorter than Retry-After', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.nat(60_000),
        fc.option(fc.nat(60_000)),
        (retry, backoffMs, asked) => {
          const error = new MorselError({
            kind: 'network',
            code: 'network_error',
            message: 'x',
            retryAfterMs: asked ?? undefined,
          });
          const wait = waitBefore(retry, { error, backoffMs }) - (asked ?? 0);
          const whole = Math.min(backoffMs * 2 ** (retry - 1), 8_000);
          // After a large Retry-After is added and subtracted, rounding may leave a little less than half.
          assert.ok(wait >= whole / 2 - 1e-6 && wait <= whole + 1e-6, `${wait} of ${whole}`);
        },
      ),
    );
    const error = new MorselError({ kind: 'network', code: 'network_error', message: 'x' });
    assert.ok(new Set(Array.from({ length: 20 }, () => waitBefore(1, { error, backoffMs: 1_000 }))).size > 10);
  });
});

describe('Retry-After', () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
  const rows: readonly (readonly [string, string | null, number | undefined])[] = [
    ['120', null, 120_000],
    [' 0 ', null, 0],
    // A monthly spending cap: the wait is 30 days.
    ['2592000', null, 2_592_000_000],
    ['9'.repeat(400), null, Number.MAX_SAFE_INTEGER],
    ['Sun, 06 Nov 1994 08:50:37 GMT', date, 60_000],
    ['Sun, 06 Nov 1994 08:49:00 GMT', date, 0],
    // A date long past by our clock.
    [date, null, 0],
    [date, 'yesterday', 0],
    ['-1', null, undefined],
    ['1.5', null, undefined],
    ['soon', null, undefined],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null, undefined],
    ['', null, undefined],
  ];
  for (const [text, now, expected] of rows) {
    it(`of ${text.slice(0, 40) || 'nothing'} is ${expected} ms`, () => {
      const headers: Readonly<Record<string, string | null>> = { 'Retry-After': text, Date: now };
      assert.equal(retryAfterMsOf({ get: (name) => headers[name] ?? null }), expected);
    });
  }
});

describe('a new key', () => {
  it('differs from all others, also without Web Cryptography', () => {
    const made = Array.from({ length: 1_000 }, newKey);
    const here = Object.getOwnPropertyDescriptor(globalThis, 'crypto') ?? assert.fail();
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
    try {
      made.push(...Array.from({ length: 1_000 }, newKey));
    } finally {
      Object.defineProperty(globalThis, 'crypto', here);
    }
    assert.equal(new Set(made).size, 2_000);
    for (const key of made) assert.match(key, /^[0-9a-f]{32}$/);
  });
});
