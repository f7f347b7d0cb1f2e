import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import {
  type ConnectOptions,
  type RequestName,
  type PduOf,
  type Answer,
  type Ask,
  type Session,
  connect,
  readReceipt,
} from '@morsel/smpp';
import type { SimulatorOptions } from '../src/options.ts';
import { type Simulator, startSimulator } from '../src/simulator.ts';

/*
 * Support for the tests of the simulator: a client that records the requests from the simulator.
 */

/** How long a test waits for a request before it fails: much longer than any test takes. */
const patienceMs = 10_000;

export interface Peer extends AsyncDisposable {
  readonly session: Session;
  readonly heard: PduOf<RequestName>[];
  /** Resolves when the client has got this many requests. */
  hears(count: number): Promise<PduOf<RequestName>[]>;
}

/** Starts a simulator with short delays, so that tests are fast. */
export function start(more: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  return startSimulator({ port: 0, receiptDelayMs: 5, retryMs: 10, ...more });
}

export async function client(simulator: Simulator, more: Partial<ConnectOptions> = {}): Promise<Peer> {
  const heard: PduOf<RequestName>[] = [];
  const arrivals = new EventEmitter();
  const session = await connect({
    host: '127.0.0.1',
    port: simulator.port,
    bind: { command: 'bind_transceiver', system_id: 'client', password: 'secret' },
    windowMax: 100,
    onRequest(pdu, respond) {
      heard.push(pdu);
      respond(0);
      arrivals.emit('request');
    },
    ...more,
  });
  return {
    session,
    heard,
    async hears(count) {
      const signal = AbortSignal.timeout(patienceMs);
      while (heard.length < count) await once(arrivals, 'request', { signal });
      return heard;
    },
    [Symbol.asyncDispose]: async () => void (await session.unbind()),
  };
}

export function submit(digits: string, more: Partial<Ask> = {}): Ask & { command: 'submit_sm' } {
  return {
    source_addr_ton: 3,
    source_addr: '72000',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: `4670000${digits}`,
    registered_delivery: 1,
    short_message: Buffer.from('A text of more than twenty octets'),
    ...more,
    command: 'submit_sm',
  };
}

/** Returns the message_id of an answer. Fails if the status of the answer is not 0. */
export function accepted(answer: Answer): string {
  assert.ok(answer.kind === 'answered' && answer.pdu.command_status === 0, JSON.stringify(answer));
  assert.ok('message_id' in answer.pdu);
  return answer.pdu.message_id ?? '';
}

/** Returns the status of each answer, or the reason why no answer came. */
export function statusesOf(answers: readonly Answer[]): (number | string)[] {
  return answers.map((answer) => (answer.kind === 'answered' ? answer.pdu.command_status : answer.kind));
}

/** Returns the state, the `stat` and the id of a receipt. */
export function receipt(pdu: PduOf<RequestName> | undefined): unknown[] {
  assert.ok(pdu?.command === 'deliver_sm' || pdu?.command === 'data_sm');
  const read = readReceipt(pdu);
  return [read?.state, read?.statText, read?.id];
}
