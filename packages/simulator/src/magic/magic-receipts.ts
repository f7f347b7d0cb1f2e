import type { MessageState } from '@morsel/smpp';
import type { Behaviour, ReceiptPlan } from './plans.ts';

/** Receivers by the receipts they get (smpp-in-the-wild, 17 to 24). */

const lateMs = 30_000;
/** Long enough for a receipt to be there before the answer, and for no more. */
const behindReceiptMs = 200;
const daysLate = 3;

const receipt = 0x04;
const intermediate = 0x20;

export const receipts: Readonly<Record<string, Behaviour>> = {
  '9901': final('DELIVERED'),
  '9902': final('UNDELIVERABLE'),
  '9903': final('EXPIRED'),
  '9904': final('REJECTED'),
  '9905': final('DELETED'),
  '9906': final('UNKNOWN'),
  '9907': { about: 'receipt FAILED, a word of no standard', receipts: [{ state: 'UNDELIVERABLE', stat: 'FAILED' }] },
  '9908': final('SKIPPED'),
  '9909': delivered('receipt DLVRD, a word of no standard', { stat: 'DLVRD' }),

  '9910': { about: 'ENROUTE, then DELIVRD', receipts: [{ state: 'ENROUTE' }, { state: 'DELIVERED' }] },
  '9911': { about: 'ACCEPTD, then DELIVRD', receipts: [{ state: 'ACCEPTED' }, { state: 'DELIVERED' }] },
  '9912': { about: 'no receipt ever', receipts: [] },
  '9913': { about: 'DELIVRD twice', receipts: [{ state: 'DELIVERED' }, { state: 'DELIVERED' }] },
  '9914': {
    about: 'the receipt comes before the answer',
    answer: { kind: 'accept', delayMs: behindReceiptMs },
    receipts: [{ state: 'DELIVERED', afterMs: 0 }],
  },
  '9915': delivered('the receipt comes after 30 s', { afterMs: lateMs }),
  '9916': delivered('decimal id in the answer, hex in the receipt', { id: 'hex' }),
  '9917': {
    ...delivered('hex id in the answer, decimal in the receipt', { id: 'decimal' }),
    answer: { kind: 'accept', id: 'hex' },
  },
  '9918': delivered('receipt by TLVs alone', { form: 'tlvs' }),
  '9919': delivered('receipt by its text alone', { form: 'text' }),
  '9920': delivered('receipt as data_sm', { command: 'data_sm' }),
  '9921': delivered('receipt by its text alone, esm_class 0', { form: 'bare' }),
  '9922': delivered('receipt with source and destination not swapped', { unswapped: true }),
  '9923': {
    ...delivered('leading zeros in the answer, none in the receipt', { id: 'decimal' }),
    answer: { kind: 'accept', id: 'zeros' },
  },
  '9924': {
    about: 'BUFFERD, a word of no standard, then DELIVRD',
    receipts: [{ state: 'SCHEDULED', stat: 'BUFFERD' }, { state: 'DELIVERED' }],
  },
  '9925': { about: 'ENROUTE after DELIVRD', receipts: [{ state: 'DELIVERED' }, { state: 'ENROUTE' }] },
  '9926': {
    about: 'receipt DND_REJECTED, a word of no standard',
    receipts: [{ state: 'REJECTED', stat: 'DND_REJECTED' }],
  },
  '9927': {
    about: 'ACKED, a word of no standard, then DELIVRD',
    receipts: [{ state: 'ACCEPTED', stat: 'ACKED' }, { state: 'DELIVERED' }],
  },
  '9928': {
    about: 'receipt UNDELIVERED, a word of no standard',
    receipts: [{ state: 'UNDELIVERABLE', stat: 'UNDELIVERED' }],
  },
  '9929': delivered('dates of 12 digits, text alone', { dialect: 'dates_12', form: 'text' }),

  '9963': delivered('dates of 14 digits, err of 4, text alone', { dialect: 'dates_14', form: 'text' }),
  '9964': delivered('dates as absolute times, text alone', { dialect: 'absolute', form: 'text' }),
  '9965': delivered('a hexadecimal err, text alone', { dialect: 'hex_error', form: 'text' }),
  '9966': delivered('keys in another order, text alone, esm_class 0', { dialect: 'other_order', form: 'bare' }),
  '9967': delivered('keys in upper case, stat in lower case, text alone', { dialect: 'other_case', form: 'text' }),
  '9968': delivered('no more than id and stat', { dialect: 'short', form: 'text' }),
  '9969': delivered('the text in UCS-2, and alone', { dialect: 'ucs2', form: 'text' }),
  '9980': delivered('a receipt that nobody can read', { dialect: 'unreadable', form: 'text' }),

  '9981': {
    ...delivered('id in upper case in the answer, in lower case in the receipt', { id: 'hex' }),
    answer: { kind: 'accept', id: 'upper_hex' },
  },
  '9982': delivered('leading zeros in the receipt, none in the answer', { id: 'zeros' }),
  '9983': { ...delivered('an id of over 64 bits', { id: 'long' }), answer: { kind: 'accept', id: 'long' } },
  '9984': {
    ...delivered('an id of over 64 bits, hex in the answer, decimal in the receipt', { id: 'long' }),
    answer: { kind: 'accept', id: 'long_hex' },
  },
  '9985': {
    ...delivered('a UUID as the id, in upper case in the receipt', { id: 'upper_uuid' }),
    answer: { kind: 'accept', id: 'uuid' },
  },
  '9986': {
    ...delivered('the same id for every message', { id: 'same' }),
    answer: { kind: 'accept', id: 'same' },
  },
  '9987': delivered('the receipt comes on another link', { elsewhere: true }),
  '9988': delivered('receipt by TLVs alone, esm_class 0', { form: 'tlvs', esmClass: 0 }),
  '9989': {
    about: 'the text says UNDELIV and has zeros before the id, the TLVs say DELIVERED and have it in hex',
    receipts: [{ state: 'UNDELIVERABLE', tlvState: 'DELIVERED', id: 'zeros', tlvId: 'hex' }],
  },
  '9990': failed('a network_error_code of three digits in ASCII', [0x30, 0x31, 0x32]),
  '9991': failed('a network_error_code of one octet', [11]),
  '9992': failed('a network_error_code of two octets', [1, 4]),
  '9993': delivered('receipted_message_id without its NUL', { hasNoNul: true }),
  '9994': delivered('octets behind the receipt that are no TLV', { wound: 'trailing' }),
  '9995': {
    about: 'a receipt for an id that was never given, then the right one',
    receipts: [{ state: 'DELIVERED', isStranger: true }, { state: 'DELIVERED' }],
  },
  '9996': delivered('the receipt twice under one sequence number', { wound: 'twice' }),
  '9997': delivered('a receipt that is days late by its dates, which are of another time zone', {
    dialect: 'elsewhere',
    daysLate: daysLate,
  }),
  '9998': {
    about: 'DELIVRD as an intermediate notification (esm_class 0x20), then as a receipt',
    receipts: [{ state: 'DELIVERED', esmClass: intermediate }, { state: 'DELIVERED' }],
  },
  '9999': {
    about: 'ENROUTE as a receipt (esm_class 0x04), then DELIVRD',
    receipts: [{ state: 'ENROUTE', esmClass: receipt }, { state: 'DELIVERED' }],
  },
};

function final(state: MessageState): Behaviour {
  return { about: `receipt ${state}`, receipts: [{ state }] };
}

function delivered(about: string, more: Omit<ReceiptPlan, 'state'>): Behaviour {
  return { about, receipts: [{ state: 'DELIVERED', ...more }] };
}

function failed(about: string, networkError: readonly number[]): Behaviour {
  return { about, receipts: [{ state: 'UNDELIVERABLE', networkError }] };
}
