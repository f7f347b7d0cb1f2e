import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { SharedPlaces } from './places.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));

/** Places in a database whose answers the test gives. */
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
  it('the database is asked for one place after the other, with the places that this node has', async () => {
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

  it('a bind asks the database twice more before the account counts as full', async () => {
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

  it('a place that a lost answer may have taken is given back', async () => {
    const { takes, places, kept } = scene();
    const asked = places.take(1, 1);
    await turns();
    takes[0]?.fail();
    assert.equal(await asked, 'unavailable');
    await turns();
    assert.deepEqual(kept, [[]]);
  });

  it('a bind does not wait long for the database, and a place that comes late is given back', async () => {
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
