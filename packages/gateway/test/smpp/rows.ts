/* Requests as rows of a table: what is asked for, and how that is refused. */

import { tlvTable, writeTlv } from '@morsel/smpp';
import type { StatusName, Tlv } from '@morsel/smpp';
import type { Tail } from '../support/raw-smpp.ts';

/** A submit_sm that would be taken, but for these fields and what stands behind them. */
export interface Row extends Tail {
  /** Not acme. */
  readonly by?: string;
  /** Not submit_sm. */
  readonly command?: 'data_sm' | 'query_sm' | 'cancel_sm';
  readonly [field: string]: unknown;
}

/** What it is, what is asked for, and how that is answered. */
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
