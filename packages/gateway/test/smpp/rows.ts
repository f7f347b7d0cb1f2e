/* Requests as rows of a table: the request, and its refusal. */

import { tlvTable, writeTlv, type StatusName, type Tlv } from '@morsel/smpp';
import type { Tail } from '../support/clients/raw-smpp.ts';

/** A submit_sm that would be accepted, except for these fields and TLVs. */
export interface Row extends Tail {
  /** The system_id, if not acme. */
  readonly by?: string;
  /** The command, if not submit_sm. */
  readonly command?: 'data_sm' | 'query_sm' | 'cancel_sm';
  readonly [field: string]: unknown;
}

/** A name, the request, and the answer. */
export type Refused = readonly [string, Row, StatusName, string];

export function tlv(name: keyof typeof tlvTable, hex: string): Tlv {
  return { tag: tlvTable[name].tag, value: Buffer.from(hex, 'hex') };
}

export function octets(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}

export function sar(reference: number, total: number, number: number): readonly Tlv[] {
  return [
    writeTlv('sar_msg_ref_num', reference),
    writeTlv('sar_total_segments', total),
    writeTlv('sar_segment_seqnum', number),
  ];
}

/** The whole text in message_payload, and none in short_message. */
export const payload = writeTlv('message_payload', Buffer.from('Hello'));
export const dataSm = { command: 'data_sm', tlvs: [payload] } as const;
export const empty = { short_message: Buffer.alloc(0) };
export const userDataHeader = 0x40;
