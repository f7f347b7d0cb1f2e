/* Drives net-smpp-carrier.pl, a carrier made of Perl's Net::SMPP. */

import { join } from 'node:path';
import { PeerProcess } from '../peer-process.ts';
import type { Peer, Taken } from '../restart.ts';
import { Shown } from '../../support/json.ts';
import { waitUntil } from '../../support/wait-until.ts';

const file = join(import.meta.dirname, 'net-smpp-carrier.pl');

/** How the carrier writes ids and receipts: see net-smpp-carrier.pl. */
export type Plan = 'decimal' | 'hex' | 'data_sm';

/** A carrier made of Perl's Net::SMPP, in a process of its own. */
export class NetSmppCarrier implements Peer {
  readonly #process: PeerProcess;

  private constructor(process: PeerProcess) {
    this.#process = process;
  }

  /** Starts the carrier on the given port or any free one. Its ids continue from `lastId`. */
  static async start({
    port,
    lastId = 100,
    plan,
  }: {
    port?: number | undefined;
    lastId?: number;
    plan: Plan;
  }): Promise<NetSmppCarrier> {
    const words = ['perl', file, String(port ?? 0), String(lastId), plan];
    const peer = new NetSmppCarrier(new PeerProcess(words, 'stdout'));
    await waitUntil('Net::SMPP listens', () => peer.#process.isOver || peer.events('listening').length > 0);
    return peer;
  }

  get port(): number {
    return this.events('listening')[0]?.number('port') ?? 0;
  }

  /** The carrier's events of one kind, in order. */
  events(kind: string): Shown[] {
    return this.#told.filter((event) => event.at('event') === kind);
  }

  /** The kinds of the carrier's events, in order. */
  get kinds(): string[] {
    return this.#told.map((event) => event.text('event'));
  }

  get taken(): Taken[] {
    return this.events('submit').map((event) => ({
      id: event.text('id'),
      sender: event.text('sender'),
      receiver: event.text('receiver'),
    }));
  }

  get acknowledged(): number {
    return this.events('acknowledged').filter((event) => event.number('status') === 0).length;
  }

  hold(): void {
    this.#process.tell('hold');
  }

  answer(count: number): void {
    this.#process.tell(`answer ${count}`);
  }

  bringReceipt({ id, sender, receiver }: Taken): void {
    this.#process.tell(`receipt ${id} ${sender} ${receiver}`);
  }

  bringInbound(octets: string): void {
    this.#process.tell(`inbound ${octets}`);
  }

  enquire(): void {
    this.#process.tell('enquire');
  }

  async kill(): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  get #told(): Shown[] {
    return this.#process.lines.map((line) => new Shown(JSON.parse(line)));
  }
}
