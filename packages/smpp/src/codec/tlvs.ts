import { latin1 } from './fields.ts';
import { EncodeError, type Tlv, type Tlvs } from './pdu.ts';

/*
 * The optional parameters (TLVs) of SMPP 3.4 (section 5.3.2) and 5.0 (section 4.8.1): tag, kind and size, and how to
 * read and write them. If the versions define different formats for a TLV, its value is plain octets here.
 */

interface Int {
  readonly kind: 'int';
  readonly size: 1 | 2 | 4;
}
/** A string with a NUL at its end; `max` is in octets and includes the NUL. */
interface Text {
  readonly kind: 'cstring';
  readonly max: number;
}
interface Bytes {
  readonly kind: 'octets';
  readonly min: number;
  readonly max: number;
}

const int1: Int = { kind: 'int', size: 1 };
const int2: Int = { kind: 'int', size: 2 };
const int4: Int = { kind: 'int', size: 4 };

function cstring(max: number): Text {
  return { kind: 'cstring', max };
}

function octets(min: number, max = min): Bytes {
  return { kind: 'octets', min, max };
}

export const tlvTable = {
  dest_addr_subunit: { tag: 0x0005, type: int1 },
  dest_network_type: { tag: 0x0006, type: int1 },
  dest_bearer_type: { tag: 0x0007, type: int1 },
  dest_telematics_id: { tag: 0x0008, type: int2 },
  source_addr_subunit: { tag: 0x000d, type: int1 },
  source_network_type: { tag: 0x000e, type: int1 },
  source_bearer_type: { tag: 0x000f, type: int1 },
  source_telematics_id: { tag: 0x0010, type: int1 },
  qos_time_to_live: { tag: 0x0017, type: int4 },
  payload_type: { tag: 0x0019, type: int1 },
  additional_status_info_text: { tag: 0x001d, type: cstring(256) },
  receipted_message_id: { tag: 0x001e, type: cstring(65) },
  ms_msg_wait_facilities: { tag: 0x0030, type: int1 },
  privacy_indicator: { tag: 0x0201, type: int1 },
  source_subaddress: { tag: 0x0202, type: octets(2, 23) },
  dest_subaddress: { tag: 0x0203, type: octets(2, 23) },
  user_message_reference: { tag: 0x0204, type: int2 },
  user_response_code: { tag: 0x0205, type: int1 },
  source_port: { tag: 0x020a, type: int2 },
  destination_port: { tag: 0x020b, type: int2 },
  sar_msg_ref_num: { tag: 0x020c, type: int2 },
  language_indicator: { tag: 0x020d, type: int1 },
  sar_total_segments: { tag: 0x020e, type: int1 },
  sar_segment_seqnum: { tag: 0x020f, type: int1 },
  sc_interface_version: { tag: 0x0210, type: int1 },
  callback_num_pres_ind: { tag: 0x0302, type: int1 },
  callback_num_atag: { tag: 0x0303, type: octets(0, 65) },
  number_of_messages: { tag: 0x0304, type: int1 },
  callback_num: { tag: 0x0381, type: octets(4, 19) },
  dpf_result: { tag: 0x0420, type: int1 },
  set_dpf: { tag: 0x0421, type: int1 },
  ms_availability_status: { tag: 0x0422, type: int1 },
  network_error_code: { tag: 0x0423, type: octets(3) },
  message_payload: { tag: 0x0424, type: octets(0, 65_535) },
  delivery_failure_reason: { tag: 0x0425, type: int1 },
  more_messages_to_send: { tag: 0x0426, type: int1 },
  message_state: { tag: 0x0427, type: int1 },
  congestion_state: { tag: 0x0428, type: int1 },
  ussd_service_op: { tag: 0x0501, type: int1 },
  broadcast_channel_indicator: { tag: 0x0600, type: int1 },
  broadcast_content_type: { tag: 0x0601, type: octets(3) },
  broadcast_content_type_info: { tag: 0x0602, type: octets(1, 255) },
  broadcast_message_class: { tag: 0x0603, type: int1 },
  broadcast_rep_num: { tag: 0x0604, type: int2 },
  broadcast_frequency_interval: { tag: 0x0605, type: octets(3) },
  broadcast_area_identifier: { tag: 0x0606, type: octets(1, 100) },
  broadcast_error_status: { tag: 0x0607, type: int4 },
  broadcast_area_success: { tag: 0x0608, type: int1 },
  broadcast_end_time: { tag: 0x0609, type: cstring(17) },
  broadcast_service_group: { tag: 0x060a, type: octets(1, 255) },
  billing_identification: { tag: 0x060b, type: octets(1, 1024) },
  source_network_id: { tag: 0x060d, type: cstring(65) },
  dest_network_id: { tag: 0x060e, type: cstring(65) },
  source_node_id: { tag: 0x060f, type: octets(6) },
  dest_node_id: { tag: 0x0610, type: octets(6) },
  dest_addr_np_resolution: { tag: 0x0611, type: int1 },
  dest_addr_np_information: { tag: 0x0612, type: octets(10) },
  dest_addr_np_country: { tag: 0x0613, type: octets(1, 5) },
  display_time: { tag: 0x1201, type: int1 },
  sms_signal: { tag: 0x1203, type: int2 },
  ms_validity: { tag: 0x1204, type: octets(1, 4) },
  alert_on_message_delivery: { tag: 0x130c, type: octets(0, 1) },
  its_reply_type: { tag: 0x1380, type: int1 },
  its_session_info: { tag: 0x1383, type: octets(2) },
} as const satisfies Record<string, { readonly tag: number; readonly type: Int | Text | Bytes }>;

export type TlvName = keyof typeof tlvTable;

/** The TypeScript type of a TLV's value in `readTlv` and `writeTlv`. */
export type TlvValueOf<N extends TlvName> = (typeof tlvTable)[N]['type'] extends Int
  ? number
  : (typeof tlvTable)[N]['type'] extends Text
    ? string
    : Uint8Array;

const nameByTag: ReadonlyMap<number, string> = new Map(Object.entries(tlvTable).map(([name, { tag }]) => [tag, name]));

/** The name of a TLV's tag. For a tag that no version of SMPP defines: the tag in hexadecimal, such as `0x1401`. */
export function tlvName(tag: number): string {
  return nameByTag.get(tag) ?? `0x${tag.toString(16).padStart(4, '0')}`;
}

/**
 * Returns the value of the first TLV with this name; undefined if the PDU has no such TLV, or an integer has a wrong
 * length. Reads leniently: any integer may have one to four octets, and a string may lack its NUL.
 */
export function readTlv<N extends TlvName>(pdu: { readonly tlvs: Tlvs }, name: N): TlvValueOf<N> | undefined;
export function readTlv(pdu: { readonly tlvs: Tlvs }, name: TlvName): number | string | Uint8Array | undefined {
  const { tag, type } = tlvTable[name];
  for (const tlv of pdu.tlvs) {
    if (tlv.tag === tag) return readValue(tlv.value, type.kind);
  }
  return undefined;
}

/** Makes a TLV of this name and value. Throws EncodeError if the standard does not allow the value. */
export function writeTlv<N extends TlvName>(name: N, value: TlvValueOf<N>): Tlv;
export function writeTlv(name: TlvName, value: number | string | Uint8Array): Tlv {
  const spec: { readonly tag: number; readonly type: Int | Text | Bytes } = tlvTable[name];
  return { tag: spec.tag, value: writeValue(name, spec.type, value) };
}

function readValue(value: Uint8Array, kind: 'int' | 'cstring' | 'octets'): number | string | Uint8Array | undefined {
  if (kind === 'octets') return value;
  if (kind === 'int') {
    if (value.length < 1 || value.length > 4) return undefined;
    let int = 0;
    for (const octet of value) int = int * 256 + octet;
    return int;
  }
  const nul = value.indexOf(0);
  return latin1(value, 0, nul === -1 ? value.length : nul);
}

function writeValue(name: string, type: Int | Text | Bytes, value: number | string | Uint8Array): Uint8Array {
  if (type.kind === 'int') return writeInt(name, type.size, value);
  if (type.kind === 'cstring') return writeText(name, type.max, value);
  if (!(value instanceof Uint8Array)) throw new EncodeError(name, 'must be a Uint8Array');
  if (value.length < type.min || value.length > type.max) {
    throw new EncodeError(name, `must be ${type.min} to ${type.max} octets long`);
  }
  return value;
}

function writeInt(name: string, size: 1 | 2 | 4, value: unknown): Uint8Array {
  const limit = 256 ** size;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= limit) {
    throw new EncodeError(name, `must be an integer from 0 to ${limit - 1}`);
  }
  const written = Buffer.allocUnsafe(size);
  written.writeUIntBE(value, 0, size);
  return written;
}

function writeText(name: string, max: number, value: unknown): Uint8Array {
  if (typeof value !== 'string') throw new EncodeError(name, 'must be a string');
  if (value.length >= max) throw new EncodeError(name, `must be shorter than ${max} characters`);
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code === 0 || code > 0xff) throw new EncodeError(name, 'must have only Latin-1 characters other than NUL');
  }
  return Buffer.from(`${value}\0`, 'latin1');
}
