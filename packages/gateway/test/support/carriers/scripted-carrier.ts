/* A carrier for which a test decides each answer. */

import {
  isBound,
  listen,
  writeReceipt,
  type Ask,
  type MessageState,
  type PduOf,
  type Respond,
  type Server,
  type Session,
} from '@morsel/smpp';
import { waitUntil } from '../wait-until.ts';

/** The wait for open requests at the end of a test: a request that the test did not answer stays unanswered. */
const drainMs = 200;

/** A submit_sm that waits for the test's answer. */
export interface Held {
  readonly pdu: PduOf<'submit_sm'>;
  readonly session: Session;
  readonly respond: Respond;
}

export interface CarrierOptions {
  /** The port; any free port by default. */
  readonly port?: number;
  /** Answers a submit_sm, now or later. Without this function the test answers each submit_sm, in any order. */
  readonly onSubmit?: (submit: Held) => void;
  /** The status that refuses a bind; undefined accepts it. */
  readonly refusal?: () => number | undefined;
}

/** A carrier under a test's control: each submit_sm waits for its answer, unless it is answered at once. */
export class ScriptedCarrier implements AsyncDisposable {
  readonly held: readonly Held[];
  /** When each bind came, refused or not. */
  readonly bindsAt: readonly number[];
  readonly #server: Server;

  private constructor(server: Server, held: readonly Held[], bindsAt: readonly number[]) {
    this.#server = server;
    this.held = held;
    this.bindsAt = bindsAt;
  }

  static async open({ port = 0, onSubmit, refusal }: CarrierOptions = {}): Promise<ScriptedCarrier> {
    const held: Held[] = [];
    const bindsAt: number[] = [];
    const take = onSubmit ?? ((submit) => void held.push(submit));
    const server = await listen({
      port,
      host: '127.0.0.1',
      system_id: 'scripted',
      handlerStallMs: Infinity,
      authenticate: async () => {
        bindsAt.push(performance.now());
        const command_status = refusal?.();
        if (command_status !== undefined) return { kind: 'refused', command_status };
        return {
          kind: 'admitted',
          handlers: (session) => ({
            onRequest: (pdu, respond) => {
              if (pdu.command === 'submit_sm') take({ pdu, session, respond });
              else respond(0);
            },
          }),
        };
      },
    });
    return new ScriptedCarrier(server, held, bindsAt);
  }

  get port(): number {
    return this.#server.port;
  }

  get links(): number {
    return this.sessions.length;
  }

  /** The bound sessions. A session that the gateway is ending, and that only waits for answers, is left out. */
  get sessions(): readonly Session[] {
    return this.#server.sessions.filter(({ phase }) => isBound(phase));
  }

  /** Resolves with the submit_sm with this index, as soon as the carrier has got it. */
  submit(place: number): Promise<Held> {
    return waitUntil(`submit_sm number ${place + 1} has come, of ${this.held.length}`, () => this.held[place]);
  }

  /** The carrier's first bound session, for tests with one link; fails if there is none. */
  session(): Session {
    const [session] = this.sessions;
    if (!session) throw new Error('nobody is bound');
    return session;
  }

  async close(): Promise<void> {
    await this.#server.close(drainMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A receipt for a part, as carriers send it. */
export function receiptFor(
  pdu: PduOf<'submit_sm'>,
  id: string,
  state: MessageState = 'DELIVERED',
): Ask & { command: 'deliver_sm' } {
  const now = Date.now();
  const written = writeReceipt({ id, state, submittedAtMs: now, doneAtMs: now, error: '000', text: new Uint8Array() });
  return {
    command: 'deliver_sm',
    source_addr_ton: pdu.dest_addr_ton,
    source_addr_npi: pdu.dest_addr_npi,
    source_addr: pdu.destination_addr,
    dest_addr_ton: pdu.source_addr_ton,
    dest_addr_npi: pdu.source_addr_npi,
    destination_addr: pdu.source_addr,
    ...written,
  };
}
