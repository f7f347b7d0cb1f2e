/* A carrier on a real socket that throttles above a limit a second. */

import { statuses } from '@morsel/smpp';
import { ScriptedCarrier, type Held } from './scripted-carrier.ts';

export interface PacedOptions {
  /** The submit_sm that the carrier accepts in any second; it refuses the others with ESME_RTHROTTLED. */
  readonly perSecond?: number;
  /** The time from a submit_sm to its answer. */
  readonly answerMs?: number;
  /** The statuses with which the carrier refuses the first binds; it accepts later ones. */
  readonly refusedBinds?: readonly number[];
}

/** A carrier that accepts a limited number of messages a second, and notes when it accepted or throttled each. */
export class PacedCarrier implements AsyncDisposable {
  /** The receivers of accepted messages, in order. */
  readonly taken: string[] = [];
  readonly takenAt: number[] = [];
  /** The times at which the carrier throttled a message. */
  readonly refusedAt: number[] = [];
  readonly bindsAt: number[] = [];
  inFlightMost = 0;
  perSecond: number;
  readonly #answerMs: number;
  #inFlight = 0;
  #carrier: ScriptedCarrier | undefined;

  private constructor({ perSecond = Infinity, answerMs = 0 }: PacedOptions) {
    this.perSecond = perSecond;
    this.#answerMs = answerMs;
  }

  static async open(options: PacedOptions = {}): Promise<PacedCarrier> {
    const paced = new PacedCarrier(options);
    const refusals = [...(options.refusedBinds ?? [])];
    paced.#carrier = await ScriptedCarrier.open({
      onSubmit: (submit) => paced.#take(submit),
      refusal: () => {
        paced.bindsAt.push(performance.now());
        return refusals.shift();
      },
    });
    return paced;
  }

  get port(): number {
    return this.#carrier?.port ?? 0;
  }

  get links(): number {
    return this.sessions.length;
  }

  get sessions(): ScriptedCarrier['sessions'] {
    return this.#carrier?.sessions ?? [];
  }

  #take({ pdu, respond }: Held): void {
    this.inFlightMost = Math.max(this.inFlightMost, ++this.#inFlight);
    const isTaken = this.#count(pdu.destination_addr);
    const answer = () => {
      this.#inFlight -= 1;
      respond(isTaken ? 0 : statuses.ESME_RTHROTTLED, { message_id: isTaken ? String(this.taken.length) : '' });
    };
    if (this.#answerMs === 0) answer();
    else setTimeout(answer, this.#answerMs);
  }

  #count(receiver: string): boolean {
    const now = performance.now();
    const lastSecond = this.takenAt.findLastIndex((at) => at <= now - 1_000);
    if (this.takenAt.length - 1 - lastSecond >= this.perSecond) {
      this.refusedAt.push(now);
      return false;
    }
    this.taken.push(receiver);
    this.takenAt.push(now);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#carrier?.close();
  }
}
