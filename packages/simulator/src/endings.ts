import { statuses, type MessageState } from '@morsel/smpp';
import { type Behaviour, ordinary } from './plans.ts';

/* The one table of the endings of receivers that select a behaviour of the simulated carrier. */

export interface Ending extends Behaviour {
  /** One sentence for the help and the documentation. */
  readonly about: string;
}

const { receipts: delivered } = ordinary;
const soonMs = 2000;
const lateMs = 30_000;
const behindReceiptMs = 200;
/** The network_error_code of a phone that is switched off: network type GSM, absent subscriber (3GPP TS 29.002). */
const absentSubscriber = { type: 3, code: 27 };

const short = 'Thank you, I have got your message.';
const long = `${'This is a long answer from a phone, sent in two parts that belong together. '.repeat(3)}The end.`;
const russian = 'Спасибо, получил 👍';

/**
 * The last four digits of the number count, so endings work with any country code. Messages to other receivers are
 * delivered. The help of the command line and docs/reference/simulator.md list this table.
 */
export const endings: Readonly<Record<string, Ending>> = {
  '9901': { about: 'The message is delivered.', receipts: delivered },
  '9902': end('The message is undelivered: the number is not in service (error 001).', 'UNDELIVERABLE'),
  '9903': end('The message expires at the carrier.', 'EXPIRED'),
  '9904': end('The carrier accepts the message and rejects it later, with a receipt.', 'REJECTED'),
  '9905': end('The carrier deletes the message.', 'DELETED'),
  '9906': end('The carrier does not know what happened to the message.', 'UNKNOWN'),
  '9910': {
    about: 'A receipt says that the message is on its way, and a second receipt that it is delivered.',
    receipts: [{ state: 'ENROUTE' }, { state: 'DELIVERED' }],
  },
  '9912': { about: 'The carrier accepts the message and never sends a receipt.', receipts: [] },
  '9913': { about: 'The receipt of the delivery comes twice.', receipts: [...delivered, ...delivered] },
  '9914': {
    about: 'The receipt of the delivery comes before the answer.',
    answer: { delayMs: behindReceiptMs },
    receipts: [{ state: 'DELIVERED', afterMs: 0 }],
  },
  '9915': {
    about: 'The message is delivered, and the receipt comes after 30 s.',
    receipts: [{ state: 'DELIVERED', afterMs: lateMs }],
  },
  '9924': {
    about: 'The carrier buffers the message, for example because the phone is off, and delivers it later.',
    receipts: [{ state: 'SCHEDULED' }, { state: 'DELIVERED' }],
  },
  '9990': {
    about: 'The message is undelivered: the phone is switched off (absent subscriber, error 27).',
    receipts: [{ state: 'UNDELIVERABLE', networkError: absentSubscriber }],
  },

  '9930': {
    about: 'The carrier refuses the message at once: the receiver is invalid (ESME_RINVDSTADR).',
    answer: { command_status: statuses.ESME_RINVDSTADR },
    receipts: [],
  },
  '9931': {
    about: 'The carrier refuses each try with a temporary fault (ESME_RSYSERR).',
    answer: { command_status: statuses.ESME_RSYSERR },
    receipts: [],
  },
  '9933': {
    about: 'The carrier throttles the message three times (ESME_RTHROTTLED) and then delivers it.',
    answer: { command_status: statuses.ESME_RTHROTTLED },
    times: 3,
    receipts: [],
  },
  '9939': {
    about: 'The carrier refuses the first try with a temporary fault (ESME_RSYSERR) and delivers the message later.',
    answer: { command_status: statuses.ESME_RSYSERR },
    times: 1,
    receipts: [],
  },
  '9940': {
    about: 'The carrier answers after 2 s, and the message is delivered.',
    answer: { delayMs: soonMs },
    receipts: delivered,
  },
  '9942': {
    about: 'The carrier never answers, so the message is in doubt.',
    answer: { command_status: null },
    receipts: [],
  },
  '9944': {
    about: 'The carrier closes the connection before it answers, so the message is in doubt.',
    answer: { command_status: null, isLast: true },
    receipts: [],
  },

  '9960': reply('The message is delivered, and the receiver replies.', short),
  '9961': reply('The message is delivered, and the receiver replies with a long text in two parts.', long),
  '9962': reply('The message is delivered, and the receiver replies in Unicode (UCS-2).', russian),
};

const suffixDigits = 4;

/** The ending of a receiver; undefined for an ordinary receiver. */
export function endingOf(destination: string): Ending | undefined {
  const suffix = destination.slice(-suffixDigits);
  return Object.hasOwn(endings, suffix) ? endings[suffix] : undefined;
}

function end(about: string, state: MessageState): Ending {
  return { about, receipts: [{ state }] };
}

function reply(about: string, text: string): Ending {
  return { about, receipts: delivered, replies: [{ text }] };
}
