/* The content of a message, which is its text and octets. It is sealed as one value. */

import type { SaidContent } from '../../core/message/content.ts';

/** Flags of the first octet: whether header, octets and text follow. The text comes last, without a length. */
const has = { text: 1, octets: 2, header: 4 } as const;
const headerLengthBytes = 1;
const octetsLengthBytes = 2;

export function encodeContent({ text, octets, header }: SaidContent): Buffer {
  const flags = (text === null ? 0 : has.text) | (octets ? has.octets : 0) | (header ? has.header : 0);
  const before =
    1 + (header ? headerLengthBytes + header.length : 0) + (octets ? octetsLengthBytes + octets.length : 0);
  const written = Buffer.allocUnsafe(before + (text === null ? 0 : Buffer.byteLength(text)));
  let at = written.writeUInt8(flags, 0);
  if (header) {
    at = written.writeUInt8(header.length, at);
    written.set(header, at);
    at += header.length;
  }
  if (octets) {
    at = written.writeUInt16BE(octets.length, at);
    written.set(octets, at);
    at += octets.length;
  }
  if (text !== null) written.write(text, at);
  return written;
}

export function decodeContent(written: Buffer): SaidContent {
  const flags = written.readUInt8(0);
  let at = 1;
  const take = (length: number): Uint8Array => {
    const taken = Uint8Array.from(written.subarray(at, at + length));
    at += length;
    return taken;
  };
  let header: Uint8Array | null = null;
  let octets: Uint8Array | null = null;
  if (flags & has.header) {
    at += headerLengthBytes;
    header = take(written.readUInt8(at - headerLengthBytes));
  }
  if (flags & has.octets) {
    at += octetsLengthBytes;
    octets = take(written.readUInt16BE(at - octetsLengthBytes));
  }
  return { text: flags & has.text ? written.toString('utf8', at) : null, octets, header };
}
