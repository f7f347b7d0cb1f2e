import { esmClass, type MessageState } from '@morsel/smpp';
import type { MagicBehaviour, ReceiptPlan } from '../plans.ts';

/*
 * Magic receivers that select which receipts the simulator sends.
 */

const lateMs = 30_000;
/** The delay of an answer that must come after the receipt. */
const behindReceiptMs = 200;
const daysLate = 3;

export const receipts: Readonly<Record<string, MagicBehaviour>> = {
  '9901': final('DELIVERED'),
  '9902': final('UNDELIVERABLE'),
  '9903': final('EXPIRED'),
  '9904': final('REJECTED'),
  '9905': final('DELETED'),
  '9906': final('UNKNOWN'),
  '9907': {
    about: 'receipt FAILED, which is not in the standard',
    receipts: [{ state: 'UNDELIVERABLE', stat: 'FAILED' }],
  },
  '9908': final('SKIPPED'),
  '9909': delivered('receipt DLVRD, which is not in the standard', { stat: 'DLVRD' }),

  '9910': { about: 'receipt ENROUTE, then receipt DELIVRD', receipts: [{ state: 'ENROUTE' }, { state: 'DELIVERED' }] },
  '9911': { about: 'receipt ACCEPTD, then receipt DELIVRD', receipts: [{ state: 'ACCEPTED' }, { state: 'DELIVERED' }] },
  '9912': { about: 'no receipt', receipts: [] },
  '9913': { about: 'receipt DELIVRD twice', receipts: [{ state: 'DELIVERED' }, { state: 'DELIVERED' }] },
  '9914': {
    about: 'the receipt comes before the answer',
    answer: { kind: 'accept', delayMs: behindReceiptMs },
    receipts: [{ state: 'DELIVERED', afterMs: 0 }],
  },
  '9915': delivered('the receipt comes after 30 s', { afterMs: lateMs }),
  '9916': delivered('decimal id in the answer, hexadecimal id in the receipt', { id: 'hex' }),
  '9917': {
    ...delivered('hexadecimal id in the answer, decimal id in the receipt', { id: 'decimal' }),
    answer: { kind: 'accept', id: 'hex' },
  },
  '9918': delivered('receipt with TLVs only', { form: 'tlvs' }),
  '9919': delivered('receipt with text only', { form: 'text' }),
  '9920': delivered('receipt as data_sm', { command: 'data_sm' }),
  '9921': delivered('receipt with text only, and esm_class 0', { form: 'bare' }),
  '9922': delivered('receipt with the source and destination of the message, not swapped', { unswapped: true }),
  '9923': {
    ...delivered('id with leading zeros in the answer, without them in the receipt', { id: 'decimal' }),
    answer: { kind: 'accept', id: 'zeros' },
  },
  '9924': {
    about: 'receipt BUFFERD, which is not in the standard, then receipt DELIVRD',
    receipts: [{ state: 'SCHEDULED', stat: 'BUFFERD' }, { state: 'DELIVERED' }],
  },
  '9925': { about: 'receipt DELIVRD, then receipt ENROUTE', receipts: [{ state: 'DELIVERED' }, { state: 'ENROUTE' }] },
  '9926': {
    about: 'receipt DND_REJECTED, which is not in the standard',
    receipts: [{ state: 'REJECTED', stat: 'DND_REJECTED' }],
  },
  '9927': {
    about: 'receipt ACKED, which is not in the standard, then receipt DELIVRD',
    receipts: [{ state: 'ACCEPTED', stat: 'ACKED' }, { state: 'DELIVERED' }],
  },
  '9928': {
    about: 'receipt UNDELIVERED, which is not in the standard',
    receipts: [{ state: 'UNDELIVERABLE', stat: 'UNDELIVERED' }],
  },
  '9929': delivered('receipt with text only, and dates of 12 digits', { dialect: 'dates_12', form: 'text' }),

  '9963': delivered('receipt with text only, dates of 14 digits, and an err of 4 digits', {
    dialect: 'dates_14',
    form: 'text',
  }),
  '9964': delivered('receipt with text only, and dates as absolute SMPP times', { dialect: 'absolute', form: 'text' }),
  '9965': delivered('receipt with text only, and a hexadecimal err', { dialect: 'hex_error', form: 'text' }),
  '9966': delivered('receipt with text only, keys in another order, and esm_class 0', {
    dialect: 'other_order',
    form: 'bare',
  }),
  '9967': delivered('receipt with text only, keys in upper case, and stat in lower case', {
    dialect: 'other_case',
    form: 'text',
  }),
  '9968': delivered('receipt with text only, which has only id and stat', { dialect: 'short', form: 'text' }),
  '9969': delivered('receipt with text only, in UCS-2', { dialect: 'ucs2', form: 'text' }),
  '9980': delivered('receipt with a text that has none of the standard keys', { dialect: 'unreadable', form: 'text' }),

  '9981': {
    ...delivered('hexadecimal id in upper case in the answer, in lower case in the receipt', { id: 'hex' }),
    answer: { kind: 'accept', id: 'upper_hex' },
  },
  '9982': delivered('id with leading zeros in the receipt, without them in the answer', { id: 'zeros' }),
  '9983': { ...delivered('an id of more than 64 bits', { id: 'long' }), answer: { kind: 'accept', id: 'long' } },
  '9984': {
    ...delivered('an id of more than 64 bits, hexadecimal in the answer, decimal in the receipt', { id: 'long' }),
    answer: { kind: 'accept', id: 'long_hex' },
  },
  '9985': {
    ...delivered('a UUID as id, in lower case in the answer, in upper case in the receipt', { id: 'upper_uuid' }),
    answer: { kind: 'accept', id: 'uuid' },
  },
  '9986': {
    ...delivered('the same id for every message', { id: 'same' }),
    answer: { kind: 'accept', id: 'same' },
  },
  '9987': delivered('the receipt comes on another session of the client', { elsewhere: true }),
  '9988': delivered('receipt with TLVs only, and esm_class 0', { form: 'tlvs', esmClass: 0 }),
  '9989': {
    about:
      'receipt whose text has UNDELIV and an id with leading zeros, but whose TLVs have DELIVERED and a hexadecimal id',
    receipts: [{ state: 'UNDELIVERABLE', tlvState: 'DELIVERED', id: 'zeros', tlvId: 'hex' }],
  },
  '9990': failed('receipt UNDELIV with a network_error_code of three ASCII digits', [0x30, 0x31, 0x32]),
  '9991': failed('receipt UNDELIV with a network_error_code of one octet', [11]),
  '9992': failed('receipt UNDELIV with a network_error_code of two octets', [1, 4]),
  '9993': delivered('receipt whose TLV receipted_message_id has no NUL', { hasNoNul: true }),
  '9994': delivered('receipt with octets at its end that are not a TLV', { wound: 'trailing' }),
  '9995': {
    about: 'a receipt for an unknown id, then the right receipt',
    receipts: [{ state: 'DELIVERED', isStranger: true }, { state: 'DELIVERED' }],
  },
  '9996': delivered('the receipt twice with the same sequence number', { wound: 'twice' }),
  '9997': delivered('receipt with a submit date of three days ago, and dates in another time zone', {
    dialect: 'elsewhere',
    daysLate: daysLate,
  }),
  '9998': {
    about: 'receipt DELIVRD as an intermediate notification (esm_class 0x20), then as a receipt',
    receipts: [{ state: 'DELIVERED', esmClass: esmClass.intermediate }, { state: 'DELIVERED' }],
  },
  '9999': {
    about: 'receipt ENROUTE as a final receipt (esm_class 0x04), then receipt DELIVRD',
    receipts: [{ state: 'ENROUTE', esmClass: esmClass.receipt }, { state: 'DELIVERED' }],
  },
};

function final(state: MessageState): MagicBehaviour {
  return { about: `receipt ${state}`, receipts: [{ state }] };
}

function delivered(about: string, more: Omit<ReceiptPlan, 'state'>): MagicBehaviour {
  return { about, receipts: [{ state: 'DELIVERED', ...more }] };
}

function failed(about: string, networkError: readonly number[]): MagicBehaviour {
  return { about, receipts: [{ state: 'UNDELIVERABLE', networkError }] };
}
