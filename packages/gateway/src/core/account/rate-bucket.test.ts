import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { fullAfter, noUse, partsLeft, useWith, waitOf, type RateBucket } from './rate-bucket.ts';

const takeParts = (bucket: RateBucket, fullAt: number, now: { ms: number; parts: number }) =>
  fullAfter(fullAt, useWith(noUse, bucket, now));

/** Sends messages with these pauses and parts. Returns those that the rate allows. */
function pass(
  bucket: RateBucket,
  messages: readonly { gapMs: number; parts: number }[],
): { ms: number; parts: number }[] {
  let fullAt = 0;
  let ms = 0;
  const passed: { ms: number; parts: number }[] = [];
  for (const { gapMs, parts } of messages) {
    ms += gapMs;
    if (waitOf(bucket, fullAt, { ms, parts }) > 0) continue;
    fullAt = takeParts(bucket, fullAt, { ms, parts });
    passed.push({ ms, parts });
  }
  return passed;
}

const message = (partsMax: number) =>
  fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(5_000)),
    parts: fc.integer({ min: 1, max: partsMax }),
  });

describe('a rate', () => {
  it('never allows more parts in a period than the burst plus the rate times the length of the period', () => {
    const cases = fc.integer({ min: 1, max: 20 }).chain((burst) =>
      fc.record({
        burst: fc.constant(burst),
        perSecond: fc.integer({ min: 1, max: 500 }),
        messages: fc.array(message(burst), { maxLength: 60 }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ burst, perSecond, messages }) => {
        const passed = pass({ msPerPart: 1_000 / perSecond, burst }, messages);
        for (const [from, first] of passed.entries()) {
          let parts = 0;
          for (const each of passed.slice(from)) {
            parts += each.parts;
            // Floats may lose a millionth of a part.
            assert.ok(parts <= burst + ((each.ms - first.ms) * perSecond) / 1_000 + 1e-6);
          }
        }
      }),
    );
  });

  it('allows all parts that come slower than the rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 5 }), (perSecond, parts) => {
        const gapMs = (parts * 1_000) / perSecond + 0.001;
        const messages = Array.from({ length: 50 }, () => ({ gapMs, parts }));
        assert.equal(pass({ msPerPart: 1_000 / perSecond, burst: parts }, messages).length, 50);
      }),
    );
  });

  it('says how long a message must wait, and no shorter wait is enough', () => {
    fc.assert(
      fc.property(
        fc.array(message(5), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (messages, burst) => {
          const bucket = { msPerPart: 20, burst };
          let fullAt = 0;
          for (const { parts } of messages) {
            const waitMs = waitOf(bucket, fullAt, { ms: 1_000, parts });
            assert.equal(waitOf(bucket, fullAt, { ms: 1_000 + waitMs, parts }), 0);
            if (waitMs > 0) assert.ok(waitOf(bucket, fullAt, { ms: 1_000 + waitMs - 1, parts }) > 0);
            else fullAt = takeParts(bucket, fullAt, { ms: 1_000, parts });
          }
        },
      ),
    );
  });

  it('allows a row of messages at once exactly if it allows one after the other, with the same end', () => {
    const cases = fc.record({
      burst: fc.integer({ min: 1, max: 9 }),
      fullAt: fc.nat(12_000_000),
      messages: fc.array(message(12), { minLength: 1, maxLength: 9 }),
    });
    fc.assert(
      fc.property(cases, ({ burst, messages, ...before }) => {
        const bucket = { msPerPart: 1_000, burst };
        let [{ fullAt }, use, isAllowed, ms] = [before, noUse, true, 0];
        for (const { gapMs, parts } of messages) {
          ms += gapMs;
          isAllowed &&= waitOf(bucket, fullAt, { ms, parts }) === 0;
          fullAt = takeParts(bucket, fullAt, { ms, parts });
          use = useWith(use, bucket, { ms, parts });
        }
        assert.deepEqual([before.fullAt <= use.latest, fullAfter(before.fullAt, use)], [isAllowed, fullAt]);
      }),
    );
  });

  it('allows a message with more parts than the burst when the bucket is full; the next message waits for all of them', () => {
    const bucket = { msPerPart: 100, burst: 2 };
    assert.equal(waitOf(bucket, 0, { ms: 1_000, parts: 10 }), 0);
    const fullAt = takeParts(bucket, 0, { ms: 1_000, parts: 10 });
    assert.equal(waitOf(bucket, fullAt, { ms: 1_000, parts: 1 }), 900);
    assert.deepEqual(
      [partsLeft(bucket, fullAt, 1_000), partsLeft(bucket, fullAt, 1_900), partsLeft(bucket, 0, 1_000)],
      [0, 1, 2],
    );
  });
});
