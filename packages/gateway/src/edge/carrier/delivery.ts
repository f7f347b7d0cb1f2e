import { readReceipt, readTlv } from '@morsel/smpp';
import type { PduOf, Receipt } from '@morsel/smpp';
import { internationalOf } from '../../core/number/number-plan.ts';
import { isEnd } from '../../core/message/receipt.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { Ports } from '../../core/message/inbound.ts';
import type { Delivery, InboundDelivery } from '../../flow/message/receive.ts';

/** Types of number (SMPP 3.4, 5.2.5) that are not international numbers whatever their length. */
const tonNational = 2;
const tonNetworkSpecific = 3;
const tonAlphanumeric = 5;
const tonAbbreviated = 6;
const tonInternational = 1;

const shortCodeMax = 8;
/** Fewer digits are a short code, whatever their type of number says (decisions, section 1). */
const internationalMin = 7;

const portMax = 0xffff;

/** `err:000` and its kin say that there was no error. */
const noError = /^0*$/;

/**
 * What a deliver_sm or data_sm of a carrier is. A receipt is never taken for a message, nor the reverse (O4). `home` is the
 * country code of numbers that the carrier writes without one, if that was set.
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
    // A receipt goes from the phone back to the sender.
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
    // The PDU's octets are views of what was read; the command outlives the read.
    octets: Uint8Array.from(octetsOf(pdu)),
    sar: {
      reference: readTlv(pdu, 'sar_msg_ref_num'),
      total: readTlv(pdu, 'sar_total_segments'),
      number: readTlv(pdu, 'sar_segment_seqnum'),
    },
    ports: portsOf(pdu),
  };
}

/** An address as its carrier wrote it. */
interface End {
  readonly address: string;
  readonly ton: number;
}

/**
 * Who wrote and to which number, each in the form in which it is kept, also where the carrier names it as its own country
 * does (smpp-in-the-wild, 12): by its type of number, or with the zero that no international number begins with. Its country
 * is the carrier's, where that was set, and the other's otherwise.
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

/** Codes of a network may begin with a zero, too; names may be digits. */
function isShortCode({ address, ton }: End): boolean {
  if (ton === tonNetworkSpecific || ton === tonAbbreviated || ton === tonAlphanumeric) return true;
  return ton !== tonNational && address.length <= shortCodeMax;
}

/** An international number begins with the code of its country. */
function countryOf({ address, ton }: End): string | undefined {
  const read = readAddress(address, ton);
  return read.startsWith('+') ? read.slice(1) : undefined;
}

function readNational({ address, ton }: End, beside: string | undefined): string {
  const whole = beside === undefined ? undefined : internationalOf(address.replace('+', ''), beside);
  return whole === undefined ? readAddress(address, ton) : `+${whole}`;
}

/** How the text of every receipt that we know begins, in one octet a character or two. */
const receiptBegins = /^\s*(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err) ?:/i;
const beginningMax = 32;

/**
 * Whether what has the keys of a receipt, and nothing else to say that it is one, begins like one. Where a person shows a
 * receipt to another, words stand before it, or the header of a part (smpp-in-the-wild, 20); where one is forged, what it
 * names tells (store/decide/message/receipt.ts).
 */
function beginsAsReceipt(pdu: PduOf<'deliver_sm' | 'data_sm'>): boolean {
  // ASCII in UTF-16 is ASCII with NULs between.
  const beginning = String.fromCharCode(...octetsOf(pdu).subarray(0, beginningMax)).replaceAll('\0', '');
  return receiptBegins.test(beginning);
}

/** Both or none: half an address leads nowhere. */
function portsOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): Ports | null {
  const destination = readTlv(pdu, 'destination_port');
  const source = readTlv(pdu, 'source_port');
  if (destination === undefined || source === undefined || destination > portMax || source > portMax) return null;
  return { destination, source };
}

/** An intermediate notification may name any state: only a final receipt ends a part (SMPP 3.4, 5.2.12). */
function stateOf(receipt: Receipt): CarrierState | null {
  if (receipt.state === undefined) return null;
  return receipt.final || !isEnd(receipt.state) ? receipt.state : 'ENROUTE';
}

function octetsOf(pdu: PduOf<'deliver_sm' | 'data_sm'>): Uint8Array {
  if (pdu.command === 'deliver_sm' && pdu.short_message.length > 0) return pdu.short_message;
  return readTlv(pdu, 'message_payload') ?? new Uint8Array();
}

/** A carrier's address in the form in which we keep ours: `+` and digits, a short code, or a name. */
export function readAddress(address: string, ton: number): string {
  const digits = address.replace(/^\+|^00(?=\d{7})/, '');
  if (ton === tonAlphanumeric || !/^\d+$/.test(digits)) return address;
  if (ton === tonNetworkSpecific || ton === tonAbbreviated) return digits;
  if (digits.length < internationalMin) return digits;
  return ton === tonInternational || digits.length > shortCodeMax ? `+${digits}` : digits;
}
