/* The fields of a carrier about optional parameters: its own, and vendor's parameters of clients. */

import { tlvName, tlvTable } from '@morsel/smpp';
import type { CarrierProfile } from '../core/routing/carrier-profile.ts';
import { tagMax, vendorTagMin } from '../core/routing/passed-tlvs.ts';
import type { PassTlvs } from '../core/routing/passed-tlvs.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Field } from './fields.ts';

const tlvsMax = 16;
const octetsMax = 255;
/** Tags that a carrier may list: more than any documents. */
const passedMax = 64;

/**
 * Those that say where and what the text is: a message has them as its parts and its carrier's method want it, and twice or two
 * ways at once no carrier can read it (smpp-in-the-wild, 14).
 */
const ours: readonly number[] = [
  tlvTable.sar_msg_ref_num.tag,
  tlvTable.sar_total_segments.tag,
  tlvTable.sar_segment_seqnum.tag,
  tlvTable.message_payload.tag,
  tlvTable.source_port.tag,
  tlvTable.destination_port.tag,
];

const wanted = `it has to be up to ${tlvsMax} of TAG=HEX, such as 0x1400=4a6f, with 1 to ${octetsMax} octets each`;

/** `0x1400=4a6f,5121=00`: what is sent with each message beside what we write ourselves. An empty text is none. */
export const extraTlvs: Field<CarrierProfile['extraTlvs']> = {
  parse: (text) => {
    const entries = text === '' ? [] : text.split(',');
    if (entries.length > tlvsMax) return refused(wanted);
    const read: { tag: number; value: string }[] = [];
    for (const entry of entries) {
      const tlv = readTlv(entry);
      if (!tlv.ok) return tlv;
      const { tag } = tlv.value;
      if (ours.includes(tag)) return refused(`${named(tag)} is ours to write, as long-messages says: leave it out`);
      if (read.some((each) => each.tag === tag)) return refused(`${named(tag)} stands there twice: give it once`);
      read.push(tlv.value);
    }
    return ok(read);
  },
};

const wantedTags = `it must be any, or up to ${passedMax} tags from 0x1400 to 0xffff, such as 0x1400,0x1401; an empty text allows none`;

/** `0x1400,0x1401`: a vendor's optional parameters of clients that this carrier gets. An empty text allows none. */
export const passTlvs: Field<PassTlvs> = {
  parse: (text) => {
    if (text === 'any') return ok(text);
    const entries = text === '' ? [] : text.split(',');
    const tags = entries.map((entry) =>
      /^(\d{1,5}|0x[0-9a-f]{1,4})$/i.test(entry.trim()) ? Number(entry) : Number.NaN,
    );
    const isGood = tags.every((tag) => tag >= vendorTagMin && tag <= tagMax);
    return isGood && tags.length <= passedMax ? ok([...new Set(tags)]) : refused(wantedTags);
  },
};

function readTlv(entry: string): Result<{ tag: number; value: string }, string> {
  const [, left = '', value = ''] = /^\s*(\d{1,5}|0x[0-9a-f]{1,4})\s*=((?:[0-9a-f]{2})+)$/i.exec(entry) ?? [];
  const tag = Number(left);
  if (tag < 1 || tag > tagMax || value.length > 2 * octetsMax) return refused(wanted);
  return ok({ tag, value: value.toLowerCase() });
}

function named(tag: number): string {
  const digits = `0x${tag.toString(16).padStart(4, '0')}`;
  const name = tlvName(tag);
  return name.startsWith('0x') ? digits : `${digits} (${name})`;
}
