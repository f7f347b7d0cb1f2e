import { statuses, type StatusName } from '@morsel/smpp';
import type { MagicBehaviour, Ending, ReceiptPlan } from '../plans.ts';
import type { Wound } from '../answer/wounds.ts';

/*
 * Magic receivers that select how the simulator answers the submit_sm.
 */

const delivered: readonly ReceiptPlan[] = [{ state: 'DELIVERED' }];
const soonMs = 2000;
const lateMs = 30_000;
const minutesMs = 180_000;

export const answers: Readonly<Record<string, MagicBehaviour>> = {
  '9930': refused('ESME_RINVDSTADR', 'permanent'),
  '9931': refused('ESME_RSYSERR', 'temporary'),
  '9932': refused('ESME_RMSGQFUL', 'temporary'),
  '9933': { ...refused('ESME_RTHROTTLED', '3 times, then accepted'), times: 3 },
  '9934': {
    about: 'refused with 0x410, a status specific to a vendor',
    answer: { kind: 'refuse', command_status: 0x410 },
    receipts: [],
  },
  '9935': refused('ESME_RSUBMITFAIL', 'permanent'),
  '9936': refused('ESME_RINVSRCADR', 'permanent'),
  '9937': refused('ESME_RX_T_APPN', 'temporary'),
  '9938': { ...refused('ESME_RMSGQFUL', '3 times, then accepted'), times: 3 },
  '9939': { ...refused('ESME_RSYSERR', 'the first time, then accepted'), times: 1 },

  '9940': { about: 'accepted after 2 s', answer: { kind: 'accept', delayMs: soonMs }, receipts: delivered },
  '9941': { about: 'accepted after 30 s', answer: { kind: 'accept', delayMs: lateMs }, receipts: delivered },
  '9942': { about: 'no answer', answer: { kind: 'silence' }, receipts: [] },
  '9943': { about: 'accepted with an empty message_id', answer: { kind: 'accept', id: 'empty' }, receipts: delivered },
  '9944': disconnect('none', 'fin'),
  '9945': disconnect('none', 'rst'),
  '9946': { ...disconnect('whole', 'fin'), receipts: delivered },
  '9947': { ...disconnect('half', 'fin'), receipts: delivered },
  '9948': { ...wounded('answered with bytes that are not SMPP', 'nonsense'), receipts: [] },
  '9949': nack('refused with a generic_nack', 'nack'),
  '9950': { about: 'no answer, but a DELIVRD receipt', answer: { kind: 'silence' }, receipts: delivered },
  '9951': wounded('accepted with an answer without a body', 'no_body'),
  '9952': { about: 'no answer the first time, then accepted', answer: { kind: 'silence' }, times: 1, receipts: [] },
  '9953': {
    about: 'refused with ESME_RINVDSTADR and a body, which the standard does not allow',
    answer: { kind: 'refuse', command_status: statuses.ESME_RINVDSTADR, hasBody: true },
    receipts: [],
  },
  '9954': {
    ...disconnect('none', 'fin'),
    about: 'the connection ends by FIN before the answer the first time, then accepted',
    times: 1,
  },
  '9955': {
    ...disconnect('none', 'rst'),
    about: 'the connection ends by RST before the answer the first time, then accepted',
    times: 1,
  },
  '9956': nack('refused with a generic_nack that has sequence number 0', 'nack_zero'),
  '9957': wounded('accepted with a message_id without its NUL', 'no_nul'),
  '9958': wounded('accepted, with octets at the end of the answer that are not a TLV', 'trailing'),
  '9959': wounded('accepted with a message_id of 100 characters', 'long_id'),

  '9970': wounded('an answer to a request that was never sent, then accepted', 'stray_first'),
  '9971': wounded('accepted with two answers that have the same sequence number', 'twice'),
  '9972': wounded('an unknown request and an unknown response, then accepted', 'unknown_first'),
  '9973': { ...wounded('an answer with command_length 8', 'short_length'), receipts: [] },
  '9974': { ...wounded('an answer with command_length 1 MiB', 'long_length'), receipts: [] },
  '9975': { about: 'accepted after 3 minutes', answer: { kind: 'accept', delayMs: minutesMs }, receipts: delivered },
  '9976': disconnect('none', 'silence'),
  '9977': {
    ...disconnect('none', 'silence'),
    about: 'the connection stays open without any answer the first time, then accepted',
    times: 1,
  },
  '9978': disconnect('half', 'silence'),
  '9979': {
    ...wounded('answered only with the response of another command, but the right sequence number', 'wrong_kind'),
    receipts: [],
  },
};

function refused(name: StatusName, kind: string): MagicBehaviour {
  return {
    about: `refused with ${name}, ${kind}`,
    answer: { kind: 'refuse', command_status: statuses[name] },
    receipts: [],
  };
}

function nack(about: string, wound: Wound): MagicBehaviour {
  return { about, answer: { kind: 'refuse', command_status: statuses.ESME_RINVCMDID, wound }, receipts: [] };
}

function wounded(about: string, wound: Wound): MagicBehaviour {
  return { about, answer: { kind: 'accept', wound }, receipts: delivered };
}

function disconnect(answer: 'none' | 'half' | 'whole', by: Ending): MagicBehaviour {
  const when = { none: 'before the answer', half: 'after half of the answer', whole: 'after the answer' }[answer];
  const what = {
    fin: 'the connection ends by FIN',
    rst: 'the connection ends by RST',
    silence: 'the connection stays open without any PDU',
  }[by];
  return { about: `${what} ${when}`, answer: { kind: 'disconnect', answer, by }, receipts: [] };
}
