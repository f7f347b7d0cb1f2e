import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { SharedPlaces } from './places.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Places over a database that answers when the test says so. */
function scene() {
  const clock = TestClock.still();
  const kept: (readonly number[])[] = [];
  const takes: { readonly held: readonly number[]; answer(place: number | 'full'): void; fail(): void }[] = [];
  const places = new SharedPlaces({
    clock,
    rows: {
      take: ({ held }) =>
        new Promise((resolve, reject) => {
          takes.push({ held: [...held], answer: resolve, fail: () => reject(new Error('lost')) });
        }),
      keep: async (_account, held) => void kept.push([...held]),
    },
  });
  return { clock, kept, takes, places };
}

describe('places of sessions', () => {
  it('asks for one after another, and names those that it has', async () => {
    const { takes, places, kept } = scene();
    const both = [places.take(1, 2), places.take(1, 2)];
    await turns();
    assert.equal(takes.length, 1);
    takes[0]?.answer(0);
    await turns();
    assert.deepEqual(takes[1]?.held, [0]);
    takes[1]?.answer(1);
    const [first] = await Promise.all(both);
    assert.ok(typeof first === 'object');
    first.free();
    first.free();
    await turns();
    assert.deepEqual(kept, [[1]]);
  });

  it('looks again twice before an account is full', async () => {
    const { takes, places, clock } = scene();
    const asked = places.take(1, 1);
    for (let at = 0; at < 3; at++) {
      await turns();
      takes[at]?.answer('full');
      await turns();
      clock.advance(1_000);
    }
    assert.equal(await asked, 'full');
    assert.equal(takes.length, 3);
  });

  it('gives back what a lost answer may have taken', async () => {
    const { takes, places, kept } = scene();
    const asked = places.take(1, 1);
    await turns();
    takes[0]?.fail();
    assert.equal(await asked, 'unavailable');
    await turns();
    assert.deepEqual(kept, [[]]);
  });

  it('does not wait long for the database, and gives back a place that comes late', async () => {
    const { takes, places, kept, clock } = scene();
    const asked = places.take(1, 1);
    await turns();
    clock.advance(3_000);
    assert.equal(await asked, 'unavailable');
    assert.deepEqual(kept, []);
    takes[0]?.answer(0);
    await turns();
    assert.deepEqual(kept, [[]]);
  });
});
