/* A carrier that records all that it accepted and sent, so that a test can compare it with the gateway's database. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isBound, type Session } from '@morsel/smpp';
import type { Chance } from '../support/chance.ts';
import { receiptFor, ScriptedCarrier, type Held } from '../support/carriers/scripted-carrier.ts';

const answerMaxMs = 20;
const receiptMaxMs = 200;
const againMs = 200;
/** The number to which inbound messages go. */
export const ownNumber = '41790000001';
/** The longest wait until the next inbound message. */
const phoneEveryMs = 20;

/** A submit_sm that the carrier accepted. */
export interface Taken {
  readonly session: Session;
  readonly at: number;
}

export class BookCarrier implements AsyncDisposable {
  /** The accepted submit_sm, by receiver. */
  readonly taken = new Map<string, Taken[]>();
  /** Ids and receivers of the receipts that a gateway has acknowledged. */
  readonly acknowledged = new Map<string, string>();
  /** The texts of inbound messages that a gateway has acknowledged. */
  readonly heard = new Set<string>();
  mostBinds = 0;
  readonly #chance: Chance;
  #carrier: ScriptedCarrier | undefined;
  #ids = 0;
  #texts = 0;
  #isClosed = false;
  #isTexting = false;
  /** The number of receipts and inbound messages that no gateway has acknowledged yet. */
  #open = 0;

  private constructor(chance: Chance) {
    this.#chance = chance;
  }

  static async open(chance: Chance): Promise<BookCarrier> {
    const books = new BookCarrier(chance);
    books.#carrier = await ScriptedCarrier.open({
      refusal: () => void (books.mostBinds = Math.max(books.mostBinds, books.sessions.length + 1)),
      onSubmit: (held) => void books.#take(held),
    });
    return books;
  }

  get port(): number {
    return this.#carrier?.port ?? 0;
  }

  get sessions(): readonly Session[] {
    return this.#carrier?.sessions ?? [];
  }

  /** The number of receipts and inbound messages that no gateway has acknowledged yet. */
  get open(): number {
    return this.#open;
  }

  /** Sends inbound messages until `stopTexts`. */
  async startTexts(): Promise<void> {
    this.#isTexting = true;
    while (this.#isTexting) {
      void this.#bring((session) => this.#text(session, `text ${++this.#texts}`));
      await sleep(phoneEveryMs);
    }
  }

  stopTexts(): void {
    this.#isTexting = false;
  }

  async #take({ pdu, session, respond }: Held): Promise<void> {
    const receiver = `+${pdu.destination_addr}`;
    this.taken.set(receiver, [...(this.taken.get(receiver) ?? []), { session, at: performance.now() }]);
    const id = `id-${++this.#ids}`;
    await sleep(this.#chance.between(0, answerMaxMs));
    respond(0, { message_id: id });
    await sleep(this.#chance.between(0, receiptMaxMs));
    await this.#bring(async (by) => {
      const answer = await by.request(receiptFor(pdu, id));
      const isTaken = answer.kind === 'answered' && answer.pdu.command_status === 0;
      if (isTaken) this.acknowledged.set(id, receiver);
      return isTaken;
    });
  }

  async #text(session: Session, text: string): Promise<boolean> {
    const answer = await session.request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: '41791230001',
      dest_addr_ton: 1,
      destination_addr: ownNumber,
      short_message: Buffer.from(text),
    });
    const isTaken = answer.kind === 'answered' && answer.pdu.command_status === 0;
    if (isTaken) this.heard.add(text);
    return isTaken;
  }

  /** Sends a receipt or an inbound message over any session, again and again, until a gateway acknowledges it. */
  async #bring(send: (session: Session) => Promise<boolean>): Promise<void> {
    this.#open += 1;
    while (!this.#isClosed) {
      const sessions = this.sessions.filter(({ phase, room }) => isBound(phase) && room > 0);
      const silent = sleep(2_000).then(() => false);
      if (sessions.length > 0 && (await Promise.race([send(this.#chance.pick(sessions)), silent]))) break;
      await sleep(againMs);
    }
    this.#open -= 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.stopTexts();
    await this.#carrier?.close();
  }
}
