import type { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';

/** Requests in flight at once, less than every window. */
const inFlight = 4;

/** Inbound messages to a number, one after the other, through a carrier that sends each until it is acknowledged. */
export class PhoneTraffic {
  /** Texts that the gateway acknowledged. */
  readonly acknowledged = new Set<string>();
  readonly #carrier: ScriptedCarrier;
  readonly #number: string;
  readonly #waiting: string[] = [];
  #texts = 0;

  /** The number without its plus. */
  constructor(carrier: ScriptedCarrier, number: string) {
    this.#carrier = carrier;
    this.#number = number;
  }

  /** Sends texts until the link ends, or all are acknowledged and no new ones are due. */
  async bring(isNew: boolean): Promise<void> {
    const one = async (): Promise<void> => {
      for (;;) {
        const text = this.#waiting.shift() ?? (isNew ? `text ${++this.#texts}` : undefined);
        if (text === undefined) return;
        if (await this.#bringOne(text)) continue;
        this.#waiting.push(text);
        return;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  }

  async #bringOne(text: string): Promise<boolean> {
    if (this.#carrier.links === 0) return false;
    const answer = await this.#carrier.session().request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: '41791230001',
      dest_addr_ton: 1,
      destination_addr: this.#number,
      short_message: Buffer.from(text),
    });
    const isTaken = answer.kind === 'answered' && answer.pdu.command_status === 0;
    if (isTaken) this.acknowledged.add(text);
    return isTaken;
  }
}
