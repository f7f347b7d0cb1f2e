/* The load of a crash trial: requests of several accounts to several carriers, and the clients' records of them. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/chance.ts';
import { HttpClient, type HttpAnswer, type HttpRequest } from '../support/clients/http-client.ts';

/** A request, with the answer that its client got; without an answer if the gateway died first. */
export interface Remembered {
  /** The number of the kill that ended this load, from 0. */
  readonly round: number;
  readonly receiver: string;
  readonly text: string;
  readonly account: string;
  readonly numParts: number;
  /** The event that the receiver causes if no part was in doubt; undefined if the request must be refused. */
  readonly wanted: string | undefined;
  /** The request. A client that got no answer repeats it, with its idempotency key. */
  readonly request: HttpRequest;
  answer: HttpAnswer | undefined;
  /** The answer to a second, equal request that was sent at the same time. */
  twin?: HttpAnswer;
}

/** The last four digits of a receiver, which the simulator reads, and the event that they cause. */
interface Ending {
  readonly digits: string;
  readonly wanted: string;
}

const ordinary: Ending = { digits: '0000', wanted: 'delivered' };

const quickEndings: readonly Ending[] = [
  ...Array.from({ length: 14 }, () => ordinary),
  { digits: '9902', wanted: 'undelivered' },
  { digits: '9903', wanted: 'expired' },
  { digits: '9904', wanted: 'rejected' },
  { digits: '9905', wanted: 'undelivered' },
  { digits: '9906', wanted: 'unknown' },
  { digits: '9910', wanted: 'delivered' },
  { digits: '9913', wanted: 'delivered' },
  { digits: '9914', wanted: 'delivered' },
  { digits: '9930', wanted: 'rejected' },
];

const slowEndings: readonly Ending[] = [
  ordinary,
  { digits: '9933', wanted: 'delivered' },
  { digits: '9939', wanted: 'delivered' },
  { digits: '9940', wanted: 'delivered' },
];

/** A carrier for each policy for parts in doubt, and a busy, slow carrier with a small window. */
export const loadCarriers = [
  { name: 'hold', prefix: '4915', window: 10, links: 2, throughput: 0, inDoubt: 'hold', endings: quickEndings },
  { name: 'fail', prefix: '4916', window: 5, links: 1, throughput: 0, inDoubt: 'fail', endings: quickEndings },
  { name: 'resend', prefix: '4917', window: 20, links: 1, throughput: 400, inDoubt: 'resend', endings: quickEndings },
  { name: 'busy', prefix: '4930', window: 4, links: 1, throughput: 50, inDoubt: 'hold', endings: slowEndings },
] as const;

/** The share of requests for the busy carrier. It is small, because each request takes seconds there. */
const busyShare = 0.0025;
const refusedShare = 0.05;
/** The share of requests from the account that can pay for them; the other accounts reach their limits. */
const richShare = 0.7;
const getShare = 0.2;
const sender = '+41790000001';
const unroutable = '+33600000000';

/** The number of clients, each with one request at a time. */
const clientCount = 24;
/** The longest pause after a request: enough requests are under way at any moment, but not too many to check. */
const pauseMaxMs = 30;
/** An hour of load has more than 100,000 requests, and a receiver has at most 15 digits (E.164). */
const numberMax = 1_000_000;

export interface LoadOptions {
  readonly chance: Chance;
  readonly round: number;
  readonly port: number;
  readonly tokens: ReadonlyMap<string, string>;
  readonly nextNumber: () => number;
  /** Replaces `pauseMaxMs` for a load that lasts for long. */
  readonly pauseMs?: number;
  /** Whether no further request is sent. */
  readonly isOver?: () => boolean;
}

/**
 * Sends requests until the gateway stops answering: first those without an answer, twice at once, and then new ones.
 * Every request is in `remembered` before it is sent.
 */
export async function sendUntilDead(options: LoadOptions, remembered: Remembered[]): Promise<void> {
  const client = new HttpClient(options.port, clientCount);
  const unanswered = remembered.filter(({ answer }) => answer === undefined);
  const sendAll = async (): Promise<void> => {
    while (options.isOver?.() !== true) {
      const again = unanswered.shift();
      const sent = again ?? make(options);
      if (!again) remembered.push(sent);
      try {
        const answers = await Promise.all([client.ask(sent.request), again && client.ask(sent.request)]);
        const [one, other] = answers.toSorted((a, b) => (a?.status ?? 999) - (b?.status ?? 999));
        sent.answer = one;
        if (other) sent.twin = other;
      } catch {
        return;
      }
      // A gateway that stops refuses, but so does one that is busy for a moment.
      if (sent.answer?.status === 503 && !options.isOver) return;
      await sleep(options.chance.between(0, options.pauseMs ?? pauseMaxMs));
    }
  };
  await Promise.all(Array.from({ length: clientCount }, sendAll));
  client.close();
}

function make(options: LoadOptions): Remembered {
  const { chance, tokens, round, nextNumber } = options;
  const account = chance.happens(richShare) ? 'rich' : chance.pick([...tokens.keys()]);
  const carrier = chance.happens(busyShare) ? 'busy' : chance.pick(['hold', 'fail', 'resend']);
  const { prefix, endings } = loadCarriers.find(({ name }) => name === carrier) ?? { prefix: '', endings: [] };
  const ending = chance.pick(endings);
  const serial = nextNumber();
  const receiver = `+${prefix}${String(serial % numberMax).padStart(6, '0')}${ending.digits}`;
  const { text, dcs, numParts } = makeText(chance, serial);
  const remember = { round, receiver, text, account, numParts, wanted: ending.wanted, answer: undefined };
  const auth = tokens.get(account) ?? '';
  const fields = { auth, sender, receiver, text, dcs, idempotencyKey: String(serial) };
  if (chance.happens(refusedShare)) {
    const wrong = chance.pick([{ auth: `${auth}0` }, { dcs: 'BIN' }, { text: '' }, { receiver: unroutable }]);
    return { ...remember, ...wrong, wanted: undefined, request: post({ ...fields, ...wrong }) };
  }
  if (chance.happens(getShare)) {
    return { ...remember, request: { path: `/sms/send?${new URLSearchParams(fields).toString()}` } };
  }
  return { ...remember, request: post(fields) };
}

/** The request that sends a message. */
export function post(fields: object): HttpRequest {
  const headers = { 'Content-Type': 'application/json' };
  return { method: 'POST', path: '/sms/send', headers, body: JSON.stringify(fields) };
}

/** A text, mostly of one part. Parts of long texts are counted here without our code (3GPP TS 23.040, 9.2.3.24.1). */
function makeText(chance: Chance, serial: number): { text: string; dcs: string; numParts: number } {
  const name = `message ${serial} `;
  if (chance.happens(0.7)) return { text: `${name}short`, dcs: 'GSM', numParts: 1 };
  if (chance.happens(0.5)) {
    const text = name + 'long '.repeat(chance.between(30, 80));
    return { text, dcs: 'GSM', numParts: text.length <= 160 ? 1 : Math.ceil(text.length / 153) };
  }
  const text = name + 'жизнь '.repeat(chance.between(5, 40));
  return { text, dcs: 'UCS', numParts: text.length <= 70 ? 1 : Math.ceil(text.length / 67) };
}
