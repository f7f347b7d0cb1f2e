import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeContent, encodeContent } from './content.ts';

it('message content is read as it was written', () => {
  const [octets, header] = [Uint8Array.of(0, 255, 7), Uint8Array.of(2, 0, 3)];
  for (const text of [null, '', 'Hello', 'grüezi 😀\u0000', 'x'.repeat(39_015)]) {
    for (const [withOctets, withHeader] of [
      [null, null],
      [octets, null],
      [octets, header],
      [new Uint8Array(0), new Uint8Array(0)],
      // The longest header, and parts that a carrier joins to more than any PDU holds.
      [null, new Uint8Array(256).fill(7)],
      [new Uint8Array(70_000).fill(7), header],
    ] as const) {
      const content = { text, octets: withOctets, header: withHeader };
      assert.deepEqual(decodeContent(encodeContent(content)), content);
    }
  }
});
