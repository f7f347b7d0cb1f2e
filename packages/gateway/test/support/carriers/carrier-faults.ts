import {
  commands,
  esmClass,
  headerLength,
  statuses,
  writeTlv,
  type Ask,
  type MessageState,
  type PduOf,
} from '@morsel/smpp';
import type { Behaviour, ConnectionEnd, ReceiptPlan } from '@morsel/simulator';

/*
 * Faults of carriers that only tests need, by the last four digits of the receiver, beside the endings of the simulator:
 * answers that no encoder writes, connections that end, and rare forms of receipts, ids and inbound messages.
 */

export interface CarrierFault extends Behaviour {
  readonly about: string;
}

type Octets = (answer: Buffer) => Buffer;

const delivered: readonly ReceiptPlan[] = [{ state: 'DELIVERED' }];
const sameId = '4711';
const zerosDigits = 20;
const dayMs = 86_400_000;
const mib = 1_048_576;
const octets = (...values: number[]) => Uint8Array.of(...values);

export const faults: Readonly<Record<string, CarrierFault>> = {
  '9934': refusal('refused with 0x410, a status specific to a vendor', 0x410),
  '9943': { about: 'accepted with an empty message_id', answer: { spell: () => '' }, receipts: delivered },
  '9945': ended('the connection ends by RST before the answer', 'rst'),
  '9946': { about: 'the connection ends by FIN after the answer', answer: { end: 'fin' }, receipts: delivered },
  '9947': half('the connection ends by FIN after half of the answer', 'fin', delivered),
  '9948': damaged('answered with bytes that are not SMPP', () => Buffer.from('This is no SMPP answer.\r\n'), []),
  '9949': nack('refused with a generic_nack', {}),
  '9950': { about: 'no answer, but a DELIVRD receipt', answer: { command_status: null }, receipts: delivered },
  '9951': damaged('accepted with an answer without a body', headerOf),
  '9952': {
    about: 'no answer the first time, then accepted',
    answer: { command_status: null },
    times: 1,
    receipts: [],
  },
  '9953': {
    ...refusal('refused with a body, which the standard does not allow', statuses.ESME_RINVDSTADR),
    answer: {
      command_status: statuses.ESME_RINVDSTADR,
      octets: (answer) => withLength(Buffer.concat([answer, octets(0)])),
    },
  },
  '9954': { ...ended('the connection ends by FIN before the answer the first time', 'fin'), times: 1 },
  '9955': { ...ended('the connection ends by RST before the answer the first time', 'rst'), times: 1 },
  '9956': nack('refused with a generic_nack that has sequence number 0', { sequence: 0 }),
  '9957': damaged('accepted with a message_id without its NUL', (answer) => withLength(answer.subarray(0, -1))),
  '9958': damaged('accepted, with octets at the end of the answer that are not a TLV', (answer) =>
    withLength(Buffer.concat([answer, octets(0x14, 0x03, 0x00)])),
  ),
  '9959': damaged('accepted with a message_id of 100 characters', (answer) =>
    withLength(Buffer.concat([answer.subarray(0, headerLength), Buffer.from(`${'7'.repeat(100)}\0`)])),
  ),
  '9970': damaged('an answer to a request that was never sent, then accepted', (answer) =>
    Buffer.concat([withHeader(answer, { sequence: 0x7ffffff0 }), answer]),
  ),
  '9971': damaged('accepted with two answers that have the same sequence number', (answer) =>
    Buffer.concat([answer, answer]),
  ),
  '9972': damaged('an unknown request and an unknown response, then accepted', (answer) => {
    const bare = headerOf(answer);
    return Buffer.concat([withHeader(bare, { id: 0x00000999 }), withHeader(bare, { id: 0x80000999 }), answer]);
  }),
  '9973': damaged('an answer with command_length 8', (answer) => withHeader(answer, { length: 8 }), []),
  '9974': damaged('an answer with command_length 1 MiB', (answer) => withHeader(answer, { length: mib }), []),
  '9976': ended('the connection stays open without any PDU', 'silence'),
  '9977': { ...ended('the connection stays open without any PDU the first time', 'silence'), times: 1 },
  '9978': half('the connection stays open without any PDU after half of the answer', 'silence', []),
  '9979': damaged(
    'answered only with the response of another command, but the right sequence number',
    (answer) => withHeader(answer, { id: commands.cancel_sm_resp.id }),
    [],
  ),

  '9916': written('decimal id in the answer, hexadecimal id in the receipt', { spell: (id) => id.toString(16) }),
  '9917': {
    about: 'hexadecimal id in the answer, decimal id in the receipt',
    answer: { spell: (id) => id.toString(16) },
    receipts: delivered,
  },
  '9918': rewritten('receipt with TLVs only', (receipt) => ({ ...receipt, short_message: octets() })),
  '9919': rewritten('receipt with text only', (receipt) => ({ ...receipt, tlvs: [] })),
  '9920': rewritten('receipt as data_sm', ({ short_message = octets(), tlvs = [], ...receipt }) => ({
    ...receipt,
    command: 'data_sm',
    tlvs: [...tlvs, writeTlv('message_payload', Uint8Array.from(short_message))],
  })),
  '9921': rewritten('receipt with text only, and esm_class 0', (receipt) => ({ ...receipt, tlvs: [], esm_class: 0 })),
  '9922': rewritten('receipt with the source and destination of the message, not swapped', (receipt) => ({
    ...receipt,
    source_addr_ton: receipt.dest_addr_ton ?? 0,
    source_addr: receipt.destination_addr ?? '',
    dest_addr_ton: receipt.source_addr_ton ?? 0,
    destination_addr: receipt.source_addr ?? '',
  })),
  '9923': {
    about: 'id with leading zeros in the answer, without them in the receipt',
    answer: { spell: (id) => String(id).padStart(zerosDigits, '0') },
    receipts: delivered,
  },
  '9925': states('receipt DELIVRD, then receipt ENROUTE', ['DELIVERED', 'ENROUTE']),
  '9980': rewritten('receipt with a text that has none of the standard keys', (receipt) => ({
    ...receipt,
    short_message: Buffer.from('Zustellung: ja'),
    tlvs: [],
  })),
  '9986': {
    about: 'the same id for every message',
    answer: { spell: () => sameId },
    receipts: [{ state: 'DELIVERED', spell: () => sameId }],
  },
  '9997': rewritten('receipt with dates of three days ago', (receipt, { message }) => {
    const date = new Date(message.submittedAtMs - 3 * dayMs).toISOString().replaceAll(/\D/g, '').slice(2, 12);
    const text = Buffer.from(receipt.short_message ?? octets()).toString('latin1');
    return { ...receipt, short_message: Buffer.from(text.replaceAll(/date:\d+/g, `date:${date}`), 'latin1') };
  }),
  '9998': marked('receipt DELIVRD as an intermediate notification, then as a receipt', {
    state: 'DELIVERED',
    esm_class: esmClass.intermediate,
  }),
  '9999': marked('receipt ENROUTE as a final receipt, then receipt DELIVRD', {
    state: 'ENROUTE',
    esm_class: esmClass.receipt,
  }),

  '9885': replied('the receiver replies with a text that begins like a receipt', [
    { text: 'id: 12345 is my order, stat: waiting' },
  ]),
  '9893': replied('the receiver replies in three parts, the last one first', [part(3, 3), part(2, 3), part(1, 3)]),
  '9896': replied('the receiver replies in two parts, but the second part never comes', [part(1, 2)]),
  '9897': replied('the receiver replies in two parts, the first part twice', [part(1, 2), part(1, 2), part(2, 2)]),
};

/** Returns the fault that the simulator shows for a message; for its option `behaviourOf`. */
export function faultOf({ destination_addr }: PduOf<'submit_sm' | 'data_sm'>): CarrierFault | undefined {
  return faults[destination_addr.slice(-4)];
}

function refusal(about: string, command_status: number): CarrierFault {
  return { about, answer: { command_status }, receipts: [] };
}

function ended(about: string, end: ConnectionEnd): CarrierFault {
  return { about, answer: { command_status: null, end }, receipts: [] };
}

function half(about: string, end: ConnectionEnd, receipts: readonly ReceiptPlan[]): CarrierFault {
  return { about, answer: { octets: (answer) => answer.subarray(0, answer.length / 2), end }, receipts };
}

function damaged(about: string, change: Octets, receipts = delivered): CarrierFault {
  return { about, answer: { octets: change }, receipts };
}

function nack(about: string, header: { readonly sequence?: number }): CarrierFault {
  const change: Octets = (answer) => withHeader(headerOf(answer), { id: commands.generic_nack.id, ...header });
  return { about, answer: { command_status: statuses.ESME_RINVCMDID, octets: change }, receipts: [] };
}

function written(about: string, more: Omit<ReceiptPlan, 'state'>): CarrierFault {
  return { about, receipts: [{ state: 'DELIVERED', ...more }] };
}

function rewritten(about: string, rewrite: NonNullable<ReceiptPlan['rewrite']>): CarrierFault {
  return written(about, { rewrite });
}

function states(about: string, all: readonly MessageState[]): CarrierFault {
  return { about, receipts: all.map((state) => ({ state })) };
}

/** The carrier sends a receipt with the wrong esm_class, then the same receipt with the right one. */
function marked(about: string, wrong: { readonly state: MessageState; readonly esm_class: number }): CarrierFault {
  const { state, esm_class } = wrong;
  return { about, receipts: [{ state, rewrite: (receipt): Ask => ({ ...receipt, esm_class }) }, ...delivered] };
}

function replied(about: string, replies: NonNullable<Behaviour['replies']>): CarrierFault {
  return { about, receipts: delivered, replies };
}

function part(number: number, total: number): { readonly octets: Uint8Array; readonly esm_class: number } {
  const text = Buffer.from(`part ${number} of ${total}`);
  return { octets: Buffer.concat([octets(5, 0, 3, 78, total, number), text]), esm_class: esmClass.userDataHeader };
}

function headerOf(pdu: Buffer): Buffer {
  return withLength(pdu.subarray(0, headerLength));
}

/** Returns a copy of the PDU with the correct command_length. */
function withLength(pdu: Buffer): Buffer {
  return withHeader(pdu, { length: pdu.length });
}

function withHeader(
  pdu: Buffer,
  { length, id, sequence }: { readonly length?: number; readonly id?: number; readonly sequence?: number },
): Buffer {
  const copy = Buffer.from(pdu);
  if (length !== undefined) copy.writeUInt32BE(length, 0);
  if (id !== undefined) copy.writeUInt32BE(id, 4);
  if (sequence !== undefined) copy.writeUInt32BE(sequence, 12);
  return copy;
}
