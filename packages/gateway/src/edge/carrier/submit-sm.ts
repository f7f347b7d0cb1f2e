import { encodeGsm, partHeader } from '@morsel/gsm';
import type { Ask } from '@morsel/smpp';
import { senderForm, toSender } from '../../core/address.ts';
import type { OutgoingPart } from '../../flow/dispatch.ts';

/** esm_class: the octets begin with a user data header (SMPP 3.4, 5.2.12). */
const esmUserDataHeader = 0x40;
/** data_coding (5.2.19): the carrier's default alphabet, taken to be unpacked GSM 7 bit; and UCS-2. */
const dataCoding = { gsm7: 0x00, ucs2: 0x08 } as const;

/** TON and NPI as carriers expect them (smpp-in-the-wild, 12). */
const addressing = {
  international: { ton: 1, npi: 1 },
  short_code: { ton: 3, npi: 0 },
  alphanumeric: { ton: 5, npi: 0 },
} as const;

/** A part as submit_sm, with a receipt asked for. The validity is ours to keep: not every carrier takes one. */
export function submitSm(part: OutgoingPart): Ask & { readonly command: 'submit_sm' } {
  const form = senderForm(toSender(part.sender));
  const octets = part.composed.parts[part.number - 1] ?? new Uint8Array();
  const header = partHeader(part.composed, part.reference ?? 0, part.number);
  return {
    command: 'submit_sm',
    source_addr_ton: addressing[form].ton,
    source_addr_npi: addressing[form].npi,
    source_addr: form === 'international' ? part.sender.slice(1) : octetsOf(part.sender),
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: part.receiver.slice(1),
    esm_class: header.length === 0 ? 0 : esmUserDataHeader,
    registered_delivery: 1,
    data_coding: dataCoding[part.composed.encoding],
    short_message: header.length === 0 ? octets : joined(header, octets),
  };
}

const latin1Max = 0xff;

/**
 * A name as an address, one octet a character: ASCII and Latin-1 as they are, which is what carriers read there; the Greek
 * capitals of the GSM alphabet by their GSM code.
 */
function octetsOf(name: string): string {
  return Array.from(name, (character) => {
    if (character.charCodeAt(0) <= latin1Max) return character;
    const encoded = encodeGsm(character);
    return encoded.ok ? String.fromCharCode(...encoded.septets) : '?';
  }).join('');
}

function joined(header: Uint8Array, octets: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(header.length + octets.length);
  bytes.set(header);
  bytes.set(octets, header.length);
  return bytes;
}
