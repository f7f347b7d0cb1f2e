import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import { pack, unpack } from './packed.ts';

const value = fc.oneof(
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(null, undefined, true),
  fc.uint8Array(),
  fc.array(fc.record({ tag: fc.integer(), value: fc.string() }, { noNullPrototype: true })),
);
const name = fc.constantFrom('kind', 'at', 'message', 'text', 'claim', 'tlvs');

it('objects come out of the other thread as they went in, in their order, whatever members each has', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(name, value, { noNullPrototype: true })), (objects) => {
      assert.deepEqual(unpack(structuredClone(pack(objects))), objects);
    }),
  );
});
