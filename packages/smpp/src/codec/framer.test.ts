import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { octetsOf, vectors } from '../../vectors/pdus.ts';
import { type Frame, Framer } from './framer.ts';
import { pduLengthMax } from './pdu.ts';

/*
 * Tests that the framer cuts a stream into the same PDUs, however the network cuts the stream.
 */

const stream = Buffer.concat(vectors.map(({ hex }) => octetsOf(hex)));
const streamFrames = vectors.map(({ hex }) => octetsOf(hex).toString('hex'));

test('a stream in any pieces gives the same PDUs', () => {
  const cuts = fc.array(fc.nat(stream.length), { maxLength: 40 });
  fc.assert(fc.property(cuts, (at) => assert.deepEqual(push(new Framer(), stream, at), streamFrames)));
});

test('every PDU is framed if it is cut in two at any offset', () => {
  for (const [index, { hex }] of vectors.entries()) {
    const octets = octetsOf(hex);
    for (let at = 0; at <= octets.length; at++) {
      assert.deepEqual(push(new Framer(), octets, [at]), [streamFrames[index]]);
    }
  }
});

test('PDUs that arrive in one chunk are views of the chunk, not copies', () => {
  const [first] = new Framer().push(stream);
  assert.ok(first !== undefined && 'bytes' in first);
  assert.equal(first.bytes.buffer, stream.buffer);
});

test('bytes of another protocol end the stream at the fourth octet, whatever came before', () => {
  const rows: readonly (readonly [string, Buffer])[] = [
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: example.com\r\n\r\n')],
    ['too short', octetsOf('0000000f 00000015')],
    ['nothing', octetsOf('00000000 00000000')],
    ['too long', octetsOf('00010001 00000004')],
  ];
  const reasons = /^command_length is \d+; it must be from 16 to 65536$/;
  const good = octetsOf('00000010 00000015 00000000 00000001');
  for (const [name, bytes] of rows) {
    for (const at of [[], [1], [2], [3], [4], [1, 2, 3, 4, 5]]) {
      const framer = new Framer();
      assert.equal(framer.push(good).length, 1);
      const frames = pieces(bytes, at).flatMap((piece) => framer.push(piece));
      const [frame] = frames;
      assert.ok(frames.length === 1 && frame !== undefined && 'fault' in frame, name);
      assert.equal(frame.fault.kind, 'command_length');
      assert.match(frame.fault.reason, reasons);
      assert.equal(frame.fault.sequence_number, 0);
      assert.equal(framer.heldOctets, 0);
      assert.deepEqual(framer.push(good), [], 'nothing follows a fault');
    }
  }
});

test('the PDUs before a fault are returned', () => {
  const frames = new Framer().push(Buffer.concat([stream, Buffer.from('GET / HTTP/1.1')]));
  assert.equal(frames.length, streamFrames.length + 1);
});

test('the longest PDU in single octets is copied once, not once for each octet', () => {
  const bytes = Buffer.alloc(pduLengthMax);
  bytes.writeUInt32BE(pduLengthMax);
  const framer = new Framer();
  const start = process.hrtime.bigint();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at++) frames.push(...framer.push(bytes.subarray(at, at + 1)));
  assert.equal(frames.length, 1);
  // Copying all earlier octets at every octet would copy 2 GB, which takes over a second on any machine.
  assert.ok(process.hrtime.bigint() - start < 1_000_000_000n);
});

test('the framer never stores more octets than those of the incomplete PDU', () => {
  const framer = new Framer();
  framer.push(octetsOf('0000'));
  assert.equal(framer.heldOctets, 2);
  framer.push(octetsOf('0012 00000015 00000000 00000001'));
  assert.equal(framer.heldOctets, 16);
  assert.equal(framer.push(octetsOf('0000 0000')).length, 1);
  assert.equal(framer.heldOctets, 2);
});

function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const edges = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

function push(framer: Framer, bytes: Uint8Array, cuts: readonly number[]): string[] {
  const frames = pieces(bytes, cuts).flatMap((piece) => framer.push(piece));
  return frames.map((frame) => ('bytes' in frame ? Buffer.from(frame.bytes).toString('hex') : frame.fault.reason));
}
