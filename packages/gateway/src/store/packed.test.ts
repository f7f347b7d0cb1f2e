import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { pack, packResults, unpack, unpackResults } from './packed.ts';

const value = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(null, undefined, true),
  fc.uint8Array(),
  fc.array(fc.record({ tag: fc.integer(), value: fc.string() }, { noNullPrototype: true })),
);
const name = fc.constantFrom('kind', 'at', 'message', 'text', 'claim', 'extras');

it('objects are unpacked as they were packed, in order, whatever members each has', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(name, value, { noNullPrototype: true })), (objects) => {
      assert.deepEqual(unpack(structuredClone(pack(objects))), objects);
    }),
  );
});

it('objects with more members than a number has bits are unpacked as they were packed', () => {
  const few = fc.constantFrom<unknown>(null, undefined, 1, 'a', -0);
  for (const members of [31, 32, 33, 64, 65]) {
    const list = fc.array(few, { minLength: members, maxLength: members });
    fc.assert(
      fc.property(fc.array(list), (lists) => {
        const objects = lists.map((each) => Object.fromEntries(each.map((one, at) => [`m${at}`, one])));
        assert.deepEqual(unpack(structuredClone(pack(objects))), objects);
      }),
      { numRuns: 20 },
    );
  }
});

it('results are unpacked as they were packed: values, none, lists, and refusals', () => {
  const object = fc.dictionary(name, value, { noNullPrototype: true });
  const done = fc.record(
    { ok: fc.constant(true as const), value: fc.oneof(object, fc.constant(null), fc.array(fc.integer())) },
    { noNullPrototype: true },
  );
  const refusal = fc.record({ ok: fc.constant(false as const), error: object }, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(fc.oneof(done, refusal)), (results) => {
      assert.deepEqual(unpackResults(structuredClone(packResults(results))), results);
    }),
  );
});
