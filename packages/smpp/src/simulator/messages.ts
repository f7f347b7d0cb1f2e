import { MESSAGE_STATES } from '../message-state.ts';
import type { EncodableOf, Tlv } from '../pdu.ts';
import type { Ask, Unnumbered } from '../session-contract.ts';
import { writeTlv } from '../tlvs.ts';
import { writeReceipt } from '../write-receipt.ts';
import type { IdForm, InboundPlan, ReceiptPlan } from './magic.ts';

/** The deliver_sm and data_sm that the simulator sends: receipts and messages from phones. */

type Address = { readonly ton: number; readonly npi: number; readonly addr: string };

/** What is kept of a submit_sm until its last receipt is acknowledged. */
export type Submitted = {
  readonly id: number;
  readonly source: Address;
  readonly destination: Address;
  readonly submittedAtMs: number;
  /** The first octets of the text. */
  readonly head: Uint8Array;
};

const ESM_CLASS_UDHI = 0x40;
const DATA_CODING_LATIN1 = 3;
const DATA_CODING_UCS2 = 8;
/** Septets of a part with the 6 octets of its header, one octet each (3GPP TS 23.040 section 9.2.3.24.1). */
const PART_SEPTETS = 153;

/** More than an id has: the rest are zeros in front. */
const ZEROS_DIGITS = 20;

const REPLY = 'Thank you, I have got your message.';
const LONG_REPLY = `${'This is a long answer from a phone, sent in two parts that belong together. '.repeat(3)}The end.`;
const UCS2_REPLY = 'Спасибо, получил 👍';

const SPELLINGS: Record<IdForm, (id: number) => string> = {
  decimal: String,
  hex: (id) => id.toString(16),
  zeros: (id) => String(id).padStart(ZEROS_DIGITS, '0'),
  empty: () => '',
};

/** An id as the carrier spells it here. */
export function spell(id: number, form: IdForm): string {
  return SPELLINGS[form](id);
}

/** The text of a receipt's stat. */
export function statOf(plan: ReceiptPlan): string {
  return plan.stat ?? MESSAGE_STATES[plan.state].stat;
}

export function receiptPdu(
  message: Submitted,
  given: { readonly plan: ReceiptPlan; readonly id: string; readonly doneAtMs: number },
): Ask {
  const { plan, id, doneAtMs } = given;
  const { submittedAtMs, head } = message;
  const error = plan.state === 'DELIVERED' || !MESSAGE_STATES[plan.state].final ? '000' : '001';
  const written = writeReceipt({ id, state: plan.state, submittedAtMs, doneAtMs, error, text: head });
  const form = plan.form ?? 'both';
  const text = Buffer.from(
    Buffer.from(written.short_message)
      .toString('latin1')
      .replace(/ stat:\w+ /, ` stat:${statOf(plan)} `),
    'latin1',
  );
  const esm_class = form === 'bare' ? 0 : written.esm_class;
  const tlvs: readonly Tlv[] = form === 'both' || form === 'tlvs' ? written.tlvs : [];
  const short_message = form === 'tlvs' ? new Uint8Array(0) : text;
  const addresses =
    plan.unswapped === true
      ? between(message.source, message.destination)
      : between(message.destination, message.source);
  if (plan.command !== 'data_sm') return { command: 'deliver_sm', ...addresses, esm_class, short_message, tlvs };
  const payload = writeTlv('message_payload', short_message);
  return { command: 'data_sm', ...addresses, esm_class, tlvs: [...tlvs, payload] };
}

/** What a phone writes back, in one deliver_sm or two; `reference` tells one long message from another. */
export function replyPdus(message: Submitted, plan: InboundPlan, reference: number): InboundPdu[] {
  const addresses = between(message.destination, message.source);
  const octets = plan === 'long' ? Buffer.from(LONG_REPLY, 'latin1') : Buffer.from(REPLY, 'latin1');
  if (plan === 'ucs2') {
    return [{ command: 'deliver_sm', ...addresses, data_coding: DATA_CODING_UCS2, short_message: utf16(UCS2_REPLY) }];
  }
  if (plan === 'short') return [{ command: 'deliver_sm', ...addresses, short_message: octets }];
  const total = Math.ceil(octets.length / PART_SEPTETS);
  return Array.from({ length: total }, (_, index) => ({
    command: 'deliver_sm',
    ...addresses,
    esm_class: ESM_CLASS_UDHI,
    short_message: Buffer.concat([
      Uint8Array.of(5, 0, 3, reference & 0xff, total, index + 1),
      octets.subarray(index * PART_SEPTETS, (index + 1) * PART_SEPTETS),
    ]),
  }));
}

/** A deliver_sm that a phone caused. */
export type InboundPdu = Unnumbered<EncodableOf<'deliver_sm'>> & {
  readonly source_addr: string;
  readonly destination_addr: string;
};

export type Inbound = {
  readonly from: string;
  readonly to: string;
  /** One message: at most 254 octets once encoded. Or give `octets`. */
  readonly text?: string;
  readonly octets?: Uint8Array;
  readonly esm_class?: number;
  /** Default: 0 for text that reads the same in ASCII and GSM, else 8. */
  readonly data_coding?: number;
  /** Whose sessions get it. Default: anyone's. */
  readonly systemId?: string;
};

/** Throws RangeError for a text that its data_coding cannot say. */
export function inboundPdu(inbound: Inbound): InboundPdu {
  const { text, esm_class = 0 } = inbound;
  const data_coding = inbound.data_coding ?? (text === undefined || isPlain(text) ? 0 : DATA_CODING_UCS2);
  const short_message = inbound.octets ?? toOctets(text ?? '', data_coding);
  return {
    command: 'deliver_sm',
    ...between(addressOf(inbound.from), addressOf(inbound.to)),
    esm_class,
    data_coding,
    short_message,
  };
}

function between(
  source: Address,
  destination: Address,
): {
  readonly source_addr_ton: number;
  readonly source_addr_npi: number;
  readonly source_addr: string;
  readonly dest_addr_ton: number;
  readonly dest_addr_npi: number;
  readonly destination_addr: string;
} {
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.addr,
    dest_addr_ton: destination.ton,
    dest_addr_npi: destination.npi,
    destination_addr: destination.addr,
  };
}

const SHORT_CODE_DIGITS_MAX = 6;

/** International 1/1, short code 3/0, alphanumeric 5/0. */
function addressOf(text: string): Address {
  const addr = text.replace(/^\+/, '');
  if (!/^\d+$/.test(addr)) return { ton: 5, npi: 0, addr };
  return addr.length > SHORT_CODE_DIGITS_MAX ? { ton: 1, npi: 1, addr } : { ton: 3, npi: 0, addr };
}

function toOctets(text: string, data_coding: number): Uint8Array {
  if (data_coding === DATA_CODING_UCS2) return utf16(text);
  if (isPlain(text) || (data_coding === DATA_CODING_LATIN1 && isLatin1(text))) return Buffer.from(text, 'latin1');
  throw new RangeError('the text is not plain: give data_coding 8, or its octets');
}

/** Characters that have the same code in ASCII and in the GSM default alphabet (3GPP TS 23.038 section 6.2.1). */
function isPlain(text: string): boolean {
  return /^[\n\r !"#%&'()*+,\-./0-9:;<=>?A-Za-z]*$/.test(text);
}

function isLatin1(text: string): boolean {
  return Buffer.from(text, 'latin1').toString('latin1') === text;
}

function utf16(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16();
}
