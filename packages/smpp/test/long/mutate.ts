import { pduLengthMax, tlvTable } from '../../src/index.ts';
import { type Chance, pick } from './chance.ts';

/*
 * Mutates real PDUs: a few changes each, at places where readers make mistakes.
 */

/** The longest input. It is longer than any PDU, so that this limit is tested, too. */
const inputMax = 2 * pduLengthMax;

/** Edge values of one, two and four octets, signed and unsigned, and of the length of a PDU. */
const edges1 = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff];
const edges2 = [0, 1, 0x7f, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff];
const edges4 = [0, 1, 4, 15, 16, 17, 0xffff, 0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xffffffff];
const tags = Object.values(tlvTable).map(({ tag }) => tag);
const woundsMax = 4;
const noiseMax = 100;
const repeatsMax = 12;
/** One input in this many is longer than 32 KiB, with TLV lengths above 0x8000 and the longest PDUs. */
const longOneIn = 250;
const longTlvs = [0x7fff, 0x8000, 0x8001, 0xc000, 0xff00];
const longPdus = [pduLengthMax - 1, pduLengthMax, pduLengthMax + 1];

type Wound = (chance: Chance, bytes: Buffer, seeds: readonly Buffer[]) => Buffer;

const allWounds: readonly Wound[] = [
  flipBit,
  setOctet,
  setPair,
  setQuad,
  cutEnd,
  cutOut,
  insert,
  splice,
  repeat,
  addNoise,
  addTlv,
];

/** Makes a real PDU with a few changes. Its command_length is mostly corrected. One input in ten is noise. */
export function mutatePdu(chance: Chance, seeds: readonly Buffer[]): Buffer {
  if (chance(10) === 0) return setLength(chance, noise(chance, noiseMax));
  let bytes: Buffer = Buffer.from(pick(chance, seeds));
  for (let wounds = chance(woundsMax + 1); wounds > 0; wounds--) bytes = wound(chance, bytes, seeds);
  if (chance(longOneIn) === 0) bytes = chance(2) === 0 ? lengthen(chance, bytes) : addLongTlv(chance, bytes);
  return setLength(chance, bytes);
}

/** Returns the octets with one change. */
export function wound(chance: Chance, bytes: Buffer, seeds: readonly Buffer[]): Buffer {
  const wounded = pick(chance, allWounds)(chance, bytes, seeds);
  return wounded.length > inputMax ? wounded.subarray(0, inputMax) : wounded;
}

function setLength(chance: Chance, bytes: Buffer): Buffer {
  if (bytes.length < 4) return bytes;
  const kind = chance(20);
  if (kind > 1) bytes.writeUInt32BE(bytes.length);
  else if (kind === 1) bytes.writeUInt32BE(pick(chance, edges4));
  return bytes;
}

function flipBit(chance: Chance, bytes: Buffer): Buffer {
  const at = chance(bytes.length || 1);
  if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << chance(8));
  return bytes;
}

function setOctet(chance: Chance, bytes: Buffer): Buffer {
  const at = chance(bytes.length || 1);
  if (at < bytes.length) bytes[at] = chance(2) === 0 ? pick(chance, edges1) : chance(256);
  return bytes;
}

function setPair(chance: Chance, bytes: Buffer): Buffer {
  if (bytes.length >= 2) bytes.writeUInt16BE(pick(chance, edges2), chance(bytes.length - 1));
  return bytes;
}

function setQuad(chance: Chance, bytes: Buffer): Buffer {
  if (bytes.length >= 4) bytes.writeUInt32BE(pick(chance, edges4), chance(bytes.length - 3));
  return bytes;
}

function cutEnd(chance: Chance, bytes: Buffer): Buffer {
  return bytes.subarray(0, chance(bytes.length + 1));
}

function cutOut(chance: Chance, bytes: Buffer): Buffer {
  const at = chance(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + chance(8))]);
}

function insert(chance: Chance, bytes: Buffer): Buffer {
  const at = chance(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), noise(chance, 8), bytes.subarray(at)]);
}

function splice(chance: Chance, bytes: Buffer, seeds: readonly Buffer[]): Buffer {
  const other = pick(chance, seeds);
  return Buffer.concat([bytes.subarray(0, chance(bytes.length + 1)), other.subarray(chance(other.length + 1))]);
}

function repeat(chance: Chance, bytes: Buffer): Buffer {
  const from = chance(bytes.length + 1);
  const part = bytes.subarray(from, from + 1 + chance(64));
  const copies = Array.from({ length: 1 + chance(repeatsMax) }, () => part);
  return Buffer.concat([bytes.subarray(0, from), ...copies, bytes.subarray(from)]);
}

function addNoise(chance: Chance, bytes: Buffer): Buffer {
  return Buffer.concat([bytes, noise(chance, 16)]);
}

/** Adds a TLV whose length field is mostly, but not always, correct. */
function addTlv(chance: Chance, bytes: Buffer): Buffer {
  const value = noise(chance, 40);
  const head = Buffer.alloc(4);
  head.writeUInt16BE(chance(4) === 0 ? chance(0x10000) : pick(chance, tags), 0);
  head.writeUInt16BE(chance(3) === 0 ? pick(chance, edges2) : value.length, 2);
  return Buffer.concat([bytes, head, value]);
}

function addLongTlv(chance: Chance, bytes: Buffer): Buffer {
  const length = pick(chance, longTlvs);
  const tlv = Buffer.alloc(4 + length, chance(256));
  tlv.writeUInt16BE(pick(chance, tags), 0);
  tlv.writeUInt16BE(length, 2);
  return Buffer.concat([bytes, tlv]);
}

function lengthen(chance: Chance, bytes: Buffer): Buffer {
  const length = pick(chance, longPdus);
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), chance(256))]);
}

function noise(chance: Chance, max: number): Buffer {
  const bytes = Buffer.alloc(chance(max + 1));
  for (let at = 0; at < bytes.length; at++) bytes[at] = chance(256);
  return bytes;
}
