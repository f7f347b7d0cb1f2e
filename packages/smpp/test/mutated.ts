/* Real PDUs and receipts with a few changes, at places where readers make mistakes. */

import * as fc from 'fast-check';
import { encode, pduLengthMax, tlvTable, writeReceipt } from '../src/index.ts';
import { octetsOf, vectors } from '../vectors/pdus.ts';
import { readShared } from '../vectors/shared.ts';

/** The vectors of this package, and the real PDUs and receipts beside the checkout. */
const shared = (name: string, member: string, encoding: BufferEncoding) =>
  readShared({ diagnostic: () => undefined }, name).map((line) =>
    Buffer.from(String(Reflect.get(Object(line), member)), encoding),
  );
const facts = { id: '42', state: 'DELIVERED', submittedAtMs: 0, doneAtMs: 0, text: Buffer.from('Hi') } as const;
const receipt = writeReceipt(facts);
const pdus = [
  ...vectors.map(({ hex }) => octetsOf(hex)),
  Buffer.from(encode({ command: 'deliver_sm', sequence_number: 1, ...receipt })),
  ...shared('smpp/pdus.jsonl', 'hex', 'hex'),
];
const texts = [Buffer.from(receipt.short_message), ...shared('receipts/receipts.jsonl', 'text', 'latin1')];

/** The longest input: longer than any PDU, so that this limit is tested, too. */
const inputMax = 2 * pduLengthMax;
/** Edge values of one, two and four octets, signed and unsigned, and of the length of a PDU. */
const edges = [
  ...[0, 1, 2, 0x7f, 0x80, 0xfe, 0xff].map((value) => ({ value, size: 1 })),
  ...[0, 1, 0x7f, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff].map((value) => ({ value, size: 2 })),
  ...[0, 1, 4, 15, 16, 17, 0xffff, 0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xffffffff].map((value) => ({
    value,
    size: 4,
  })),
];
const lengths = edges.filter(({ size }) => size === 4).map(({ value }) => value);
const longPdus = [pduLengthMax - 1, pduLengthMax, pduLengthMax + 1];
const tags = Object.values(tlvTable).map(({ tag }) => tag);

type Change = (bytes: Buffer) => Buffer;

const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map((each) => Buffer.from(each));
/** A place in octets of any length. */
const place = fc.nat();

const edge = fc.tuple(place, fc.constantFrom(...edges)).map(([at, { value, size }]): Change => {
  return (bytes) => {
    if (bytes.length >= size) bytes.writeUIntBE(value, at % (bytes.length - size + 1), size);
    return bytes;
  };
});
const bit = fc.tuple(place, fc.nat(7)).map(([at, number]): Change => {
  return (bytes) => {
    if (bytes.length > 0) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << number);
    return bytes;
  };
});
/** Puts these octets in the place of some, none or all of the rest. */
const inPlace = (put: fc.Arbitrary<Buffer>) =>
  fc.tuple(place, fc.oneof(fc.nat(8), fc.constant(Infinity)), put).map(([at, left, given]): Change => {
    return (bytes) => {
      const from = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), given, bytes.subarray(from + left)]);
    };
  });
const repeat = fc
  .tuple(place, fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 12 }))
  .map(([at, size, times]): Change => (bytes) => {
    const from = at % (bytes.length + 1);
    const copies = Array.from({ length: times }, () => bytes.subarray(from, from + size));
    return Buffer.concat([bytes.subarray(0, from), ...copies, bytes.subarray(from)]);
  });
/** Adds a TLV whose length field is mostly, but not always, correct. */
const addTlv = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...tags) }, { weight: 1, arbitrary: fc.nat(0xffff) }),
    fc.oneof(
      { weight: 20, arbitrary: octets(40) },
      { weight: 1, arbitrary: fc.constantFrom(0x7fff, 0x8000, 0x8001, 0xff00).map((size) => Buffer.alloc(size, 7)) },
    ),
    fc.option(fc.nat(0xffff), { freq: 2 }),
  )
  .map(([tag, value, length]): Change => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(tag, 0);
    head.writeUInt16BE(value.length > 40 ? value.length : (length ?? value.length), 2);
    return (bytes) => Buffer.concat([bytes, head, value]);
  });
const lengthen = fc.constantFrom(...longPdus).map((length): Change => {
  return (bytes) => Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), 1)]);
});

function changed(seeds: readonly Buffer[], changes: readonly fc.Arbitrary<Change>[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(fc.oneof(...changes), { maxLength: 4 }))
    .map(([seed, all]) =>
      all.reduce<Buffer>((bytes, change) => change(bytes).subarray(0, inputMax), Buffer.from(seed)),
    );
}

const tail = fc.tuple(fc.constantFrom(...pdus), place).map(([seed, at]) => seed.subarray(at % seed.length));
const changes = [bit, edge, edge, inPlace(fc.constant(Buffer.alloc(0))), inPlace(octets(8)), inPlace(tail), repeat];

/** A real PDU with up to four changes, or noise. Its command_length is mostly corrected. */
export const mutatedPdu = fc
  .tuple(
    fc.oneof(
      { weight: 90, arbitrary: changed(pdus, [...changes, addTlv]) },
      { weight: 10, arbitrary: octets(100) },
      { weight: 1, arbitrary: changed(pdus, [lengthen]) },
    ),
    fc.oneof({ weight: 18, arbitrary: fc.constant('right') }, fc.constant('any'), fc.constantFrom(...lengths)),
  )
  .map(([bytes, length]) => {
    if (length !== 'any' && bytes.length >= 4) bytes.writeUInt32BE(length === 'right' ? bytes.length : length);
    return bytes;
  });

/** The text of a real receipt, or none, with up to four changes. */
export const mutatedText = changed([...texts, Buffer.alloc(0)], changes);
