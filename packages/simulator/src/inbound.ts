import { compose, partHeader } from '@morsel/gsm';
import { dataCoding, esmClass, type EncodableOf, type Unnumbered } from '@morsel/smpp';
import { type Submitted, addressOf, between } from './addresses.ts';

/* Builds inbound messages (mobile-originated, MO): those that a test requests, and replies of receivers. */

/** An inbound message, or one part of it. */
export interface InboundPdu extends Unnumbered<EncodableOf<'deliver_sm'>> {
  readonly source_addr: string;
  readonly destination_addr: string;
}

/** Has either `text` or `octets`. */
export interface Inbound {
  /** Default: the receiver of the newest submitted message, as if that phone replied. */
  readonly from?: string;
  /** Default: the sender of the newest submitted message. */
  readonly to?: string;
  /** The text, which is split into several parts if it is long. */
  readonly text?: string;
  /** The octets of one message, or of one part of it. */
  readonly octets?: Uint8Array;
  /** Default: 0. */
  readonly esm_class?: number;
  /** Default: 0. */
  readonly data_coding?: number;
  /** The client that gets the message; default: any client. */
  readonly systemId?: string;
}

/** The default addresses before the first submitted message: the numbers of the example in the README. */
const firstFrom = '+41791234567';
const firstTo = '+41791112233';

type Part = Pick<InboundPdu, 'esm_class' | 'data_coding' | 'short_message'>;
type Newest = Pick<Submitted, 'source' | 'destination'> | undefined;

/** One or several deliver_sm. Throws RangeError if the text needs more than 255 parts or cannot be sent. */
export function inboundPdus(
  inbound: Inbound,
  { newest, reference }: { readonly newest: Newest; readonly reference: number },
): InboundPdu[] {
  const source = inbound.from === undefined ? newest?.destination : addressOf(inbound.from);
  const destination = inbound.to === undefined ? newest?.source : addressOf(inbound.to);
  const addresses = between(source ?? addressOf(firstFrom), destination ?? addressOf(firstTo));
  return partsOf(inbound, reference).map((part) => ({ command: 'deliver_sm', ...addresses, ...part }));
}

function partsOf({ text = '', octets, esm_class = 0, data_coding = 0 }: Inbound, reference: number): Part[] {
  if (octets !== undefined) return [{ esm_class, data_coding, short_message: octets }];
  const composed = compose(text, isPlain(text) ? 'GSM' : 'UCS');
  if (!composed.ok) {
    throw new RangeError(
      composed.reason === 'parts'
        ? `text needs ${composed.numParts} parts; the maximum is ${composed.maxParts}`
        : `text has a character at position ${composed.position} that cannot be sent; remove it`,
    );
  }
  const coding = composed.encoding === 'ucs2' ? { data_coding: dataCoding.ucs2 } : {};
  return composed.parts.map((part, index) => ({
    ...withHeader(partHeader(composed, reference & 0xff, index + 1), part),
    ...coding,
  }));
}

function withHeader(header: Uint8Array, part: Uint8Array): Part {
  if (header.length === 0) return { short_message: part };
  return { esm_class: esmClass.userDataHeader, short_message: Buffer.concat([header, part]) };
}

/** Whether all characters are in ASCII and in the GSM default alphabet (3GPP TS 23.038 section 6.2.1). */
function isPlain(text: string): boolean {
  return /^[\n\r !"#%&'()*+,\-./0-9:;<=>?A-Za-z]*$/.test(text);
}
