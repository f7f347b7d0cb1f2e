import { readTlv, resolveTime } from '@morsel/smpp';
import type { PduOf } from '@morsel/smpp';
import type { Draft } from '../../core/admission.ts';
import type { InboundCoding } from '../../core/carrier-profile.ts';
import type { Rejection } from '../../core/rejection.ts';
import { ok, refused } from '../../core/result.ts';
import type { Result } from '../../core/result.ts';
import { readSubmitted } from '../../core/submitted.ts';
import type { Submitted } from '../../core/submitted.ts';
import { secondMs } from '../../core/time.ts';
import type { Instant } from '../../core/time.ts';
import { readReceiver, readSender } from './read-address.ts';

type Submission = PduOf<'submit_sm' | 'data_sm'>;

/** What reading depends on beside the PDU. */
export interface Reading {
  readonly now: () => Instant;
  /** What data_coding 0 means to this client. */
  readonly defaultCoding: InboundCoding;
}

/**
 * What a submit_sm or data_sm asks for, in the words of HTTP (decisions, section 1). What it asks for and we would not do
 * is refused, and never left out in silence. In the order of the contract: fields, encoding, sender, receiver.
 */
export function readSubmission(pdu: Submission, reading: Reading): Result<Draft, Rejection> {
  const unwanted = findUnwanted(pdu);
  if (unwanted) return refused(unwanted);
  const times = pdu.command === 'submit_sm' ? readTimes(pdu, reading) : readTimeToLive(pdu);
  if (!times.ok) return times;
  const octets = octetsOf(pdu);
  if (!octets.ok) return octets;
  const content = readSubmitted(submittedOf(pdu, octets.value, reading));
  if (!content.ok) return content;
  const sender = readSender(pdu.source_addr, pdu.source_addr_ton);
  if (!sender.ok) return sender;
  if (sender.value === '') return refused({ code: 'missing_parameter', field: 'sender' });
  const receiver = readReceiver(pdu.destination_addr, pdu.dest_addr_ton);
  if (!receiver.ok) return receiver;
  if (receiver.value === '') return refused({ code: 'missing_parameter', field: 'receiver' });
  const { text, dcs, flash, own } = content.value;
  return ok({
    sender: sender.value,
    receiver: receiver.value,
    text,
    dcs,
    flash,
    own,
    clientRef: pdu.tlvs.length === 0 ? undefined : clientRefOf(pdu),
    validity: times.value.validity,
    sendAt: times.value.sendAt,
    priority: pdu.command === 'submit_sm' && pdu.priority_flag > 0 ? 'high' : undefined,
    registered: pdu.registered_delivery & registeredMask,
  });
}

/** Bits 0 and 1: the receipts that are wanted (SMPP 5.0, 4.7.21). Acknowledgements of the phone's user do not exist. */
const registeredMask = 0x03;

/** esm_class (SMPP 3.4, section 5.2.12). */
const esmModeMask = 0x03;
const esmTypeMask = 0x3c;
const esmUserDataHeader = 0x40;
const esmReplyPath = 0x80;
/** An answer that waits for the phone. Datagrams get more than they ask for: they are stored, as all are. */
const esmForwardMode = 2;

const priorityFlagMax = 3;

function findUnwanted(pdu: Submission): Rejection | undefined {
  const { esm_class: esmClass } = pdu;
  if ((esmClass & esmModeMask) === esmForwardMode) return invalid('esm_class', forwardMode);
  if ((esmClass & esmTypeMask) !== 0) return invalid('esm_class', noMessage);
  if ((esmClass & esmReplyPath) !== 0) return invalid('esm_class', replyPath);
  if (pdu.service_type === 'USSD') return invalid('service_type', 'messages are carried, and no USSD');
  if (pdu.command === 'data_sm') return undefined;
  if (pdu.priority_flag > priorityFlagMax) return invalid('priority', 'priority_flag is 0, or 1 to 3 for high');
  if (pdu.protocol_id !== 0) return invalid('protocol_id', 'protocol_id is 0: nothing else is carried');
  if (pdu.replace_if_present_flag !== 0) return invalid('replace_if_present_flag', replace);
  if (pdu.sm_default_msg_id !== 0) return invalid('sm_default_msg_id', 'there are no texts of ours: send the text');
  return undefined;
}

const forwardMode =
  'transaction mode is not done: take store and forward (esm_class mode 0 or 3), and ask for a receipt';
const noMessage = 'only messages are taken: leave the type in esm_class 0';
const replyPath = 'a reply path is not carried: clear bit 7 of esm_class';
const replace = 'no message is replaced: send with replace_if_present_flag 0, and take back the other with cancel_sm';

function invalid(field: string, detail: string): Rejection {
  return { code: 'invalid_parameter', field, detail };
}

interface Times {
  readonly sendAt?: string;
  /** Seconds. */
  readonly validity?: number;
}

const noTimes = ok<Times>({});

/** The instants of both fields; relative ones count from now, as does the end of the validity of a message for later. */
function readTimes(pdu: PduOf<'submit_sm'>, { now }: Reading): Result<Times, Rejection> {
  const { schedule_delivery_time: schedule, validity_period: validity } = pdu;
  if (schedule === '' && validity === '') return noTimes;
  const at = now();
  const sendAt = schedule === '' ? at : resolveTime(schedule, at);
  if (sendAt === undefined) return refused(invalid('sendAt', `schedule_delivery_time ${timeForm}`));
  const expiresAt = validity === '' ? at : resolveTime(validity, at);
  if (expiresAt === undefined) return refused(invalid('validity', `validity_period ${timeForm}`));
  return ok({
    ...(schedule !== '' && { sendAt: new Date(sendAt).toISOString() }),
    ...(validity !== '' && { validity: Math.round((expiresAt - Math.max(sendAt, at)) / secondMs) }),
  });
}

const timeForm = 'is empty or YYMMDDhhmmsstnnp, such as 260131120000000+, or 000001000000000R for a day from now';

function readTimeToLive(pdu: PduOf<'data_sm'>): Result<Times, Rejection> {
  const validity = pdu.tlvs.length === 0 ? undefined : readTlv(pdu, 'qos_time_to_live');
  return validity === undefined ? noTimes : ok({ validity });
}

/** A text stands in one place or the other: of two, one would be lost (smpp-in-the-wild, 14). */
function octetsOf(pdu: Submission): Result<Uint8Array, Rejection> {
  const payload = pdu.tlvs.length === 0 ? undefined : readTlv(pdu, 'message_payload');
  const short = pdu.command === 'submit_sm' ? pdu.short_message : nothing;
  if (payload === undefined || payload.length === 0) return ok(short);
  return short.length === 0 ? ok(payload) : refused(invalid('message_payload', twoTexts));
}

const nothing = new Uint8Array();
const twoTexts = 'the text stands in short_message or in message_payload, and the other is empty';

function submittedOf(pdu: Submission, octets: Uint8Array, { defaultCoding }: Reading): Submitted {
  const data = {
    dataCoding: pdu.data_coding,
    hasHeader: (pdu.esm_class & esmUserDataHeader) !== 0,
    octets,
    defaultCoding,
  };
  return pdu.tlvs.length === 0 ? data : { ...data, sar: sarOf(pdu), ports: portsOf(pdu) };
}

function sarOf(pdu: Submission): Submitted['sar'] {
  const total = readTlv(pdu, 'sar_total_segments');
  if (total === undefined) return undefined;
  const reference = readTlv(pdu, 'sar_msg_ref_num');
  const number = readTlv(pdu, 'sar_segment_seqnum');
  return { total, ...(reference !== undefined && { reference }), ...(number !== undefined && { number }) };
}

const portMax = 0xffff;

/** Without a source, as clients leave it out, it is 0: nobody answers. */
function portsOf(pdu: Submission): Submitted['ports'] {
  const destination = readTlv(pdu, 'destination_port');
  const source = readTlv(pdu, 'source_port') ?? 0;
  return destination === undefined || destination > portMax || source > portMax ? undefined : { destination, source };
}

/** The client's own number for the message: it finds it by that over HTTP, too, and gets it with its receipts. */
function clientRefOf(pdu: Submission): string | undefined {
  return readTlv(pdu, 'user_message_reference')?.toString();
}
