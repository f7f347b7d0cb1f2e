import type { GivenEcho } from '@morsel/api/values/message.ts';
import { readTlv, tlvTable, tlvName, type PduOf, type TlvName } from '@morsel/smpp';
import { vendorTagMin } from '@morsel/api/values/routing.ts';
import { tagText, type Extra } from '../../../core/routing/extras.ts';
import type { OptionFault, Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Submitted } from './submitted.ts';

/*
 * Reads TLVs, which must occur once and have the right length. TLVs of unsupported features are refused, vendor TLVs
 * (from 0x1400) are passed on, and all others are ignored (SMPP 3.4, section 3.3).
 */

type Submission = PduOf<'submit_sm' | 'data_sm'>;

export interface SubmittedTlvs extends Pick<Submitted, 'sar' | 'ports'> {
  readonly payload?: Uint8Array | undefined;
  /** In seconds. */
  readonly timeToLive?: number | undefined;
  /** The members that the client gives with the message and gets back in its reports. */
  readonly echo?: GivenEcho;
  /** The vendor TLVs that are passed on to carriers that accept them. */
  readonly vendor?: readonly Extra[] | undefined;
}

/** Octets that are not a valid TLV are refused. NULs after the last TLV are ignored, because some clients write one. */
export function readTlvs(pdu: Submission): Result<SubmittedTlvs, Rejection> {
  if (pdu.rest?.some((octet) => octet !== 0)) return invalid('stream', strayOctets(pdu.rest));
  if (pdu.tlvs.length === 0) return none;
  const fault = findFault(pdu);
  if (fault) return fault;
  const vendor = readVendor(pdu);
  if (!vendor.ok) return vendor;
  const sar = readSar(pdu);
  if (!sar.ok) return sar;
  const ports = readPorts(pdu);
  if (!ports.ok) return ports;
  return ok({
    payload: readTlv(pdu, 'message_payload'),
    timeToLive: readTlv(pdu, 'qos_time_to_live'),
    echo: { clientRef: readTlv(pdu, 'user_message_reference')?.toString() },
    vendor: vendor.value,
    sar: sar.value,
    ports: ports.value,
  });
}

const none = ok<SubmittedTlvs>({});

/** The octets of tag and length before the value of a TLV. */
const headLength = 4;

function strayOctets(rest: Uint8Array): string {
  const [high = 0, low = 0] = rest;
  return rest.length < headLength
    ? `the last ${rest.length} octets of the PDU are not a valid TLV: check sm_length and the octets after the text`
    : `${tlvName(high * 256 + low)} is longer than the rest of the PDU: check sm_length and the lengths of the TLVs`;
}

const readAlways = [
  'message_payload',
  'user_message_reference',
  'source_port',
  'destination_port',
  'sar_msg_ref_num',
  'sar_total_segments',
  'sar_segment_seqnum',
] as const;

/** TLVs of unsupported features, without which the message would differ. The listed values have no effect. */
const notCarried: readonly (readonly [TlvName, ...number[]])[] = [
  ['dest_addr_subunit', 0],
  // The value 1 means SMS.
  ['dest_bearer_type', 0, 1],
  ['dest_telematics_id', 0],
  ['dest_subaddress'],
  ['source_subaddress'],
  ['payload_type', 0],
  ['privacy_indicator', 0],
  ['callback_num'],
  ['number_of_messages'],
  ['ms_msg_wait_facilities'],
  ['ms_validity', 0],
  ['set_dpf', 0],
  ['its_reply_type'],
  ['its_session_info'],
  ['ussd_service_op'],
];

interface Rule {
  readonly name: TlvName;
  /** A separate bit for each TLV, to notice that a TLV occurs twice. */
  readonly bit: number;
  readonly min: number;
  readonly max: number;
  readonly neutral?: readonly number[];
}

const rules = {
  submit_sm: rulesOf(readAlways, [...notCarried, ['qos_time_to_live']]),
  data_sm: rulesOf([...readAlways, 'qos_time_to_live'], notCarried),
};

function rulesOf(read: readonly TlvName[], unwanted: typeof notCarried): ReadonlyMap<number, Rule> {
  const all = [...read.map((name) => ({ name })), ...unwanted.map(([name, ...neutral]) => ({ name, neutral }))];
  return new Map(
    all.map((each, index) => {
      const { tag, type } = tlvTable[each.name];
      const [min, max] = type.kind === 'int' ? [type.size, type.size] : ['min' in type ? type.min : 0, type.max];
      return [tag, { ...each, bit: 1 << index, min, max }];
    }),
  );
}

/** Checks all TLVs in one pass, so that many TLVs cost little time. */
function findFault({ command, tlvs }: Submission): Refused | undefined {
  let seen = 0;
  for (const { tag, value } of tlvs) {
    const rule = rules[command].get(tag);
    if (!rule) continue;
    const { name, bit, min, max, neutral } = rule;
    if (neutral?.length === 0) return invalid('not_allowed', leaveOut(name, neutral));
    if ((seen & bit) !== 0) return invalid('stream', `${name} occurs twice in the PDU: send it once`);
    if (value.length < min || value.length > max) {
      const right = min === max ? String(min) : `${min} to ${max}`;
      return invalid('length', `${name} must have ${right} octets, but has ${value.length}`);
    }
    if (neutral && !neutral.includes(value.reduce((sum, octet) => sum * 256 + octet, 0)))
      return invalid('not_allowed', leaveOut(name, neutral));
    seen |= bit;
  }
  return undefined;
}

/** The most vendor TLVs in one message, and the most octets in each: more than any known carrier needs. */
const vendorMax = 16;
const vendorOctetsMax = 255;

function readVendor({ tlvs }: Submission): Result<readonly Extra[] | undefined, Rejection> {
  const found = tlvs.filter(({ tag }) => tag >= vendorTagMin);
  if (found.length === 0) return nothing;
  if (found.length > vendorMax)
    return invalid(
      'not_allowed',
      `there are more than ${vendorMax} vendor TLVs (tags from 0x1400): send fewer of them`,
    );
  const tags = new Set<number>();
  for (const { tag, value } of found) {
    if (tags.has(tag)) return invalid('stream', `${tagText(tag)} occurs twice in the PDU: send it once`);
    if (value.length > vendorOctetsMax) {
      return invalid('length', `${tagText(tag)} must have 0 to ${vendorOctetsMax} octets, but has ${value.length}`);
    }
    tags.add(tag);
  }
  return ok(found.map(({ tag, value }) => ({ tag, octets: Buffer.from(value).toString('hex') })));
}

function leaveOut(name: TlvName, neutral: readonly number[]): string {
  const or = neutral.length === 0 ? '' : `, or send ${neutral.join(' or ')}`;
  return `${name} is not supported: leave it out${or}`;
}

/** Reads the sar_ TLVs: all three must be there, or none. */
function readSar(pdu: Submission): Result<Submitted['sar'], Rejection> {
  const reference = readTlv(pdu, 'sar_msg_ref_num');
  const total = readTlv(pdu, 'sar_total_segments');
  const number = readTlv(pdu, 'sar_segment_seqnum');
  if (reference === undefined && total === undefined && number === undefined) return nothing;
  if (reference === undefined || total === undefined || number === undefined) return invalid('missing', halfSar);
  return ok({ reference, total, number });
}

/** If only source_port is missing, it counts as 0, because some clients leave it out. */
function readPorts(pdu: Submission): Result<Submitted['ports'], Rejection> {
  const destination = readTlv(pdu, 'destination_port');
  const source = readTlv(pdu, 'source_port');
  if (destination !== undefined) return ok({ destination, source: source ?? 0 });
  return source === undefined ? nothing : invalid('missing', halfPorts);
}

const nothing = ok(undefined);
const halfSar =
  'sar_msg_ref_num, sar_total_segments and sar_segment_seqnum belong together: send all three TLVs, or none of them';
const halfPorts = 'source_port needs a destination_port: send both TLVs, or leave out source_port';

type Refused = Extract<Result<never, Rejection>, { readonly ok: false }>;

function invalid(fault: OptionFault, detail: string): Refused {
  return refused({ code: 'invalid_option', fault, detail });
}
