import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

interface Waiting {
  readonly owner: string;
  readonly number: number;
}

/** Events: a request of an owner enters the queue, or (null) the next request is served. */
const steps = fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { freq: 3 }), { maxLength: 200 });
const places = fc.integer({ min: 1, max: 12 });

describe('requests that wait for something scarce', () => {
  it('owners take turns, and requests of one owner keep their order', () => {
    const queue = new FairQueue<Waiting>(10);
    for (const [number, owner] of ['a', 'a', 'a', 'b', 'b', 'c'].entries()) queue.enter(owner, { owner, number });
    const served = Array.from({ length: 7 }, () => queue.next()?.number);
    assert.deepEqual(served, [0, 3, 5, 1, 4, 2, undefined]);
  });

  it('in a full queue, the newest request of the owner with the most makes room for an owner with fewer', () => {
    const queue = new FairQueue<Waiting>(4);
    const enter = (owner: string, number: number) => queue.enter(owner, { owner, number })?.number;
    for (const number of [0, 1, 2, 3]) assert.equal(enter('flood', number), undefined);
    assert.equal(enter('flood', 4), 4, 'who has the most has no place for one more');
    assert.equal(enter('b', 5), 3);
    assert.equal(enter('b', 6), 2);
    assert.equal(enter('b', 7), 7, 'it has as many');
    assert.equal(enter('c', 8), 1, 'of two that have as many, one');
    assert.equal(enter('d', 9), 6);
    assert.equal(enter('e', 10), 10, 'all have one');
    assert.equal(queue.size, 4);
  });

  it('never more requests wait than there are places, and each is answered once: served, displaced or refused', () => {
    fc.assert(
      fc.property(places, steps, (max, happening) => {
        const queue = new FairQueue<Waiting>(max);
        const answered: number[] = [];
        const answer = (waiting: Waiting | undefined) => waiting && answered.push(waiting.number);
        for (const [number, owner] of happening.entries()) {
          answer(owner === null ? queue.next() : queue.enter(owner, { owner, number }));
          assert.ok(queue.size <= max);
        }
        while (queue.size > 0) answer(queue.next());
        assert.equal(queue.next(), undefined);
        const came = happening.flatMap((owner, number) => (owner === null ? [] : [number]));
        assert.deepEqual(
          answered.toSorted((a, b) => a - b),
          came,
        );
      }),
    );
  });

  it('the first request of an owner is served after at most one of each other owner: no owner starves', () => {
    fc.assert(
      fc.property(places, steps, steps, (max, before, meanwhile) => {
        const queue = new FairQueue<Waiting>(max);
        for (const [number, owner] of before.entries()) if (owner !== null) queue.enter(owner, { owner, number });
        const newcomer = { owner: 'newcomer', number: -1 };
        const isAlone = queue.enter(newcomer.owner, newcomer) === newcomer;
        const owners = new Set(before);
        owners.delete(null);
        assert.ok(!isAlone || owners.size >= max, 'there is a place unless as many others have one each');
        if (isAlone) return;
        // Requests of other owners come all the time, without limit.
        const served: string[] = [];
        for (const [number, owner] of meanwhile.entries()) {
          if (owner !== null) queue.enter(owner, { owner, number });
          else served.push(queue.next()?.owner ?? '');
        }
        while (queue.size > 0) served.push(queue.next()?.owner ?? '');
        const ahead = served.slice(0, served.indexOf('newcomer'));
        assert.ok(served.includes('newcomer'));
        assert.equal(new Set(ahead).size, ahead.length, `${ahead.join(' ')} came before it`);
      }),
    );
  });
});
