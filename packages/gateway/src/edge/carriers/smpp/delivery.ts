import { readReceipt, readTlv, type PduOf, type Receipt } from '@morsel/smpp';
import { internationalOf } from '../../../core/number/number-plan.ts';
import { isEnd, type CarrierState } from '../../../core/message/receipt.ts';
import type { Ports } from '../../../core/message/inbound.ts';
import type { Delivery, InboundDelivery } from '../../../flow/message/receive.ts';

/* Reads a carrier's deliver_sm or data_sm: a delivery receipt or an inbound message. */

/** Types of number (SMPP 3.4, 5.2.5). */
const tonNational = 2;
const tonNetworkSpecific = 3;
const tonAlphanumeric = 5;
const tonAbbreviated = 6;
const tonInternational = 1;

const shortCodeMax = 8;
/** An address with fewer than 7 digits is a short code, whatever its type of number. */
const internationalMin = 7;

const portMax = 0xffff;

/** In the text of a receipt, `err:000` and other zeros mean no error. */
const noError = /^0*$/;

/**
 * Never reads a receipt as an inbound message, nor the reverse (O4). `home` is the country code of the carrier's
 * settings, for numbers that the carrier writes without one; null if none is set.
 */
export function parseDelivery(pdu: PduOf<'deliver_sm' | 'data_sm'>, home: string | null = null): Delivery {
  const receipt = readReceipt(pdu);
  if (!receipt) return readMessage(pdu, home);
  const isMarked = receipt.evidence !== 'text';
  if (!isMarked && !beginsAsReceipt(pdu)) return readMessage(pdu, home);
  return {
    kind: 'receipt',
    id: receipt.id ?? '',
    state: stateOf(receipt),
    errorCode: noError.test(receipt.error ?? '') ? null : (receipt.error ?? null),
    // In a receipt the addresses are swapped: its source is the message's receiver.
    sender: readAddress(pdu.destination_addr, pdu.dest_addr_ton),
    receiver: readAddress(pdu.source_addr, pdu.source_addr_ton),
    ...(!isMarked && { orInbound: readMessage(pdu, home) }),
  };
}

function readMessage(pdu: PduOf<'deliver_sm' | 'data_sm'>, home: string | null): InboundDelivery {
  return {
    kind: 'inbound',
    ...readEnds(pdu, home),
    dataCoding: pdu.data_coding,
    esmClass: pdu.esm_class,
    // The octets are copied, because they are views of the read buffer, which is used again before the command is stored.
    octets: Uint8Array.from(octetsOf(pdu)),
    sar: {
      reference: readTlv(pdu, 'sar_msg_ref_num'),
      total: readTlv(pdu, 'sar_total_segments'),
      number: readTlv(pdu, 'sar_segment_seqnum'),
    },
    ports: portsOf(pdu),
  };
}

interface End {
  readonly address: string;
  readonly ton: number;
}

/**
 * In the form that the gateway stores. A carrier's national number has the national type, or a leading zero. Its
 * country code is that of the settings, otherwise that of the other address.
 */
function readEnds(pdu: PduOf<'deliver_sm' | 'data_sm'>, home: string | null): { sender: string; receiver: string } {
  const phone = { address: pdu.source_addr, ton: pdu.source_addr_ton };
  const ours = { address: pdu.destination_addr, ton: pdu.dest_addr_ton };
  const isPhoneNational = isNational(phone);
  const isOursNational = isNational(ours) && !isShortCode(ours);
  const besidePhone = home ?? (isOursNational ? undefined : countryOf(ours));
  const besideOurs = home ?? (isPhoneNational ? undefined : countryOf(phone));
  return {
    sender: isPhoneNational ? readNational(phone, besidePhone) : readAddress(phone.address, phone.ton),
    receiver: isOursNational ? readNational(ours, besideOurs) : readAddress(ours.address, ours.ton),
  };
}

function isNational({ address, ton }: End): boolean {
  return (
    /^\+?\d{7,15}$/.test(address) &&
    !/^(\+|00)[1-9]/.test(address) &&
    (ton === tonNational || address.replace('+', '').startsWith('0'))
  );
}

/** Short codes of a network may begin with a zero, and an alphanumeric sender may consist of digits. */
function isShortCode({ address, ton }: End): boolean {
  if (ton === tonNetworkSpecific || ton === tonAbbreviated || ton === tonAlphanumeric) return true;
  return ton !== tonNational && address.length <= shortCodeMax;
}

function countryOf({ address, ton }: End): string | undefined {
  const read = readAddress(address, ton);
  return read.startsWith('+') ? read.slice(1) : undefined;
}

function readNational({ address, ton }: End, beside: string | undefined): string {
  const whole = beside === undefined ? undefined : internationalOf(address.replace('+', ''), beside);
  return whole === undefined ? readAddress(address, ton) : `+${whole}`;
}

/** The text of every known receipt begins with one of these keys, such as `id:`. */
const receiptBegins = /^\s*(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err) ?:/i;
const beginningMax = 32;

/**
 * Only for receipts that neither esm_class nor a TLV marks. If a person forwards a receipt, other words or a user data
 * header come before the keys. A forged one has no effect without a sent message (store/decide/message/receipt.ts).
 */
function beginsAsReceipt(pdu: PduOf<'deliver_sm' | 'data_sm'>): boolean {
  // Removing the NULs makes ASCII out of UTF-16 that holds only ASCII characters.
  const beginning = String.fromCharCode(...octetsOf(pdu).subarray(0, beginningMax)).replaceAll('\0', '');
  return receiptBegins.test(beginning);
}

/** Null unless the PDU has valid source and destination ports. */
function portsOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): Ports | null {
  const destination = readTlv(pdu, 'destination_port');
  const source = readTlv(pdu, 'source_port');
  if (destination === undefined || source === undefined || destination > portMax || source > portMax) return null;
  return { destination, source };
}

/** An intermediate notification may have any state, even a final one (SMPP 3.4, section 5.2.12). */
function stateOf(receipt: Receipt): CarrierState | null {
  if (receipt.state === undefined) return null;
  return receipt.final || !isEnd(receipt.state) ? receipt.state : 'ENROUTE';
}

function octetsOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): Uint8Array {
  if (pdu.command === 'deliver_sm' && pdu.short_message.length > 0) return pdu.short_message;
  return readTlv(pdu, 'message_payload') ?? new Uint8Array();
}

/** In the form that the gateway stores: `+` and digits, a short code, or a name. */
export function readAddress(address: string, ton: number): string {
  const digits = address.replace(/^\+|^00(?=\d{7})/, '');
  if (ton === tonAlphanumeric || !/^\d+$/.test(digits)) return address;
  if (ton === tonNetworkSpecific || ton === tonAbbreviated) return digits;
  if (digits.length < internationalMin) return digits;
  return ton === tonInternational || digits.length > shortCodeMax ? `+${digits}` : digits;
}
