import type { Session } from '@morsel/smpp';
import { receiptFor, ScriptedCarrier, type Held } from '../../support/carriers/scripted-carrier.ts';

/**
 * A carrier without timers of its own: it answers at once, sends a receipt for each message unless it holds receipts,
 * and sends enquire_link on request. Only the test decides when things happen.
 */
export class Carrier implements AsyncDisposable {
  /** Receivers, in the order of arrival. */
  readonly receivers: string[] = [];
  /** The command_status of each answer to a receipt. */
  readonly receiptAnswers: number[] = [];
  /** Whether receipts wait until the test calls `deliver`. */
  isHolding = false;
  readonly #held: (() => void)[] = [];
  #carrier: ScriptedCarrier | undefined;

  static async start(): Promise<Carrier> {
    const carrier = new Carrier();
    carrier.#carrier = await ScriptedCarrier.open({ onSubmit: (submit) => carrier.#take(submit) });
    return carrier;
  }

  get port(): number {
    return this.#carrier?.port ?? 0;
  }

  /** The number of receipts that the gateway has acknowledged. */
  get acknowledged(): number {
    return this.receiptAnswers.filter((status) => status === 0).length;
  }

  /** Sends the held receipts. They stay held, so that the next call sends them again. */
  deliver(): void {
    for (const bring of this.#held) bring();
  }

  /** Sends enquire_link on every link. Returns the milliseconds until the first answer. */
  async enquire(): Promise<number> {
    const begin = performance.now();
    await Promise.race(this.#sessions.map((session) => session.request({ command: 'enquire_link' })));
    return performance.now() - begin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#carrier?.close();
  }

  get #sessions(): readonly Session[] {
    return this.#carrier?.sessions ?? [];
  }

  #take({ pdu, session, respond }: Held): void {
    this.receivers.push(pdu.destination_addr);
    const id = String(this.receivers.length);
    respond(0, { message_id: id });
    const bring = () => void this.#bring(receiptFor(pdu, id), session);
    if (this.isHolding) this.#held.push(bring);
    else bring();
  }

  /** Sends a receipt over a link that is not a transmitter. */
  async #bring(receipt: ReturnType<typeof receiptFor>, session: Session): Promise<void> {
    const receiver = this.#sessions.find(({ phase }) => phase !== 'bound_tx') ?? session;
    const answer = await receiver.request(receipt);
    if (answer.kind === 'answered') this.receiptAnswers.push(answer.pdu.command_status);
  }
}
