import { statuses } from '@morsel/smpp';
import type { StatusName } from '@morsel/smpp';
import type { Behaviour, Ending, ReceiptPlan } from './plans.ts';
import type { Wound } from '../answer/wounds.ts';

/** Receivers by the answers that their submit_sm get (smpp-in-the-wild, 1 to 7 and 15 to 17). */

const delivered: readonly ReceiptPlan[] = [{ state: 'DELIVERED' }];
const soonMs = 2000;
const lateMs = 30_000;
const minutesMs = 180_000;

export const answers: Readonly<Record<string, Behaviour>> = {
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

  '9940': { about: 'answer after 2 s', answer: { kind: 'accept', delayMs: soonMs }, receipts: delivered },
  '9941': { about: 'answer after 30 s', answer: { kind: 'accept', delayMs: lateMs }, receipts: delivered },
  '9942': { about: 'no answer ever', answer: { kind: 'silence' }, receipts: [] },
  '9943': { about: 'accepted with an empty message_id', answer: { kind: 'accept', id: 'empty' }, receipts: delivered },
  '9944': disconnect('none', 'fin'),
  '9945': disconnect('none', 'rst'),
  '9946': { ...disconnect('whole', 'fin'), receipts: delivered },
  '9947': { ...disconnect('half', 'fin'), receipts: delivered },
  '9948': { ...wounded('bytes that are not SMPP as the answer', 'nonsense'), receipts: [] },
  '9949': nack('a generic_nack as the answer', 'nack'),
  '9950': { about: 'no answer, and yet a receipt', answer: { kind: 'silence' }, receipts: delivered },
  '9951': wounded('accepted by an answer without a body', 'no_body'),
  '9952': { about: 'no answer once, then accepted', answer: { kind: 'silence' }, times: 1, receipts: [] },
  '9953': {
    about: 'refused with ESME_RINVDSTADR, and a body where there should be none',
    answer: { kind: 'refuse', command_status: statuses.ESME_RINVDSTADR, hasBody: true },
    receipts: [],
  },
  '9954': { ...disconnect('none', 'fin'), about: 'FIN before the answer once, then accepted', times: 1 },
  '9955': { ...disconnect('none', 'rst'), about: 'RST before the answer once, then accepted', times: 1 },
  '9956': nack('a generic_nack with sequence number 0 as the answer', 'nack_zero'),
  '9957': wounded('accepted, and the message_id lacks its NUL', 'no_nul'),
  '9958': wounded('accepted, with octets behind the answer that are no TLV', 'trailing'),
  '9959': wounded('accepted with a message_id of 100 characters', 'long_id'),

  '9970': wounded('an answer to nobody, then accepted', 'stray_first'),
  '9971': wounded('accepted twice under one sequence number', 'twice'),
  '9972': wounded('an unknown request and an unknown response, then accepted', 'unknown_first'),
  '9973': { ...wounded('an answer whose command_length is 8', 'short_length'), receipts: [] },
  '9974': { ...wounded('an answer whose command_length is 1 MiB', 'long_length'), receipts: [] },
  '9975': { about: 'answer after 3 minutes', answer: { kind: 'accept', delayMs: minutesMs }, receipts: delivered },
  '9976': disconnect('none', 'silence'),
  '9977': { ...disconnect('none', 'silence'), about: 'silence from here on once, then accepted', times: 1 },
  '9978': disconnect('half', 'silence'),
  '9979': {
    ...wounded('an answer of another command under the right number, and no other', 'wrong_kind'),
    receipts: [],
  },
};

function refused(name: StatusName, howLong: string): Behaviour {
  return {
    about: `refused with ${name}, ${howLong}`,
    answer: { kind: 'refuse', command_status: statuses[name] },
    receipts: [],
  };
}

function nack(about: string, wound: Wound): Behaviour {
  return { about, answer: { kind: 'refuse', command_status: statuses.ESME_RINVCMDID, wound }, receipts: [] };
}

function wounded(about: string, wound: Wound): Behaviour {
  return { about, answer: { kind: 'accept', wound }, receipts: delivered };
}

function disconnect(answer: 'none' | 'half' | 'whole', by: Ending): Behaviour {
  const when = { none: 'before the answer', half: 'after half of the answer', whole: 'after the answer' }[answer];
  const what = { fin: 'FIN', rst: 'RST', silence: 'nothing more on an open connection,' }[by];
  return { about: `${what} ${when}`, answer: { kind: 'disconnect', answer, by }, receipts: [] };
}
