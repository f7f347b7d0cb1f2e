import { readReceipt, type PduOf, type Receipt } from '@morsel/smpp';
import type { SmppProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { internationalOf } from '../../../core/number/number-plan.ts';
import { isEnd, type CarrierState } from '../../../core/message/receipt.ts';
import type { Inbound } from '../../../core/message/inbound.ts';
import type { Delivery } from '../../../flow/routing/carrier-link.ts';
import { octetsIn, readUserData } from './user-data.ts';

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

/** In the text of a receipt, `err:000` and other zeros mean no error. */
const noError = /^0*$/;

/** The settings that say how a carrier writes its deliveries. */
export type DeliverySettings = Pick<SmppProfile, 'countryCode' | 'inboundCodings' | 'textReceipts'>;

/**
 * Never reads a receipt as an inbound message, nor the reverse (O4). Anybody can type the text of a receipt, so without
 * a mark it is one only if the carrier's setting says so. `countryCode` is for numbers that the carrier writes without
 * one; null if none is set.
 */
export function parseDelivery(pdu: PduOf<'deliver_sm' | 'data_sm'>, settings: DeliverySettings): Delivery {
  const receipt = readReceipt(pdu);
  if (!receipt) return readMessage(pdu, settings);
  const said = {
    kind: 'receipt',
    carrierIds: receipt.id === undefined ? [] : [receipt.id],
    state: stateOf(receipt),
    reason: null,
    code: noError.test(receipt.error ?? '') ? null : (receipt.error ?? null),
  } as const;
  if (receipt.evidence !== 'text') {
    // In a receipt the addresses are swapped: its source is the message's receiver.
    const sender = readAddress(pdu.destination_addr, pdu.dest_addr_ton);
    return { ...said, isMarked: true, sender, receiver: readAddress(pdu.source_addr, pdu.source_addr_ton) };
  }
  if (!beginsAsReceipt(pdu)) return readMessage(pdu, settings);
  if (settings.textReceipts !== 'on') return { ...readMessage(pdu, settings), looksLikeReceipt: true };
  const { sender: receiver, receiver: sender } = readEnds(pdu, settings.countryCode);
  return { ...said, isMarked: false, sender, receiver };
}

function readMessage(
  pdu: PduOf<'deliver_sm' | 'data_sm'>,
  { countryCode, inboundCodings }: DeliverySettings,
): Inbound & { readonly kind: 'inbound' } {
  return {
    kind: 'inbound',
    ...readEnds(pdu, countryCode),
    code: pdu.data_coding,
    ...readUserData(pdu, inboundCodings),
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
 * header come before the keys. A forged one has no effect without a sent message (state/decide/message/match.ts).
 */
function beginsAsReceipt(pdu: PduOf<'deliver_sm' | 'data_sm'>): boolean {
  // Removing the NULs makes ASCII out of UTF-16 that holds only ASCII characters.
  const beginning = String.fromCharCode(...octetsIn(pdu).subarray(0, beginningMax)).replaceAll('\0', '');
  return receiptBegins.test(beginning);
}

/** An intermediate notification may have any state, even a final one (SMPP 3.4, section 5.2.12). */
function stateOf(receipt: Receipt): CarrierState | null {
  if (receipt.state === undefined) return null;
  return receipt.final || !isEnd(receipt.state) ? receipt.state : 'ENROUTE';
}

/** In the form that the gateway stores: `+` and digits, a short code, or a name. */
export function readAddress(address: string, ton: number): string {
  const digits = address.replace(/^\+|^00(?=\d{7})/, '');
  if (ton === tonAlphanumeric || !/^\d+$/.test(digits)) return address;
  if (ton === tonNetworkSpecific || ton === tonAbbreviated) return digits;
  if (digits.length < internationalMin) return digits;
  return ton === tonInternational || digits.length > shortCodeMax ? `+${digits}` : digits;
}
