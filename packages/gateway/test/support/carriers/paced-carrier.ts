/* A carrier on a real socket that answers after a while, and counts requests in flight. */

import { ScriptedCarrier, type Held } from './scripted-carrier.ts';

export interface PacedOptions {
  /** The time from a submit_sm to its answer. */
  readonly answerMs?: number;
  /** The statuses with which the carrier refuses the first binds; it accepts later ones. */
  readonly refusedBinds?: readonly number[];
}

/** A carrier that accepts all messages, and notes when each of them came. */
export class PacedCarrier implements AsyncDisposable {
  /** The receivers of accepted messages, in order. */
  readonly taken: string[] = [];
  readonly takenAt: number[] = [];
  readonly bindsAt: number[] = [];
  inFlightMost = 0;
  readonly #answerMs: number;
  #inFlight = 0;
  #carrier: ScriptedCarrier | undefined;

  private constructor({ answerMs = 0 }: PacedOptions) {
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
    this.taken.push(pdu.destination_addr);
    this.takenAt.push(performance.now());
    const id = String(this.taken.length);
    const answer = () => {
      this.#inFlight -= 1;
      respond(0, { message_id: id });
    };
    if (this.#answerMs === 0) answer();
    else setTimeout(answer, this.#answerMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#carrier?.close();
  }
}
