import { esmClass, resolveTime, type PduOf } from '@morsel/smpp';
import type { Draft } from '../../../core/message/admission.ts';
import type { InboundCoding } from '@morsel/api/values/routing.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { readSubmitted } from './submitted.ts';
import { secondMs, type Instant } from '@morsel/api/values/time.ts';
import { findTooLong } from './field-lengths.ts';
import { readReceiver, readSender } from './read-address.ts';
import { readTlvs } from './read-tlvs.ts';

/* Reads a message from submit_sm or data_sm, or refuses the PDU. */

type Submission = PduOf<'submit_sm' | 'data_sm'>;

export interface SubmissionReading {
  readonly now: () => Instant;
  /** The alphabet that this client means by data_coding 0. */
  readonly defaultCoding: InboundCoding;
}

/**
 * Converts a PDU to the fields of the HTTP API, with the same order of checks. A PDU that asks for an unsupported
 * feature is refused; the gateway never ignores such a request.
 */
export function readSubmission(pdu: Submission, reading: SubmissionReading): Result<Draft, Rejection> {
  const unwanted = findUnwanted(pdu) ?? findTooLong(pdu);
  if (unwanted) return refused(unwanted);
  const tlvs = readTlvs(pdu);
  if (!tlvs.ok) return tlvs;
  const { timeToLive, payload, sar, ports, echo, vendor } = tlvs.value;
  const times = pdu.command === 'submit_sm' ? readTimes(pdu, reading) : ok<Times>({ validity: timeToLive });
  if (!times.ok) return times;
  const octets = octetsOf(pdu, payload);
  if (!octets.ok) return octets;
  const content = readSubmitted({
    dataCoding: pdu.data_coding,
    hasHeader: (pdu.esm_class & esmClass.userDataHeader) !== 0,
    octets: octets.value,
    defaultCoding: reading.defaultCoding,
    sar,
    ports,
  });
  if (!content.ok) return content;
  const sender = readSender(pdu.source_addr, pdu.source_addr_ton);
  if (!sender.ok) return sender;
  if (sender.value === '') return refused({ code: 'missing_parameter', field: 'source_addr' });
  const receiver = readReceiver(pdu.destination_addr, pdu.dest_addr_ton);
  if (!receiver.ok) return receiver;
  if (receiver.value === '') return refused({ code: 'missing_parameter', field: 'destination_addr' });
  const { text, dcs, flash, clientEncoded } = content.value;
  return ok({
    sender: sender.value,
    receiver: receiver.value,
    text,
    dcs,
    flash,
    clientEncoded,
    ...echo,
    validity: times.value.validity,
    sendAt: times.value.sendAt,
    priority: pdu.command === 'submit_sm' && pdu.priority_flag > 0 ? 'high' : undefined,
    wantedReceipts: wantedReceipts[pdu.registered_delivery & registeredMask],
    extras: vendor,
  });
}

/**
 * registered_delivery (SMPP 5.0, 4.7.21): bits 0 and 1 ask for receipts. Bit 4, intermediate notifications, is ignored,
 * because many clients always set it. The other bits are reserved, or ask for an acknowledgement of the phone's user.
 */
const registeredMask = 0x03;
const wantedReceipts = ['none', 'all', 'failures', 'successes'] as const;
const registeredUnwanted = 0xec;

const priorityFlagMax = 3;

function findUnwanted(pdu: Submission): Rejection | undefined {
  const { esm_class } = pdu;
  // Forward (transaction) mode is refused, because its answer would have to wait for the phone. Datagram mode is accepted, but
  // its messages are stored like all other messages.
  if ((esm_class & esmClass.modeMask) === esmClass.forwardMode) return invalid('esm_class', forwardMode);
  if ((esm_class & esmClass.typeMask) !== 0) return invalid('esm_class', noMessage);
  if ((esm_class & esmClass.replyPath) !== 0) return invalid('esm_class', replyPath);
  if ((pdu.registered_delivery & registeredUnwanted) !== 0) return invalid('registered_delivery', receiptsOnly);
  if (pdu.service_type === 'USSD') return invalid('service_type', 'USSD is not supported: leave service_type empty');
  if (pdu.command === 'data_sm') return undefined;
  if (pdu.priority_flag > priorityFlagMax)
    return invalid('priority_flag', 'priority_flag must be 0 (normal), or 1, 2 or 3 (high)');
  if (pdu.protocol_id !== 0) return invalid('protocol_id', 'protocol_id must be 0');
  if (pdu.replace_if_present_flag !== 0) return invalid('replace_if_present_flag', replace);
  if (pdu.sm_default_msg_id !== 0)
    return invalid('sm_default_msg_id', 'predefined texts are not supported: send the text with sm_default_msg_id 0');
  return undefined;
}

const forwardMode =
  'transaction mode is not supported: use store and forward (esm_class mode 0 or 3), and ask for a receipt';
const noMessage = 'the message type in esm_class (bits 2 to 5) must be 0';
const receiptsOnly =
  'registered_delivery must be 0 (no receipts), 1 (all receipts), 2 (only failures) or 3 (only successes)';
const replyPath = 'a reply path is not supported: clear bit 7 of esm_class';
const replace =
  'replacing a message is not supported: cancel the old message with cancel_sm, and send this message with replace_if_present_flag 0';

function invalid(field: string, detail: string): Rejection {
  return { code: 'invalid_parameter', field, detail };
}

interface Times {
  readonly sendAt?: string | undefined;
  /** In seconds. */
  readonly validity?: number | undefined;
}

const noTimes = ok<Times>({});

/** Relative times count from now, even in the validity_period of a scheduled message. */
function readTimes(pdu: PduOf<'submit_sm'>, { now }: SubmissionReading): Result<Times, Rejection> {
  const { schedule_delivery_time: schedule, validity_period: validity } = pdu;
  if (schedule === '' && validity === '') return noTimes;
  const at = now();
  const sendAt = schedule === '' ? at : resolveTime(schedule, at);
  if (sendAt === undefined) return refused(invalid('schedule_delivery_time', `schedule_delivery_time ${timeForm}`));
  const expiresAt = validity === '' ? at : resolveTime(validity, at);
  if (expiresAt === undefined) return refused(invalid('validity_period', `validity_period ${timeForm}`));
  return ok({
    ...(schedule !== '' && { sendAt: new Date(sendAt).toISOString() }),
    ...(validity !== '' && { validity: Math.round((expiresAt - Math.max(sendAt, at)) / secondMs) }),
  });
}

const timeForm =
  'must be empty or have the form YYMMDDhhmmsstnnp: 260131120000000+ is a time, 000001000000000R is one day from now';

/** Refuses a PDU with a text in both short_message and message_payload, because one of the texts would be lost. */
function octetsOf(pdu: Submission, payload: Uint8Array | undefined): Result<Uint8Array, Rejection> {
  const short = pdu.command === 'submit_sm' ? pdu.short_message : nothing;
  if (payload === undefined || payload.length === 0) return ok(short);
  return short.length === 0 ? ok(payload) : refused({ code: 'invalid_option', fault: 'not_allowed', detail: twoTexts });
}

const nothing = new Uint8Array();
const twoTexts = 'short_message or message_payload must be empty: send the text in one of them';
