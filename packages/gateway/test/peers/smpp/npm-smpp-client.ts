/* A client made of the npm package `smpp`, for the tests of client-talk.ts. */

import { connect, type Pdu, type Session } from 'smpp';
import { login, ours } from '../client-account.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** How the client binds to the gateway. */
export interface NpmSmppBind {
  readonly port: number;
  readonly as: 'transmitter' | 'receiver' | 'transceiver';
  /** interface_version. */
  readonly version: number;
}

/** A message to be sent in one submit_sm. */
interface ToSubmit {
  readonly to: string;
  readonly text: string;
  /** 8 is UCS-2; without it the default of data_coding 0, the GSM alphabet. */
  readonly dataCoding?: 0 | 8;
  readonly schedule?: string;
  /** Whether the text is in message_payload. */
  readonly isPayload?: boolean;
  /** user_message_reference; 0 or undefined to leave it out. */
  readonly reference?: number;
}

/** The answer to a request of the client. */
interface PeerAnswer {
  readonly status: number;
  readonly messageId: string;
  /** message_state of query_sm_resp. */
  readonly state: number;
}

/** A deliver_sm that the client got. */
interface PeerDelivered {
  readonly from: string;
  readonly to: string;
  readonly esmClass: number;
  /** The text in short_message or message_payload. */
  readonly text: string;
  /** receipted_message_id; empty if there is none. */
  readonly receiptedId: string;
  /** message_state and user_message_reference; 0 where there is none. */
  readonly state: number;
  readonly reference: number;
}

/** A client made of the npm package `smpp`. */
export class NpmSmppClient implements AsyncDisposable {
  readonly delivered: PeerDelivered[] = [];
  /** PDUs that the client did not expect, and does not answer. */
  readonly unexpected: string[] = [];
  readonly #session: Session;
  #isOver = false;

  private constructor(session: Session) {
    this.#session = session;
    session.on('pdu', (pdu: Pdu) => this.#hear(pdu));
    session.on('error', () => session.destroy());
    session.on('close', () => (this.#isOver = true));
  }

  /** Opens a connection, and binds. Rejects if the gateway refuses the bind. */
  static async bind({ port, as, version }: NpmSmppBind): Promise<NpmSmppClient> {
    const session = connect({ host: 'localhost', port });
    const peer = new NpmSmppClient(session);
    let isConnected = false;
    session.on('connect', () => (isConnected = true));
    await waitUntil('npm smpp is connected', () => isConnected || peer.#isOver);
    const { systemId: system_id, password } = login;
    const answer = await peer.#ask((hear) =>
      session[`bind_${as}`]({ system_id, password, interface_version: version }, hear),
    );
    if (answer.status === 0) return peer;
    session.destroy();
    throw new Error(`npm smpp is not bound: ${answer.status}`);
  }

  submit({ to, text, dataCoding = 0, schedule = '', isPayload = false, reference = 0 }: ToSubmit): Promise<PeerAnswer> {
    const fields = {
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: ours,
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: to,
      registered_delivery: 1,
      // A fault of the package: without a data_coding it writes 1, which is ASCII, for octets of the GSM alphabet.
      data_coding: dataCoding,
      schedule_delivery_time: schedule,
      ...(reference === 0 ? {} : { user_message_reference: reference }),
      ...(isPayload ? { message_payload: text } : { short_message: text }),
    };
    return this.#ask((hear) => this.#session.submit_sm(fields, hear));
  }

  query(message_id: string): Promise<PeerAnswer> {
    return this.#ask((hear) => this.#session.query_sm({ message_id }, hear));
  }

  cancel(message_id: string): Promise<PeerAnswer> {
    return this.#ask((hear) => this.#session.cancel_sm({ message_id }, hear));
  }

  enquire(): Promise<PeerAnswer> {
    return this.#ask((hear) => this.#session.enquire_link(hear));
  }

  async unbind(): Promise<PeerAnswer> {
    const answer = await this.#ask((hear) => this.#session.unbind(hear));
    this.#session.close();
    await waitUntil('npm smpp has ended', () => this.#isOver);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.destroy();
    await waitUntil('npm smpp has ended', () => this.#isOver);
  }

  #hear(pdu: Pdu): void {
    if (pdu.isResponse()) return;
    if (pdu.command === 'deliver_sm') this.delivered.push(readDelivered(pdu));
    else if (pdu.command !== 'enquire_link' && pdu.command !== 'unbind') this.unexpected.push(pdu.command);
    this.#session.send(pdu.response());
  }

  async #ask(request: (hear: (answer: Pdu) => void) => boolean): Promise<PeerAnswer> {
    let answer: Pdu | undefined;
    request((pdu) => (answer = pdu));
    await waitUntil('npm smpp has an answer', () => answer !== undefined || this.#isOver);
    const { command_status: status = -1, message_id: messageId = '', message_state: state = 0 } = answer ?? {};
    return { status, messageId, state };
  }
}

function readDelivered(pdu: Pdu): PeerDelivered {
  return {
    from: pdu.source_addr ?? '',
    to: pdu.destination_addr ?? '',
    esmClass: pdu.esm_class ?? 0,
    text: pdu.message_payload?.message || pdu.short_message?.message || '',
    receiptedId: pdu.receipted_message_id ?? '',
    state: pdu.message_state ?? 0,
    reference: pdu.user_message_reference ?? 0,
  };
}
