import { commandName } from './commands.ts';
import type { DestAddress, UnsuccessSme } from './fields.ts';
import { type Layout, type Slot, layoutById } from './layout.ts';
import { type Decoded, type Fault, type Pdu, type Tlv, type Tlvs, headerLength, pduLengthMax } from './pdu.ts';
import { statuses } from './statuses.ts';

/*
 * Decodes bytes into a PDU, or into a fault that says why the bytes are not a PDU. The command table lists the fields
 * of each PDU.
 */

const noTlvs: Tlvs = Object.freeze([]);
const noOddities: readonly string[] = Object.freeze([]);
/** The most oddities that the decoder reports for one PDU, because a hostile peer can put thousands into a PDU. */
const odditiesMax = 8;

const invalidCommandLength = statuses.ESME_RINVCMDLEN;
const invalidCommandId = statuses.ESME_RINVCMDID;
const invalidMessageLength = statuses.ESME_RINVMSGLEN;

/**
 * Reads exactly one PDU. Never throws: for bytes that are not a PDU, `decode` returns a fault.
 *
 * The decoder is lenient. The decoder accepts a PDU with the following deviations, and reports each deviation as an
 * oddity:
 *
 * - a string at the end of the PDU without its NUL, or a string that is too long;
 * - a response that ends before its last mandatory field;
 * - octets at the end of the PDU that do not form a TLV; the PDU has them in `rest`.
 *
 * For a request that ends before its last mandatory field, the decoder returns a fault.
 *
 * Octet strings and TLV values are views of `bytes`, not copies. The views are valid only while `bytes` does not
 * change.
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
    return { ok: false, fault: toFault(buffer, 'command_id', `unknown command_id 0x${id.toString(16)}`) };
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is derived from the same table that filled the object
  return { ok: true, pdu: pdu as Pdu, oddities: cursor.oddities ?? noOddities };
}

/** The header of a PDU (3.4 section 3.2), without its body. */
export interface PduHeader {
  /** The name of the command. For a command_id that no version of SMPP defines: the id in hexadecimal. */
  readonly command: string;
  readonly command_length: number;
  readonly command_status: number;
  readonly sequence_number: number;
}

/** Returns the header of a complete PDU. */
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

/** Fills in the mandatory fields. Returns the name of the first missing field if the PDU is a request. */
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

/** Skips an entry that is cut off and reports an oddity, because the rest of the response is still valid. */
function readUnsuccessSmes(cursor: Cursor): readonly UnsuccessSme[] {
  const { buffer } = cursor;
  const count = buffer[cursor.at++] ?? 0;
  const smes: UnsuccessSme[] = [];
  while (smes.length < count) {
    const address = readAddress(cursor);
    if (address === undefined || cursor.at + 4 > buffer.length) {
      note(cursor, `unsuccess_sme has ${smes.length} of ${count} entries`);
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

/** After the call, the cursor is at the first octet after the last complete TLV. */
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
      note(cursor, `${end - at} octets at the end are not a TLV`);
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

/** The fault for a command_length that is out of range or differs from the length of the PDU. */
export function lengthFault(buffer: Uint8Array): Fault {
  if (buffer.length < 4) return toFault(buffer, 'command_length', 'command_length is missing');
  const length = int4(buffer, 0);
  if (length < headerLength || length > pduLengthMax) {
    return toFault(buffer, 'command_length', `command_length is ${length}; it must be from 16 to ${pduLengthMax}`);
  }
  return toFault(buffer, 'command_length', `command_length is ${length}, but the PDU has ${buffer.length} octets`);
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

/** The integer of four octets at `at`. */
export function int4(buffer: Uint8Array, at: number): number {
  return ((int2(buffer, at) << 16) | int2(buffer, at + 2)) >>> 0;
}
