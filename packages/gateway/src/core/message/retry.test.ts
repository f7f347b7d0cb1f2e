import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { toMessageId } from '../base/message-id.ts';
import { retryDelayMs } from './retry.ts';

const message = toMessageId(1_021_568_371_490_816);
const bases = [5, 10, 20, 40, 80, 160, 320, 600, 600, 600].map((seconds) => seconds * 1_000);

describe('the wait before the next try', () => {
  it('doubles from five seconds to ten minutes, and is at most a fifth longer at random', () => {
    const waits = bases.map((_, index) => retryDelayMs({ message, tries: index + 1 }));
    for (const [index, base] of bases.entries()) {
      const wait = waits[index] ?? 0;
      assert.ok(wait >= base && wait <= base * 1.2, `try ${index + 1}: ${wait}`);
    }
    assert.ok((retryDelayMs({ message, tries: 100_000 }) ?? 0) <= 720_000);
  });

  it('is the same for the same message and try, and always within its bounds', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),

        fc.integer({ min: 1, max: 2_000 }),
        (id, tries) => {
          const retry = { message: toMessageId(id), tries };
          const wait = retryDelayMs(retry);
          assert.equal(wait, retryDelayMs(retry));
          assert.ok(Number.isInteger(wait) && wait >= 5_000 && wait <= 720_000);
        },
      ),
    );
  });

  it('spreads messages that failed together', () => {
    const waits = Array.from({ length: 1_000 }, (_, index) =>
      retryDelayMs({ message: toMessageId(message + index), tries: 1 }),
    );
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => waits.filter((wait) => Math.min(9, Math.floor((wait - 5_000) / 100)) === tenth).length,
    );
    for (const count of tenths) assert.ok(count > 50 && count < 150, `${tenths.join(' ')} of 1000`);
  });
});
