import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { advanceEvent, combineParts, isFinal, partStates, type EventRecord, type PartState } from './message.ts';
import type { MessageEvent } from '@morsel/api/values/message.ts';

const combined: readonly (readonly [readonly PartState[], MessageEvent])[] = [
  [['queued'], 'queued'],
  [['claimed'], 'queued'],
  [['in_doubt'], 'sent'],
  [['sent', 'buffered'], 'sent'],
  [['buffered', 'delivered'], 'buffered'],
  [['delivered', 'queued'], 'queued'],
  [['delivered', 'delivered'], 'delivered'],
  [['delivered', 'unknown'], 'unknown'],
  [['unknown', 'expired'], 'expired'],
  [['expired', 'undelivered'], 'undelivered'],
  [['undelivered', 'rejected', 'canceled'], 'rejected'],
  [['canceled', 'canceled'], 'canceled'],
];
for (const [states, event] of combined) {
  it(`parts in the states ${states.join(' and ')} give the event ${event}`, () =>
    assert.equal(combineParts(states), event));
}

const order: readonly MessageEvent[] = ['scheduled', 'queued', 'sent', 'buffered'];
const rank = (event: MessageEvent) => (order.includes(event) ? order.indexOf(event) : order.length);

it('only a marked receipt corrects a final event that came from unmarked texts (A4)', () => {
  const record: EventRecord = { event: 'undelivered', eventAt: 1, corrected: true, ownEnd: false };
  for (const [byReceipt, endsText, event] of [
    [true, true, 'delivered'],
    [true, false, 'undelivered'],
    [false, true, 'undelivered'],
  ] as const) {
    assert.equal(advanceEvent(record, ['delivered'], { now: 2, byReceipt, endsText }).event, event);
  }
  assert.equal(advanceEvent(record, ['sent'], { now: 2, byReceipt: true, endsText: true }), record);
});

it('events only move forward, and a final event changes at most once (A4)', () => {
  const change = fc.record({
    states: fc.array(fc.constantFrom(...partStates), { minLength: 1, maxLength: 4 }),
    byReceipt: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      let record: EventRecord = { event: 'queued', eventAt: 0, corrected: false, ownEnd: false };
      let corrections = 0;
      for (const [now, each] of changes.entries()) {
        const next = advanceEvent(record, each.states, { now, byReceipt: each.byReceipt });
        assert.ok(rank(next.event) >= rank(record.event));
        if (isFinal(record.event) && next.event !== record.event) {
          corrections += 1;
          assert.ok(each.byReceipt && (record.event === 'unknown' || record.event === 'expired'));
        }
        if (next.event === record.event) assert.equal(next.eventAt, record.eventAt);
        record = next;
      }
      assert.ok(corrections <= 1);
    }),
  );
});
