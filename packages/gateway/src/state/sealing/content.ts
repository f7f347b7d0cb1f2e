/* The content of a message, which is its text and octets. It is sealed as one value. */

import type { SaidContent } from '../../core/message/content.ts';

/**
 * Flags of the first octet: whether header, octets and text follow, and whether the lengths are long. The text comes last,
 * without a length.
 */
const has = { text: 1, octets: 2, header: 4, longLengths: 8 } as const;
/** How many bytes a length takes. Only a carrier makes a message that needs long ones: no mobile network transports it. */
const shortLengths = { header: 1, octets: 2 } as const;
const longLengths = { header: 2, octets: 4 } as const;

export function encodeContent({ text, octets, header }: SaidContent): Buffer {
  const isLong = (header?.length ?? 0) > 0xff || (octets?.length ?? 0) > 0xffff;
  const lengths = isLong ? longLengths : shortLengths;
  const flags =
    (text === null ? 0 : has.text) |
    (octets ? has.octets : 0) |
    (header ? has.header : 0) |
    (isLong ? has.longLengths : 0);
  const before = 1 + (header ? lengths.header + header.length : 0) + (octets ? lengths.octets + octets.length : 0);
  const written = Buffer.allocUnsafe(before + (text === null ? 0 : Buffer.byteLength(text)));
  let at = written.writeUInt8(flags, 0);
  if (header) {
    at = written.writeUIntBE(header.length, at, lengths.header);
    written.set(header, at);
    at += header.length;
  }
  if (octets) {
    at = written.writeUIntBE(octets.length, at, lengths.octets);
    written.set(octets, at);
    at += octets.length;
  }
  if (text !== null) written.write(text, at);
  return written;
}

export function decodeContent(written: Buffer): SaidContent {
  const flags = written.readUInt8(0);
  const lengths = flags & has.longLengths ? longLengths : shortLengths;
  let at = 1;
  const take = (lengthBytes: number): Uint8Array => {
    const from = at + lengthBytes;
    at = from + written.readUIntBE(at, lengthBytes);
    return Uint8Array.from(written.subarray(from, at));
  };
  const header = flags & has.header ? take(lengths.header) : null;
  const octets = flags & has.octets ? take(lengths.octets) : null;
  return { text: flags & has.text ? written.toString('utf8', at) : null, octets, header };
}
