/*
 * Writes the octets of a link as a capture that Wireshark reads (pcap, version 2.4): each piece is a TCP segment in an
 * IPv4 packet. No right to listen to the network is needed. Checksums are 0: Wireshark does not check them by default.
 */

/** A piece of the octets of a connection. */
export interface Passed {
  /** The side that sent the octets: the caller made the connection. */
  readonly from: 'caller' | 'listener';
  /** The number of the connection, from 0. */
  readonly connection: number;
  readonly bytes: Uint8Array;
}

export const listenerPort = 2775;
/** The caller's port of the first connection; later connections have the next ports. */
const callerPort = 40_000;
const segmentMax = 1_400;
const linkTypeRaw = 101;
const ipv4Header = 20;
const tcpHeader = 20;
const protocolTcp = 6;
const pushAndAck = 0x18;
const loopback = [127, 0, 0, 1];

export function writeCapture(passed: readonly Passed[]): Buffer {
  const sentOn = new Map<number, { caller: number; listener: number }>();
  const packets: Buffer[] = [fileHeader()];
  for (const { from, connection, bytes } of passed) {
    const sent = sentOn.get(connection) ?? { caller: 1, listener: 1 };
    sentOn.set(connection, sent);
    for (let at = 0; at < bytes.length; at += segmentMax) {
      const octets = bytes.subarray(at, at + segmentMax);
      const acknowledged = from === 'caller' ? sent.listener : sent.caller;
      const place = { connection, sequence: sent[from], acknowledged, number: packets.length };
      packets.push(packet(from, { ...place, octets }));
      sent[from] += octets.length;
    }
  }
  return Buffer.concat(packets);
}

/** Makes tshark decode the octets as SMPP. */
export const decodeAs = `tcp.port==${listenerPort},smpp`;

function fileHeader(): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(linkTypeRaw, 20);
  return header;
}

interface Segment {
  readonly octets: Uint8Array;
  readonly connection: number;
  readonly sequence: number;
  readonly acknowledged: number;
  /** The packet's place in the capture, from 1. It is also the packet's time in milliseconds. */
  readonly number: number;
}

function packet(from: Passed['from'], segment: Segment): Buffer {
  const { octets, connection, sequence, acknowledged, number } = segment;
  const length = ipv4Header + tcpHeader + octets.length;
  const bytes = Buffer.alloc(16 + length);
  bytes.writeUInt32LE(Math.floor(number / 1_000), 0);
  bytes.writeUInt32LE((number % 1_000) * 1_000, 4);
  bytes.writeUInt32LE(length, 8);
  bytes.writeUInt32LE(length, 12);
  const ip = bytes.subarray(16);
  ip[0] = 0x45;
  ip.writeUInt16BE(length, 2);
  ip[8] = 64;
  ip[9] = protocolTcp;
  ip.set(loopback, 12);
  ip.set(loopback, 16);
  const tcp = ip.subarray(ipv4Header);
  const callers = callerPort + connection;
  tcp.writeUInt16BE(from === 'caller' ? callers : listenerPort, 0);
  tcp.writeUInt16BE(from === 'caller' ? listenerPort : callers, 2);
  tcp.writeUInt32BE(sequence, 4);
  tcp.writeUInt32BE(acknowledged, 8);
  tcp[12] = (tcpHeader / 4) << 4;
  tcp[13] = pushAndAck;
  tcp.writeUInt16BE(65_535, 14);
  tcp.set(octets, tcpHeader);
  return bytes;
}
