import {
  buildHeader,
  concatenationOf,
  decodeGsm,
  encodeGsm,
  fillBitsAfter,
  nationalOf,
  packSeptets,
  partHeader,
} from '@morsel/gsm';
import {
  dataCoding,
  EncodeError,
  esmClass,
  formatAbsoluteTime,
  formatRelativeTime,
  writeTlv,
  type Ask,
  type Tlv,
} from '@morsel/smpp';
import { senderForm, toSender } from '../../../core/number/address.ts';
import type { SmppProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { joined, type Composition } from '../../../core/message/client-encoded-part.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { OutgoingPart } from '../../../flow/routing/carrier-link.ts';

/* Writes a part of a message as submit_sm in the form that the carrier wants. */

export type SubmitSm = Ask & { readonly command: 'submit_sm' };

/** The shortest validity_period that is sent to a carrier, even if the message has expired. */
const validityMinMs = 1_000;

/** Throws EncodeError if the carrier's form cannot express the part, such as a character that its alphabet lacks. */
export function submitSm(part: OutgoingPart, profile: SmppProfile, now: Instant): SubmitSm {
  const form = senderForm(toSender(part.sender));
  const source = profile[sourceTypes[form]];
  const header = headerOf(part, profile);
  const octets = octetsOf(part, profile, header.length);
  const options = optionsOf(part, profile, octets);
  return {
    command: 'submit_sm',
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: form === 'international' ? numberAs(part.sender, profile) : nameOctets(part.sender),
    dest_addr_ton: profile.receiverNumber.ton,
    dest_addr_npi: profile.receiverNumber.npi,
    destination_addr: numberAs(part.receiver, profile),
    esm_class: header.length === 0 ? 0 : esmClass.userDataHeader,
    registered_delivery: profile.registeredDelivery,
    data_coding: dataCodingOf(part, profile),
    validity_period: validityOf(part, profile, now),
    short_message: part.isWhole ? nothing : header.length === 0 ? octets : joined(header, octets),
    tlvs: options,
  };
}

const sourceTypes = {
  international: 'senderInternational',
  short_code: 'senderShortCode',
  alphanumeric: 'senderAlphanumeric',
} as const;

/** Writes an international number in the form that the carrier wants. The gateway stores such a number as `+` and digits. */
function numberAs(number: string, { numberForm }: SmppProfile): string {
  switch (numberForm) {
    case 'bare':
      return number.slice(1);
    case 'plus':
      return number;
    case 'zeros':
      return `00${number.slice(1)}`;
  }
}

/** The data_coding of the part: its alphabet and, for a flash message, class 0 (3GPP TS 23.038, section 4). */
function dataCodingOf({ composed, flash }: OutgoingPart, profile: SmppProfile): number {
  if (composed.encoding === 'binary') return flash ? binaryFlashDataCoding : dataCoding.binary;
  if (composed.encoding === 'gsm7') return flash ? profile.gsmFlashDataCoding : profile.gsmDataCoding;
  return flash ? profile.ucsFlashDataCoding : profile.ucsDataCoding;
}

/** Binary data with message class 0 (3GPP TS 23.038, section 4). */
const binaryFlashDataCoding = 0x14;

/** The user data header of the part. The header has no concatenation element if SAR TLVs carry the part's number. */
function headerOf(part: OutgoingPart, { longMessages }: SmppProfile): Uint8Array {
  const { composed } = part;
  if (composed.clientEncoded) return clientHeader(composed, longMessages);
  const needsNoPlace = part.isWhole || longMessages === 'sar';
  return partHeader(needsNoPlace ? { ...composed, numParts: 1 } : composed, part.reference ?? 0, part.number);
}

/** Keeps the client's concatenation reference, even for carriers that want long messages in one submit_sm. */
function clientHeader({ header }: Composition, longMessages: SmppProfile['longMessages']): Uint8Array {
  const kept = longMessages === 'sar' ? header.filter(({ kind }) => kind !== 'concatenation') : header;
  return kept.length === 0 ? nothing : buildHeader(kept);
}

function octetsOf(part: OutgoingPart, profile: SmppProfile, headerOctets: number): Uint8Array {
  const { composed, number } = part;
  const plain = part.isWhole ? Buffer.concat(composed.parts) : (composed.parts[number - 1] ?? nothing);
  if (composed.encoding === 'binary') return plain;
  if (composed.encoding === 'ucs2') return profile.ucsCoding === 'ucs2' ? plain : swapped(plain);
  switch (profile.gsmCoding) {
    case 'gsm7':
      return plain;
    case 'gsm7-packed':
      return packSeptets(plain, fillBitsAfter(headerOctets));
    case 'latin1':
      return recoded(plain, latin1Max, composed);
    case 'ascii':
      return recoded(plain, asciiMax, composed);
  }
}

function optionsOf(part: OutgoingPart, profile: SmppProfile, octets: Uint8Array): readonly Tlv[] {
  const sar = !part.isWhole && profile.longMessages === 'sar' ? placeOf(part) : undefined;
  const extras = part.extras ?? [];
  if (!part.isWhole && !sar && extras.length === 0 && profile.extraTlvs.length === 0) return noOptions;
  const { passTlvs } = profile;
  if (passTlvs !== 'any' && !extras.every(({ tag }) => passTlvs.includes(tag)))
    throw new EncodeError('tlvs', 'the carrier does not accept a TLV that the client gave');
  // A TLV that the client gave replaces the carrier's default TLV with the same tag.
  const own = profile.extraTlvs.filter(({ tag }) => !extras.some((each) => each.tag === tag));
  return [
    ...(part.isWhole ? [writeTlv('message_payload', octets)] : []),
    ...(sar
      ? [
          writeTlv('sar_msg_ref_num', part.reference ?? 0),
          writeTlv('sar_total_segments', sar.total),
          writeTlv('sar_segment_seqnum', sar.number),
        ]
      : []),
    ...own.map(({ tag, value }) => ({ tag, value: Buffer.from(value, 'hex') })),
    ...extras.map(({ tag, octets: value }) => ({ tag, value: Buffer.from(value, 'hex') })),
  ];
}

function placeOf({ composed, number }: OutgoingPart): { readonly total: number; readonly number: number } | undefined {
  if (composed.clientEncoded) return concatenationOf(composed.header);
  return composed.numParts > 1 ? { total: composed.numParts, number } : undefined;
}

function validityOf(part: OutgoingPart, { validityForm }: SmppProfile, now: Instant): string {
  switch (validityForm) {
    case 'none':
      return '';
    case 'relative':
      return formatRelativeTime(Math.max(validityMinMs, part.expiresAt - now));
    case 'absolute':
      return formatAbsoluteTime(Math.max(now + validityMinMs, part.expiresAt));
  }
}

const asciiMax = 0x7f;
const latin1Max = 0xff;
const nothing = new Uint8Array();
const noOptions: readonly Tlv[] = [];

/**
 * Writes one octet for each character; no character is replaced (A6). Refuses a client's text with a national language
 * table, because the phone would decode the octets with that table.
 */
function recoded(septets: Uint8Array, codeMax: number, { header }: Pick<Composition, 'header'>): Uint8Array {
  const { locking, single } = nationalOf(header);
  if (locking || single)
    throw new EncodeError(
      'short_message',
      'the text uses a national language table, which the carrier does not support',
    );
  const text = decodeGsm(septets);
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > codeMax) {
      throw new EncodeError('short_message', "the carrier's alphabet lacks a character of the text");
    }
  }
  return Buffer.from(text, 'latin1');
}

function swapped(octets: Uint8Array): Uint8Array {
  return Buffer.from(octets).swap16();
}

/** ASCII and Latin-1 characters keep their codes, because carriers expect this. Greek capitals become GSM codes. */
export function nameOctets(name: string): string {
  return Array.from(name, (character) => {
    if (character.charCodeAt(0) <= latin1Max) return character;
    const encoded = encodeGsm(character);
    return encoded.ok ? String.fromCharCode(...encoded.septets) : '?';
  }).join('');
}
