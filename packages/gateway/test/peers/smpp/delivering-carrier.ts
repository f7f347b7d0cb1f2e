/* A carrier for tests of clients: it accepts and delivers everything. */

import { setTimeout as sleep } from 'node:timers/promises';
import { decodeText, parseHeader } from '@morsel/gsm';
import { writeReceipt, type Ask, type PduOf, type Session } from '@morsel/smpp';
import { ScriptedCarrier, type Held } from '../../support/carriers/scripted-carrier.ts';
import { ours } from '../client-account.ts';

const againMs = 50;
/** The wait before a receipt: a client with two connections could otherwise read the receipt before the answer. */
const receiptAfterMs = 100;
const ucs2 = 8;
const userDataHeader = 0x40;

/** A submit_sm as received. */
export interface Given {
  readonly id: string;
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
}

/**
 * A carrier where everything succeeds: each submit_sm gets its answer and a receipt. Receipts and inbound messages are
 * sent until they are acknowledged, over any link.
 */
export class DeliveringCarrier implements AsyncDisposable {
  /** The submit_sm, in the order of arrival. */
  readonly given: Given[] = [];
  /** A receiver whose messages become undeliverable. */
  undeliverable: string | undefined;
  #carrier: ScriptedCarrier | undefined;
  readonly #ending = new AbortController();
  readonly #bringing = new Set<Promise<void>>();

  static async start(): Promise<DeliveringCarrier> {
    const carrier = new DeliveringCarrier();
    carrier.#carrier = await ScriptedCarrier.open({ onSubmit: (submit) => carrier.#take(submit) });
    return carrier;
  }

  get port(): number {
    return this.#carrier?.port ?? 0;
  }

  /** Texts sent to one number, in the order of arrival. */
  textsTo(receiver: string): string[] {
    return this.given.filter((each) => each.receiver === receiver).map(({ text }) => text);
  }

  /** Sends an inbound message to the account's number. Resolves once the gateway has acknowledged it. */
  async bring(fields: Pick<Ask & { command: 'deliver_sm' }, 'short_message' | 'data_coding' | 'esm_class'>) {
    await this.#bring({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: '41791230001',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: ours,
      ...fields,
    });
  }

  bringText(text: string): Promise<void> {
    return this.bring({ short_message: Buffer.from(text, 'latin1') });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#carrier?.close();
    await Promise.all(this.#bringing);
  }

  #take({ pdu, respond }: Held): void {
    const id = String(this.given.length + 1);
    const { source_addr: sender, destination_addr: receiver } = pdu;
    this.given.push({ id, sender, receiver, text: textOf(pdu) });
    respond(0, { message_id: id });
    const state = receiver === this.undeliverable ? 'UNDELIVERABLE' : 'DELIVERED';
    const now = Date.now();
    const bringing = this.#bringLater({
      command: 'deliver_sm',
      source_addr: receiver,
      destination_addr: sender,
      ...writeReceipt({ id, state, submittedAtMs: now, doneAtMs: now }),
    }).finally(() => this.#bringing.delete(bringing));
    this.#bringing.add(bringing);
  }

  async #bringLater(pdu: Ask & { command: 'deliver_sm' }): Promise<void> {
    await sleep(receiptAfterMs);
    await this.#bring(pdu);
  }

  async #bring(pdu: Ask & { command: 'deliver_sm' }): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const session = this.#session();
      const answer = await session?.request(pdu);
      if (answer?.kind === 'answered' && answer.pdu.command_status === 0) return;
      await sleep(againMs);
    }
  }

  #session(): Session | undefined {
    return this.#carrier?.sessions.find((session) => session.room > 0);
  }
}

function textOf({ data_coding, esm_class, short_message }: PduOf<'submit_sm'>): string {
  const encoding = data_coding === ucs2 ? 'ucs2' : 'gsm7';
  const header = (esm_class & userDataHeader) === 0 ? undefined : parseHeader(short_message);
  return decodeText({ encoding, data: short_message.subarray(header?.length ?? 0) });
}
