import type { MessageState } from '../message-state.ts';
import { status } from '../statuses.ts';

/**
 * The receivers that make the simulator behave as carriers sometimes do, by the last four digits of their number, so that
 * they work behind any country code. Every other number is accepted and gets a DELIVRD receipt.
 */

/** How an id is spelt: the answer and the receipt may differ, as they do with real carriers. */
export type IdForm = 'decimal' | 'hex' | 'zeros' | 'empty';

export type AnswerPlan =
  | { readonly kind: 'accept'; readonly delayMs?: number; readonly id?: IdForm }
  | { readonly kind: 'refuse'; readonly command_status: number }
  | { readonly kind: 'nack'; readonly command_status: number }
  | { readonly kind: 'silence' }
  /** Bytes that are not SMPP in place of the answer. */
  | { readonly kind: 'nonsense' }
  /** Closes the connection, with none, half or all of the answer sent; `rst` does not say goodbye. */
  | { readonly kind: 'disconnect'; readonly answer: 'none' | 'half' | 'whole'; readonly by: 'fin' | 'rst' };

export type ReceiptPlan = {
  readonly state: MessageState;
  /** In the text, where it is not the standard's word for the state. */
  readonly stat?: string;
  /** After the submit_sm. Default: the simulator's receiptDelayMs, twice and three times that for those that follow. */
  readonly afterMs?: number;
  /** `bare`: the text alone, and esm_class does not say that it is a receipt. Default `both`. */
  readonly form?: 'both' | 'text' | 'tlvs' | 'bare';
  readonly command?: 'deliver_sm' | 'data_sm';
  readonly id?: IdForm;
  /** Source and destination as in the submit_sm, not swapped. */
  readonly unswapped?: boolean;
};

export type InboundPlan = 'short' | 'long' | 'ucs2';

export type Behaviour = {
  readonly about: string;
  /** Default: accepted at once. */
  readonly answer?: AnswerPlan;
  /** How many submit_sm to one receiver meet this; those after them are accepted as to any other number. */
  readonly times?: number;
  readonly receipts: readonly ReceiptPlan[];
  readonly inbound?: InboundPlan;
};

const DELIVERED: readonly ReceiptPlan[] = [{ state: 'DELIVERED' }];
const SOON_MS = 2000;
const LATE_MS = 30_000;
/** Long enough for a receipt to be there before the answer, and for no more. */
const BEHIND_RECEIPT_MS = 200;

/** What happens to every number that is not in the table. */
export const ORDINARY: Behaviour = { about: 'accepted and delivered', receipts: DELIVERED };

export const MAGIC: Readonly<Record<string, Behaviour>> = {
  '9901': final('DELIVERED'),
  '9902': final('UNDELIVERABLE'),
  '9903': final('EXPIRED'),
  '9904': final('REJECTED'),
  '9905': final('DELETED'),
  '9906': final('UNKNOWN'),
  '9907': { about: 'receipt FAILED, a word of no standard', receipts: [{ state: 'UNDELIVERABLE', stat: 'FAILED' }] },
  '9908': final('SKIPPED'),

  '9910': { about: 'ENROUTE, then DELIVRD', receipts: [{ state: 'ENROUTE' }, { state: 'DELIVERED' }] },
  '9911': { about: 'ACCEPTD, then DELIVRD', receipts: [{ state: 'ACCEPTED' }, { state: 'DELIVERED' }] },
  '9912': { about: 'no receipt ever', receipts: [] },
  '9913': { about: 'DELIVRD twice', receipts: [{ state: 'DELIVERED' }, { state: 'DELIVERED' }] },
  '9914': {
    about: 'the receipt comes before the answer',
    answer: { kind: 'accept', delayMs: BEHIND_RECEIPT_MS },
    receipts: [{ state: 'DELIVERED', afterMs: 0 }],
  },
  '9915': { about: 'the receipt comes after 30 s', receipts: [{ state: 'DELIVERED', afterMs: LATE_MS }] },
  '9916': { about: 'decimal id in the answer, hex in the receipt', receipts: [{ state: 'DELIVERED', id: 'hex' }] },
  '9917': {
    about: 'hex id in the answer, decimal in the receipt',
    answer: { kind: 'accept', id: 'hex' },
    receipts: [{ state: 'DELIVERED', id: 'decimal' }],
  },
  '9918': { about: 'receipt by TLVs alone', receipts: [{ state: 'DELIVERED', form: 'tlvs' }] },
  '9919': { about: 'receipt by its text alone', receipts: [{ state: 'DELIVERED', form: 'text' }] },
  '9920': { about: 'receipt as data_sm', receipts: [{ state: 'DELIVERED', command: 'data_sm' }] },
  '9921': { about: 'receipt by its text alone, esm_class 0', receipts: [{ state: 'DELIVERED', form: 'bare' }] },
  '9922': {
    about: 'receipt with source and destination not swapped',
    receipts: [{ state: 'DELIVERED', unswapped: true }],
  },
  '9923': {
    about: 'leading zeros in the answer, none in the receipt',
    answer: { kind: 'accept', id: 'zeros' },
    receipts: [{ state: 'DELIVERED', id: 'decimal' }],
  },
  '9924': {
    about: 'BUFFERD, a word of no standard, then DELIVRD',
    receipts: [{ state: 'SCHEDULED', stat: 'BUFFERD' }, { state: 'DELIVERED' }],
  },
  '9925': { about: 'ENROUTE after DELIVRD', receipts: [{ state: 'DELIVERED' }, { state: 'ENROUTE' }] },

  '9930': refused('ESME_RINVDSTADR', 'for good'),
  '9931': refused('ESME_RSYSERR', 'for now'),
  '9932': refused('ESME_RMSGQFUL', 'for now'),
  '9933': { ...refused('ESME_RTHROTTLED', '3 times, then accepted'), times: 3 },
  '9934': {
    about: "refused with 0x410, a vendor's own status",
    answer: { kind: 'refuse', command_status: 0x410 },
    receipts: [],
  },
  '9935': refused('ESME_RSUBMITFAIL', 'for good'),
  '9936': refused('ESME_RINVSRCADR', 'for good'),
  '9937': refused('ESME_RX_T_APPN', 'for now'),
  '9938': { ...refused('ESME_RMSGQFUL', '3 times, then accepted'), times: 3 },
  '9939': { ...refused('ESME_RSYSERR', 'once, then accepted'), times: 1 },

  '9940': { about: 'answer after 2 s', answer: { kind: 'accept', delayMs: SOON_MS }, receipts: DELIVERED },
  '9941': { about: 'answer after 30 s', answer: { kind: 'accept', delayMs: LATE_MS }, receipts: DELIVERED },
  '9942': { about: 'no answer ever', answer: { kind: 'silence' }, receipts: [] },
  '9943': { about: 'accepted with an empty message_id', answer: { kind: 'accept', id: 'empty' }, receipts: DELIVERED },
  '9944': disconnect('none', 'fin'),
  '9945': disconnect('none', 'rst'),
  '9946': { ...disconnect('whole', 'fin'), receipts: DELIVERED },
  '9947': { ...disconnect('half', 'fin'), receipts: DELIVERED },
  '9948': { about: 'bytes that are not SMPP as the answer', answer: { kind: 'nonsense' }, receipts: [] },
  '9949': {
    about: 'a generic_nack as the answer',
    answer: { kind: 'nack', command_status: status('ESME_RINVCMDID') },
    receipts: [],
  },
  '9950': { about: 'no answer, and yet a receipt', answer: { kind: 'silence' }, receipts: DELIVERED },
  '9952': { about: 'no answer once, then accepted', answer: { kind: 'silence' }, times: 1, receipts: [] },
  '9954': { ...disconnect('none', 'fin'), about: 'FIN before the answer once, then accepted', times: 1 },
  '9955': { ...disconnect('none', 'rst'), about: 'RST before the answer once, then accepted', times: 1 },

  '9960': { about: 'delivered, and the receiver writes back', receipts: DELIVERED, inbound: 'short' },
  '9961': { about: 'delivered, and the receiver writes back in two parts (UDH)', receipts: DELIVERED, inbound: 'long' },
  '9962': { about: 'delivered, and the receiver writes back in UCS-2', receipts: DELIVERED, inbound: 'ucs2' },
};

const SUFFIX_DIGITS = 4;

/** The behaviour that a receiver asks for, if it is in the table. */
export function magicOf(destination: string): Behaviour | undefined {
  const suffix = destination.slice(-SUFFIX_DIGITS);
  return Object.hasOwn(MAGIC, suffix) ? MAGIC[suffix] : undefined;
}

function final(state: MessageState): Behaviour {
  return { about: `receipt ${state}`, receipts: [{ state }] };
}

function refused(name: Parameters<typeof status>[0], howLong: string): Behaviour {
  return {
    about: `refused with ${name}, ${howLong}`,
    answer: { kind: 'refuse', command_status: status(name) },
    receipts: [],
  };
}

function disconnect(answer: 'none' | 'half' | 'whole', by: 'fin' | 'rst'): Behaviour {
  const sent = { none: 'before the answer', half: 'after half of the answer', whole: 'after the answer' }[answer];
  return { about: `${by.toUpperCase()} ${sent}`, answer: { kind: 'disconnect', answer, by }, receipts: [] };
}
