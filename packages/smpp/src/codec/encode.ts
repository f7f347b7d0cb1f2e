import type { DestAddress, UnsuccessSme } from './fields.ts';
import { type Layout, type Slot, layoutByName } from './layout.ts';
import { type Encodable, type Tlvs, EncodeError, headerLength, pduLengthMax } from './pdu.ts';

/*
 * Encodes a PDU into octets. The command table lists the fields of each PDU.
 */

/** The most entries in a list, because SMPP stores the count in one octet. */
const listMax = 255;
const addressMax = 21;
const noTlvs: Tlvs = Object.freeze([]);
const noOctets = new Uint8Array(0);

/**
 * The encoder writes each PDU into this buffer, then copies the octets. This is faster than measuring all fields first.
 * All calls share this buffer safely, because encoding is synchronous.
 */
const scratch = Buffer.alloc(pduLengthMax);

/**
 * Returns the octets of a PDU. The encoder writes a missing field as 0 or as an empty string. An error response without
 * fields and TLVs gets no body (3.4 section 4.4.2). In a response, the body ends before the first field that is `null`.
 *
 * The encoder is strict: it throws EncodeError with the name of the field if the standard does not allow a value.
 * Examples are a string that is too long or not Latin-1, a number out of range, and a PDU over 65,536 octets. The
 * caller must check the values before it encodes a PDU.
 */
export function encode(pdu: Encodable): Uint8Array {
  const length = write(scratch, 0, pdu);
  const bytes = Buffer.allocUnsafe(length);
  scratch.copy(bytes, 0, 0, length);
  return bytes;
}

/**
 * Writes a PDU into `target` at `offset` and returns its length, so that several PDUs share one write to the socket.
 * Returns 0 and does not change `target` if the PDU does not fit. Throws EncodeError as `encode` does; then `target`
 * may contain part of a PDU after `offset`.
 */
export function encodeInto(target: Uint8Array, offset: number, pdu: Encodable): number {
  if (target.length - offset >= pduLengthMax) return write(target, offset, pdu);
  const length = write(scratch, 0, pdu);
  if (offset + length > target.length) return 0;
  target.set(scratch.subarray(0, length), offset);
  return length;
}

/**
 * Requires at least pduLengthMax octets in `target` after `offset`. The mandatory fields always fit; only TLVs can be
 * too long.
 */
function write(target: Uint8Array, offset: number, pdu: Encodable): number {
  const layout = layoutByName.get(pdu.command);
  if (layout === undefined) throw new EncodeError('command', 'is not in the command table');
  const tlvs = pdu.tlvs ?? noTlvs;
  const command_status = pdu.command_status ?? 0;
  let at = offset + headerLength;
  if (!(layout.isResponse && command_status !== 0 && tlvs.length === 0 && hasNoFields(layout, pdu))) {
    at = writeFields(target, at, layout, pdu);
  }
  at = writeTlvs(target, at, tlvs, offset + pduLengthMax);
  writeInt4(target, offset, at - offset, 'command_length');
  writeInt4(target, offset + 4, layout.id, 'command_id');
  writeInt4(target, offset + 8, command_status, 'command_status');
  writeInt4(target, offset + 12, pdu.sequence_number, 'sequence_number');
  return at - offset;
}

type Values = Readonly<Record<string, unknown>>;

function hasNoFields(layout: Layout, pdu: Values): boolean {
  return layout.slots.every((slot) => pdu[slot.name] === undefined);
}

function writeFields(target: Uint8Array, start: number, layout: Layout, pdu: Encodable): number {
  const values: Values = pdu;
  let at = start;
  for (const slot of layout.slots) {
    const value = values[slot.name];
    if (value === null) {
      checkEndsAt(layout, slot, pdu);
      return at;
    }
    switch (slot.kind) {
      case 'int1':
        target[at++] = toInt1(slot.name, value);
        break;
      case 'cstring':
        at = writeCString(target, at, value, slot);
        break;
      case 'octets':
        at = writeOctets(target, at, value, slot);
        break;
      case 'dest_addresses':
        at = writeDestAddresses(target, at, ('dest_addresses' in pdu && pdu.dest_addresses) || []);
        break;
      case 'unsuccess_smes':
        at = writeUnsuccessSmes(target, at, ('unsuccess_smes' in pdu && pdu.unsuccess_smes) || []);
        break;
    }
  }
  return at;
}

/** Throws if a field or a TLV follows a field that is null. */
function checkEndsAt(layout: Layout, last: Slot, pdu: Encodable): void {
  if (!layout.isResponse) throw new EncodeError(last.name, 'must not be null in a request');
  const values: Values = pdu;
  for (const slot of layout.slots.slice(layout.slots.indexOf(last))) {
    const value = values[slot.name];
    if (value !== null && value !== undefined)
      throw new EncodeError(slot.name, `must also be null, because ${last.name} before it is null`);
  }
  if (pdu.tlvs !== undefined && pdu.tlvs.length > 0) {
    throw new EncodeError('tlvs', `must be empty, because ${last.name} is null`);
  }
}

function toInt1(name: string, value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== 'number' || (value & 0xff) !== value)
    throw new EncodeError(name, 'must be an integer from 0 to 255');
  return value;
}

function writeCString(target: Uint8Array, start: number, value: unknown, limits: CStringLimits): number {
  let at = start;
  if (value !== undefined && value !== '') {
    if (typeof value !== 'string') throw new EncodeError(limits.name, 'must be a string');
    const length = value.length;
    if (length >= limits.writeMax) {
      throw new EncodeError(limits.name, `must be shorter than ${limits.writeMax} characters`);
    }
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code === 0 || code > 0xff)
        throw new EncodeError(limits.name, 'must have only Latin-1 characters other than NUL');
      target[at++] = code;
    }
  }
  target[at++] = 0;
  return at;
}

interface CStringLimits {
  readonly name: string;
  readonly writeMax: number;
}

function writeOctets(target: Uint8Array, at: number, value: unknown, slot: Slot): number {
  const octets = value ?? noOctets;
  if (!(octets instanceof Uint8Array)) throw new EncodeError(slot.name, 'must be a Uint8Array');
  if (octets.length > slot.max) throw new EncodeError(slot.name, `must be at most ${slot.max} octets long`);
  target[at] = octets.length;
  target.set(octets, at + 1);
  return at + 1 + octets.length;
}

const destinationAddr: CStringLimits = { name: 'destination_addr', writeMax: addressMax };
const dlName: CStringLimits = { name: 'dl_name', writeMax: addressMax };

function writeDestAddresses(target: Uint8Array, start: number, addresses: readonly DestAddress[]): number {
  if (addresses.length > listMax) throw new EncodeError('dest_addresses', `must have at most ${listMax} entries`);
  let at = start;
  target[at++] = addresses.length;
  for (const address of addresses) {
    target[at++] = address.dest_flag;
    at =
      address.dest_flag === 2 ? writeCString(target, at, address.dl_name, dlName) : writeAddress(target, at, address);
  }
  return at;
}

function writeUnsuccessSmes(target: Uint8Array, start: number, smes: readonly UnsuccessSme[]): number {
  if (smes.length > listMax) throw new EncodeError('unsuccess_smes', `must have at most ${listMax} entries`);
  let at = start;
  target[at++] = smes.length;
  for (const sme of smes) {
    at = writeAddress(target, at, sme);
    writeInt4(target, at, sme.error_status_code, 'error_status_code');
    at += 4;
  }
  return at;
}

type Address = Omit<UnsuccessSme, 'error_status_code'>;

function writeAddress(target: Uint8Array, at: number, address: Address): number {
  target[at] = toInt1('dest_addr_ton', address.dest_addr_ton);
  target[at + 1] = toInt1('dest_addr_npi', address.dest_addr_npi);
  return writeCString(target, at + 2, address.destination_addr, destinationAddr);
}

function writeTlvs(target: Uint8Array, start: number, tlvs: Tlvs, limit: number): number {
  let at = start;
  for (const { tag, value } of tlvs) {
    if ((tag & 0xffff) !== tag) throw new EncodeError('tlvs', 'a tag must be an integer from 0 to 65,535');
    if (value.length > 0xffff || at + 4 + value.length > limit) {
      throw new EncodeError('tlvs', `make the PDU longer than ${pduLengthMax} octets`);
    }
    target[at] = tag >> 8;
    target[at + 1] = tag;
    target[at + 2] = value.length >> 8;
    target[at + 3] = value.length;
    target.set(value, at + 4);
    at += 4 + value.length;
  }
  return at;
}

function writeInt4(target: Uint8Array, at: number, value: number, name: string): void {
  if (value >>> 0 !== value) throw new EncodeError(name, 'must be an integer from 0 to 4,294,967,295');
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}
