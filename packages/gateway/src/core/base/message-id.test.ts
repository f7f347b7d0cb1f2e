import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { firstIdAt, instantOf, nextMessageId, parseMessageId, toMessageId } from './message-id.ts';

it('an id has 16 digits from October 2026 until 2088', () => {
  for (const year of [2026, 2040, 2087]) {
    assert.equal(String(nextMessageId(0, Date.UTC(year, 9, 1), 127)).length, 16);
  }
});

it('ids only grow, whatever the clock does and however many ids a millisecond needs', () => {
  const clock = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(clock, fc.integer({ min: 0, max: 127 }), (steps, node) => {
      let last = 0;
      let now = Date.UTC(2026, 0, 1);
      for (const step of steps) {
        now += Math.trunc(step / 1_000) * 1_000;
        const id = nextMessageId(last, now, node);
        assert.ok(id > last && Number.isSafeInteger(id));
        assert.equal(Math.floor(id / 32) % 128, node, 'the node is in the id');
        last = id;
      }
    }),
  );
});

it('ids go on in the next millisecond after 32 ids in one millisecond', () => {
  const now = Date.UTC(2026, 0, 1);
  let last = 0;
  for (let count = 0; count < 33; count++) last = nextMessageId(last, now, 3);
  assert.equal(last, nextMessageId(0, now + 1, 3));
});

it('an id contains its time: ids of a millisecond are at or above its first id', () => {
  const now = Date.UTC(2026, 5, 1);
  assert.ok(nextMessageId(0, now, 0) >= firstIdAt(now));
  assert.ok(nextMessageId(0, now - 1, 127) < firstIdAt(now));
  assert.equal(instantOf(nextMessageId(0, now, 127)), now);
});

/* Earlier ids had 5 bits for the node and 7 for the sequence number: in both forms a millisecond has 4,096 ids. */
it('the time is read correctly from earlier ids, with 7 bits of sequence number', () => {
  const now = Date.UTC(2026, 5, 1);
  for (const sequence of [0, 31, 32, 127]) {
    const old = toMessageId(firstIdAt(now) + sequence);
    assert.equal(instantOf(old), now);
    const next = nextMessageId(old, now, 0);
    assert.ok(next > old && Math.floor(next / 32) % 128 === 0);
    assert.ok(nextMessageId(0, now, 4) > old, 'ids of other nodes are apart from them');
  }
});

for (const text of ['', '0', '01', '-1', '1.0', '1e3', ' 1', '99999999999999999', '9999999999999999', 'abc', '١']) {
  it(`${JSON.stringify(text)} cannot be a message id of the gateway`, () =>
    assert.equal(parseMessageId(text), undefined));
}
it('a message id is read from its text', () => assert.equal(parseMessageId('1023456789012345'), 1_023_456_789_012_345));
