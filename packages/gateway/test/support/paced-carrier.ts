import { listen, statuses } from '@morsel/smpp';
import type { PduOf, Server } from '@morsel/smpp';

/** What it has not answered by the end of a test, nobody wants any more. */
const drainMs = 200;

const throttled = statuses.ESME_RTHROTTLED;
const wrongPassword = statuses.ESME_RINVPASWD;

export interface PacedOptions {
  readonly port?: number;
  /** What it takes in any second; the rest is refused with ESME_RTHROTTLED. */
  readonly perSecond?: number;
  /** From submit_sm to its answer. */
  readonly answerMs?: number;
  /** What the first binds are answered with, one after the other; the next are taken. */
  readonly refusedBinds?: readonly number[];
}

/** A carrier that counts, and takes so many a second. */
export class PacedCarrier implements AsyncDisposable {
  /** The receivers of what it took, in order. */
  readonly taken: string[] = [];
  readonly takenAt: number[] = [];
  /** When it refused one that came too fast. */
  readonly refusedAt: number[] = [];
  readonly bindsAt: number[] = [];
  inFlightMost = 0;
  perSecond: number;
  readonly #server: Server;

  private constructor(server: (carrier: PacedCarrier) => Server, perSecond: number) {
    this.perSecond = perSecond;
    this.#server = server(this);
  }

  static async open(options: PacedOptions = {}): Promise<PacedCarrier> {
    const { answerMs = 0, refusedBinds = [] } = options;
    const refusals = [...refusedBinds];
    let carrier: PacedCarrier | undefined;
    let inFlight = 0;
    const server = await listen({
      port: options.port ?? 0,
      host: '127.0.0.1',
      system_id: 'paced',
      authenticate: async () => {
        carrier?.bindsAt.push(performance.now());
        const command_status = refusals.shift();
        if (command_status !== undefined) return { kind: 'refused', command_status };
        return {
          kind: 'admitted',
          handlers: () => ({
            onRequest: (pdu, respond) => {
              if (pdu.command !== 'submit_sm' || !carrier) {
                respond(0);
                return;
              }
              inFlight += 1;
              carrier.inFlightMost = Math.max(carrier.inFlightMost, inFlight);
              const isTaken = carrier.#take(pdu);
              const answer = () => {
                inFlight -= 1;
                respond(isTaken ? 0 : throttled, { message_id: isTaken ? String(carrier?.taken.length) : '' });
              };
              if (answerMs === 0) answer();
              else setTimeout(answer, answerMs);
            },
          }),
        };
      },
    });
    carrier = new PacedCarrier(() => server, options.perSecond ?? Number.POSITIVE_INFINITY);
    return carrier;
  }

  static readonly wrongPassword = wrongPassword;

  get port(): number {
    return this.#server.port;
  }

  get links(): number {
    return this.#server.sessions.length;
  }

  get sessions(): Server['sessions'] {
    return this.#server.sessions;
  }

  #take({ destination_addr }: PduOf<'submit_sm'>): boolean {
    const now = performance.now();
    const lastSecond = this.takenAt.findLastIndex((at) => at <= now - 1_000);
    if (this.takenAt.length - 1 - lastSecond >= this.perSecond) {
      this.refusedAt.push(now);
      return false;
    }
    this.taken.push(destination_addr);
    this.takenAt.push(now);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close(drainMs);
  }
}
