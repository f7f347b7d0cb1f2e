import { commandName } from './commands.ts';
import type { DestAddress, UnsuccessSme } from './fields.ts';
import type { Layout, Slot } from './layout.ts';
import { layoutById } from './layout.ts';
import type { Decoded, Fault, Pdu, Tlv, Tlvs } from './pdu.ts';
import { headerLength, pduLengthMax } from './pdu.ts';
import { status } from './statuses.ts';

const noTlvs: Tlvs = Object.freeze([]);
const noOddities: readonly string[] = Object.freeze([]);
/** Oddities of one PDU that are worth a line; a hostile peer can have thousands. */
const odditiesMax = 8;

const invalidCommandLength = status('ESME_RINVCMDLEN');
const invalidCommandId = status('ESME_RINVCMDID');
const invalidMessageLength = status('ESME_RINVMSGLEN');

/**
 * Reads exactly one PDU. Never throws, whatever the bytes.
 *
 * Lenient: a string may lack its NUL at the end of the PDU or be longer than the standard allows, a response may end
 * before its fields, octets that are no TLV may follow (`rest`); each is an oddity. A request whose fields are not all there
 * is a fault.
 *
 * Octet strings and TLV values are views of `bytes`, not copies: they stay right only as long as the bytes do.
 */
export function decode(bytes: Uint8Array): Decoded {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = buffer.length;
  if (length < headerLength || length > pduLengthMax || int4(buffer, 0) !== length) {
    return { ok: false, fault: lengthFault(buffer) };
  }
  const id = int4(buffer, 4);
  const layout = layoutById.get(id);
  if (layout === undefined) {
    return { ok: false, fault: toFault(buffer, 'command_id', `command_id 0x${id.toString(16)} is not known`) };
  }
  const cursor: Cursor = { buffer, at: headerLength, oddities: undefined };
  const pdu = { ...layout.blank };
  pdu['command_status'] = int4(buffer, 8);
  pdu['sequence_number'] = int4(buffer, 12);
  const missing = readFields(cursor, layout, pdu);
  if (missing !== undefined) {
    return { ok: false, fault: toFault(buffer, 'body', `${layout.command} ends before ${missing} does`) };
  }
  pdu['tlvs'] = readTlvs(cursor);
  if (cursor.at < length) pdu['rest'] = buffer.subarray(cursor.at);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table that filled it is what the type is made of
  return { ok: true, pdu: pdu as Pdu, oddities: cursor.oddities ?? noOddities };
}

/** The header of a PDU (3.4 section 3.2), without its body. */
export interface PduHeader {
  /** The name of the command, or its id in hexadecimal if no version of the standard has it. */
  readonly command: string;
  readonly command_length: number;
  readonly command_status: number;
  readonly sequence_number: number;
}

/** Reads the header of a whole PDU. */
export function headerOf(bytes: Uint8Array): PduHeader {
  const id = int4(bytes, 4);
  return {
    command: commandName(id) ?? `0x${id.toString(16).padStart(8, '0')}`,
    command_length: bytes.byteLength,
    command_status: int4(bytes, 8),
    sequence_number: int4(bytes, 12),
  };
}

interface Cursor {
  readonly buffer: Buffer;
  at: number;
  oddities: string[] | undefined;
}

/** Fills in the fields; gives the name of a request's first field that is not there. */
function readFields(cursor: Cursor, layout: Layout, pdu: Record<string, unknown>): string | undefined {
  const end = cursor.buffer.length;
  for (const slot of layout.slots) {
    const value = cursor.at < end ? readField(cursor, slot) : undefined;
    if (value !== undefined) {
      pdu[slot.name] = value;
      continue;
    }
    if (!layout.isResponse) return slot.name;
    if (slot !== layout.slots[0]) note(cursor, `${layout.command} ends before ${slot.name} does`);
    cursor.at = end;
    return undefined;
  }
  return undefined;
}

function readField(cursor: Cursor, slot: Slot): unknown {
  let value: unknown;
  switch (slot.kind) {
    case 'int1':
      value = cursor.buffer[cursor.at++];
      break;
    case 'cstring':
      value = readCString(cursor, slot.name, slot.max);
      break;
    case 'octets':
      value = readOctets(cursor);
      break;
    case 'dest_addresses':
      value = readDestAddresses(cursor);
      break;
    case 'unsuccess_smes':
      value = readUnsuccessSmes(cursor);
      break;
  }
  return value;
}

function readCString(cursor: Cursor, name: string, max: number): string {
  const { buffer, at } = cursor;
  const end = buffer.length;
  let nul = at;
  while (nul < end && buffer[nul] !== 0) nul++;
  cursor.at = nul + 1;
  if (nul === end) {
    note(cursor, `${name} has no NUL`);
    cursor.at = end;
  }
  if (nul - at >= max) note(cursor, `${name} is longer than ${max - 1} characters`);
  return nul === at ? '' : buffer.toString('latin1', at, nul);
}

function readOctets(cursor: Cursor): Uint8Array | undefined {
  const start = cursor.at + 1;
  const end = start + (cursor.buffer[cursor.at] ?? 0);
  if (end > cursor.buffer.length) return undefined;
  cursor.at = end;
  return cursor.buffer.subarray(start, end);
}

function readDestAddresses(cursor: Cursor): readonly DestAddress[] | undefined {
  const { buffer } = cursor;
  const count = buffer[cursor.at++] ?? 0;
  const addresses: DestAddress[] = [];
  for (let index = 0; index < count; index++) {
    const dest_flag = buffer[cursor.at++];
    if (dest_flag === 2) {
      if (cursor.at >= buffer.length) return undefined;
      addresses.push({ dest_flag, dl_name: readCString(cursor, 'dl_name', 21) });
    } else if (dest_flag === 1) {
      const address = readAddress(cursor);
      if (address === undefined) return undefined;
      addresses.push({ dest_flag, ...address });
    } else {
      return undefined;
    }
  }
  return addresses;
}

/** Entries that are cut off are left out, and noted: the answer as a whole still counts. */
function readUnsuccessSmes(cursor: Cursor): readonly UnsuccessSme[] {
  const { buffer } = cursor;
  const count = buffer[cursor.at++] ?? 0;
  const smes: UnsuccessSme[] = [];
  while (smes.length < count) {
    const address = readAddress(cursor);
    if (address === undefined || cursor.at + 4 > buffer.length) {
      note(cursor, `unsuccess_sme: ${smes.length} of ${count} are there`);
      cursor.at = buffer.length;
      break;
    }
    smes.push({ ...address, error_status_code: int4(buffer, cursor.at) });
    cursor.at += 4;
  }
  return smes;
}

type Address = Omit<UnsuccessSme, 'error_status_code'>;

function readAddress(cursor: Cursor): Address | undefined {
  const dest_addr_ton = cursor.buffer[cursor.at++];
  const dest_addr_npi = cursor.buffer[cursor.at++];
  if (dest_addr_ton === undefined || dest_addr_npi === undefined) return undefined;
  if (cursor.at >= cursor.buffer.length) return undefined;
  return { dest_addr_ton, dest_addr_npi, destination_addr: readCString(cursor, 'destination_addr', 21) };
}

/** Leaves the cursor at the first octet that is of no TLV, or at the end. */
function readTlvs(cursor: Cursor): Tlvs {
  const { buffer } = cursor;
  const end = buffer.length;
  if (cursor.at >= end) return noTlvs;
  const tlvs: Tlv[] = [];
  let at = cursor.at;
  while (at < end) {
    const valueAt = at + 4;
    const valueEnd = valueAt <= end ? valueAt + int2(buffer, at + 2) : valueAt;
    if (valueEnd > end) {
      note(cursor, `${end - at} octets at the end are no TLV`);
      break;
    }
    tlvs.push({ tag: int2(buffer, at), value: buffer.subarray(valueAt, valueEnd) });
    at = valueEnd;
  }
  cursor.at = at;
  return tlvs;
}

function note(cursor: Cursor, oddity: string): void {
  if (cursor.oddities === undefined) cursor.oddities = [oddity];
  else if (cursor.oddities.length < odditiesMax) cursor.oddities.push(oddity);
}

/** The fault of bytes whose command_length is not allowed, or is not how long they are; also the framer's. */
export function lengthFault(buffer: Uint8Array): Fault {
  if (buffer.length < 4) return toFault(buffer, 'command_length', 'there is no command_length');
  const length = int4(buffer, 0);
  if (length < headerLength || length > pduLengthMax) {
    return toFault(buffer, 'command_length', `command_length ${length} is not 16 to ${pduLengthMax}`);
  }
  return toFault(buffer, 'command_length', `command_length is ${length}, there are ${buffer.length} octets`);
}

function toFault(buffer: Uint8Array, kind: Fault['kind'], reason: string): Fault {
  const command_status = {
    command_length: invalidCommandLength,
    command_id: invalidCommandId,
    body: invalidMessageLength,
  }[kind];
  const hasHeader = buffer.length >= headerLength;
  return {
    kind,
    command_status,
    command_id: hasHeader ? int4(buffer, 4) : 0,
    sequence_number: hasHeader ? int4(buffer, 12) : 0,
    reason,
  };
}

function int2(buffer: Uint8Array, at: number): number {
  return ((buffer[at] ?? 0) << 8) | (buffer[at + 1] ?? 0);
}

function int4(buffer: Uint8Array, at: number): number {
  return ((int2(buffer, at) << 16) | int2(buffer, at + 2)) >>> 0;
}
