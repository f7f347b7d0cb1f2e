/* Drives net-smpp-session.pl, a client made of Perl's Net::SMPP. */

import { join } from 'node:path';
import { login, ours } from '../client-account.ts';
import { PeerProcess } from '../peer-process.ts';
import type { PeerAnswer, PeerBind, PeerDelivered, SmppClientPeer, ToSubmit } from './smpp-client-peer.ts';
import { Shown } from '../../support/json.ts';
import { waitUntil } from '../../support/wait-until.ts';

const file = join(import.meta.dirname, 'net-smpp-session.pl');

const ucs2 = 8;

/** A client made of Perl's Net::SMPP, in a process of its own. */
export class NetSmppClient implements SmppClientPeer {
  readonly #process: PeerProcess;
  #last = 0;

  private constructor(process: PeerProcess) {
    this.#process = process;
  }

  /** Starts the client, and binds. Rejects if the gateway refuses the bind. */
  static async bind({ port, as, version }: PeerBind): Promise<NetSmppClient> {
    const words = ['perl', file, port, as, version, ours, login.systemId, login.password].map(String);
    const peer = new NetSmppClient(new PeerProcess(words, 'stdout'));
    await waitUntil('Net::SMPP is bound', () => peer.#process.isOver || peer.events('bound').length > 0);
    const status = peer.events('bound')[0]?.at('status');
    if (status === 0) return peer;
    await peer[Symbol.asyncDispose]();
    throw new Error(`Net::SMPP is not bound: ${String(status)}`);
  }

  /** The client's events of one kind, in order. */
  events(kind: string): Shown[] {
    return this.#process.lines.map((line) => new Shown(JSON.parse(line))).filter((event) => event.at('event') === kind);
  }

  get delivered(): readonly PeerDelivered[] {
    return this.events('delivered').map((event) => ({
      from: event.text('from'),
      to: event.text('to'),
      esmClass: event.number('esmClass'),
      text: textOf(event),
      receiptedId: event.text('receiptedId'),
      state: event.number('state'),
      reference: event.number('reference'),
    }));
  }

  submit(message: ToSubmit): Promise<PeerAnswer> {
    const { to, text, dataCoding = 0, schedule = '-', isPayload = false, reference = 0 } = message;
    const octets = dataCoding === ucs2 ? Buffer.from(text, 'utf16le').swap16() : Buffer.from(text, 'latin1');
    return this.#ask('submit', to, dataCoding, schedule, isPayload ? 1 : 0, reference, octets.toString('hex'));
  }

  query(messageId: string): Promise<PeerAnswer> {
    return this.#ask('query', messageId);
  }

  cancel(messageId: string): Promise<PeerAnswer> {
    return this.#ask('cancel', messageId);
  }

  enquire(): Promise<PeerAnswer> {
    return this.#ask('enquire');
  }

  async unbind(): Promise<PeerAnswer> {
    const answer = await this.#ask('unbind');
    await waitUntil('Net::SMPP has ended', () => this.#process.isOver);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  async #ask(word: string, ...rest: readonly (string | number)[]): Promise<PeerAnswer> {
    const number = ++this.#last;
    this.#process.tell([word, number, ...rest].join(' '));
    const found = () => this.events('answer').find((event) => event.number('number') === number);
    await waitUntil(`${word} is answered`, () => found() !== undefined);
    const answer = found();
    return {
      status: answer?.number('status') ?? -1,
      messageId: answer?.text('messageId') ?? '',
      state: answer?.number('state') ?? 0,
    };
  }
}

const userDataHeader = 0x40;

/** Net::SMPP decodes neither alphabets nor headers, so these tests use only GSM characters that are also ASCII. */
function textOf(event: Shown): string {
  const all = Buffer.from(event.text('octets'), 'hex');
  const octets = (event.number('esmClass') & userDataHeader) === 0 ? all : all.subarray(1 + (all[0] ?? 0));
  return event.number('dataCoding') === ucs2 ? octets.swap16().toString('utf16le') : octets.toString('latin1');
}
