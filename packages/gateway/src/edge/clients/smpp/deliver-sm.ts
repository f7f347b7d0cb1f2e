import { esmClass, statuses, writeReceipt, writeTlv, type Ask, type Tlv, type Version } from '@morsel/smpp';
import type { DefaultCoding, SmppLong } from '@morsel/api/values/account.ts';
import type { MessageId } from '../../../core/base/message-id.ts';
import type {
  InboundNotification,
  Notification,
  ReceiptNotification,
} from '../../../core/notification/notification.ts';
import { nameOctets } from '../../carriers/smpp/submit-sm.ts';
import { cutUserData, encodeInbound, shortMessageMax, wholeUserData } from './cut-user-data.ts';
import { messageStates } from './message-states.ts';

/* Writes notifications as deliver_sm for client sessions. */

export type DeliverSm = Ask & { readonly command: 'deliver_sm' };

/** The SMPP version and alphabet of a client session, and how its account wants long messages. */
export interface DeliverForm {
  readonly version: Version;
  readonly dataCoding0: DefaultCoding;
  readonly long: SmppLong;
}

/**
 * The vendor TLV with the msgId of an inbound message, as a C-octet string. SMPP has no field for it. The msgId lets a
 * client recognize a repeated message (O2). Tags 0x1400 to 0x3FFF are for vendors (SMPP 3.4, section 5.3.2).
 */
export const messageIdTag = 0x1600;

/** Only clients that bound with SMPP 3.4 or later get TLVs (SMPP 3.4, section 3.4). */
const hasTlvs = ({ version }: DeliverForm) => version >= 0x34;

/**
 * Writes one deliver_sm for each part of a long message; the client must acknowledge all. Returns undefined for a
 * notification that deliver_sm cannot express, such as an alert.
 */
export function deliverSm(notification: Notification, form: DeliverForm): readonly DeliverSm[] | undefined {
  switch (notification.kind) {
    case 'inbound':
      return inboundPdus(notification, notification.id, form);
    case 'receipt':
      return [receiptPdu(notification, form)];
    case 'alert':
      return undefined;
  }
}

const referenceMask = 0xff;

/**
 * The reference of the parts is the low octet of the notification's id, so a repeat has the same one. All parts are
 * sent long before it is used again for the same numbers.
 */
function inboundPdus(
  notification: InboundNotification,
  id: number,
  form: DeliverForm,
): readonly DeliverSm[] | undefined {
  const data = encodeInbound(notification, form.dataCoding0);
  const whole = wholeUserData(data);
  const base = {
    command: 'deliver_sm',
    ...sourceOf(notification.sender),
    ...destinationOf(notification.receiver),
    data_coding: data.dataCoding,
  } as const;
  const tlvs = hasTlvs(form) ? [messageIdTlv(notification.msgId)] : [];
  const esm_class = data.header.length === 0 ? 0 : esmClass.userDataHeader;
  if (whole.length <= shortMessageMax) return [{ ...base, esm_class, short_message: whole, tlvs }];
  if (hasTlvs(form) && form.long === 'payload') {
    return [{ ...base, esm_class, tlvs: [...tlvs, writeTlv('message_payload', whole)] }];
  }
  const parts = cutUserData(data, id & referenceMask);
  return parts?.map((part) => ({ ...base, esm_class: esmClass.userDataHeader, short_message: part, tlvs }));
}

function messageIdTlv(id: MessageId): Tlv {
  return { tag: messageIdTag, value: Buffer.from(`${id}\0`, 'latin1') };
}

/** The source address is the message's receiver. The text is ASCII for every account, because clients expect that. */
function receiptPdu(notification: ReceiptNotification, form: DeliverForm): DeliverSm {
  const error = errorOf(notification);
  const { numParts, deliveredParts } = notification;
  const written = writeReceipt({
    id: String(notification.msgId),
    state: messageStates[notification.event],
    submittedAtMs: notification.sendTime,
    doneAtMs: notification.eventAt,
    parts: { submitted: numParts, delivered: deliveredParts },
    ...error,
  });
  return {
    command: 'deliver_sm',
    ...sourceOf(notification.receiver),
    ...destinationOf(notification.sender),
    esm_class: written.esm_class,
    short_message: written.short_message,
    tlvs: hasTlvs(form) ? [...written.tlvs, ...userReferenceOf(notification)] : [],
  };
}

const referenceMax = 0xffff;

/** Repeats the user_message_reference of the submit_sm, which the gateway stores as clientRef. */
function userReferenceOf({ clientRef }: ReceiptNotification): readonly Tlv[] {
  if (clientRef === null || !/^\d{1,5}$/.test(clientRef) || Number(clientRef) > referenceMax) return [];
  return [writeTlv('user_message_reference', Number(clientRef))];
}

/** The network type (SMPP 3.4, section 5.3.2.31): carriers send error codes of GSM networks. */
const gsmNetwork = 3;
const codeMax = 0xffff;
const textCodeMax = 999;

/**
 * A numeric code is written into the text and network_error_code, if it is not too large. The command_status of a
 * refused submit_sm is written only into the text. Other error codes are left out.
 */
function errorOf({
  event,
  errorCode,
}: ReceiptNotification): Pick<Parameters<typeof writeReceipt>[0], 'error' | 'networkError'> {
  if (errorCode === null || event === 'delivered') return {};
  if (/^\d{1,5}$/.test(errorCode)) {
    const code = Number(errorCode);
    const text = code <= textCodeMax ? { error: threeDigits(code) } : {};
    return code <= codeMax ? { ...text, networkError: { type: gsmNetwork, code } } : text;
  }
  const status = Object.entries(statuses).find(([name]) => name === errorCode)?.[1];
  return status === undefined || status > textCodeMax ? {} : { error: threeDigits(status) };
}

function threeDigits(code: number): string {
  return String(code).padStart(3, '0');
}

interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly octets: string;
}

/** An international number without `+`, a short code, or an alphanumeric sender. */
function addressOf(address: string): Address {
  if (/^\+\d+$/.test(address)) return { ton: 1, npi: 1, octets: address.slice(1) };
  if (/^\d+$/.test(address)) return { ton: 3, npi: 0, octets: address };
  return { ton: 5, npi: 0, octets: nameOctets(address) };
}

function sourceOf(address: string) {
  const { ton, npi, octets } = addressOf(address);
  return { source_addr_ton: ton, source_addr_npi: npi, source_addr: octets } as const;
}

function destinationOf(address: string) {
  const { ton, npi, octets } = addressOf(address);
  return { dest_addr_ton: ton, dest_addr_npi: npi, destination_addr: octets } as const;
}
