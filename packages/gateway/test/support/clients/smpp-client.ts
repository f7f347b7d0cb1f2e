/* A client session for tests: it submits messages, and stores the deliver_sm that it gets. */

import assert from 'node:assert/strict';
import {
  connect,
  listen,
  readReceipt,
  readTlv,
  statuses,
  type Ask,
  type BindName,
  type PduOf,
  type Receipt,
  type Session,
  type StatusName,
  type Version,
} from '@morsel/smpp';
import type { Gateway } from '../../../src/app.ts';
import { loginWithoutPassword, operate } from '../store/operate.ts';
import { messageIdTag } from '../../../src/edge/clients/smpp/deliver-sm.ts';
import { answerRequest, type SessionApi } from '../../../src/edge/clients/smpp/requests.ts';

/** The answer to a request, in few words. */
export interface SmppAnswer {
  readonly status: number;
  readonly messageId: string;
  /** additional_status_info_text. */
  readonly text: string | undefined;
  readonly command: string;
}

/** Adds a login, unless the account has it already: the store looks up the login of each message. */
export async function admitLogin({ operator }: Gateway, account: string, systemId: string): Promise<void> {
  const { journal, clock } = operator;
  await journal.append<'operate'>(
    operate('login.add', { account, systemId }, { at: clock.now(), made: loginWithoutPassword }),
  );
}

/** A listener that accepts every bind. The system_id of the bind names the account. */
export async function openSessions(gateway: Gateway, api: SessionApi = gateway.session) {
  return listen({
    port: 0,
    host: '127.0.0.1',
    system_id: 'morsel',
    authenticate: async ({ bind }) => {
      const { system_id: systemId } = bind;
      const account = () => {
        const accounts = [...gateway.operator.snapshot().accounts.values()];
        const found = accounts.find(({ name }) => name === systemId);
        assert.ok(found, systemId);
        return found;
      };
      await admitLogin(gateway, systemId, systemId);
      return {
        kind: 'admitted' as const,
        handlers: (session: Session) => ({
          onRequest: (pdu, respond) =>
            answerRequest(api, { account, session, id: '1', submits: { accepted: 0, refused: 0 } }, { pdu, respond }),
        }),
      };
    },
  });
}

/** A deliver_sm that the client got. */
export interface Delivered {
  /** Our id: of an inbound message from the vendor TLV, of a receipt from its id. */
  readonly msgId: string;
  readonly text: string;
  readonly receipt: Receipt | undefined;
  readonly pdu: PduOf<'deliver_sm'>;
  /** The status of the client's answer; null if the client did not answer. */
  readonly status: number | null;
}

export interface ClientOptions {
  readonly port: number;
  readonly systemId?: string;
  readonly password?: string;
  readonly bind?: BindName;
  readonly version?: Version;
  /** Chooses the status of the answer to a deliver_sm; null leaves the deliver_sm unanswered. */
  readonly answer?: (pdu: PduOf<'deliver_sm'>) => StatusName | null;
  readonly windowMax?: number;
  /** The wait before each answer to a deliver_sm. */
  readonly delayMs?: number;
  /** The list to which the client adds each deliver_sm, if several clients share a list. */
  readonly delivered?: Delivered[];
}

/** A bound client: it sends requests, stores each deliver_sm, and answers as the test decides. */
export class SmppClient implements AsyncDisposable {
  readonly session: Session;
  readonly delivered: Delivered[];

  private constructor(session: Session, delivered: Delivered[]) {
    this.session = session;
    this.delivered = delivered;
  }

  static async bind(options: ClientOptions): Promise<SmppClient> {
    const { port, systemId = 'acme', password = 'Right-1', bind = 'bind_transceiver', version = 0x34 } = options;
    const { answer = () => 'ESME_ROK', delayMs = 0, delivered = [], windowMax } = options;
    const session = await connect({
      host: '127.0.0.1',
      port,
      bind: { command: bind, system_id: systemId, password, interface_version: version },
      handlerStallMs: Infinity,
      ...(windowMax !== undefined && { windowMax }),
      onRequest: (pdu, respond) => {
        if (pdu.command !== 'deliver_sm') {
          respond(statuses.ESME_RINVCMDID);
          return;
        }
        const name = answer(pdu);
        const status = name === null ? null : statuses[name];
        delivered.push({ ...readDelivered(pdu), status });
        if (status === null) return;
        if (delayMs === 0) respond(status);
        else setTimeout(() => respond(status), delayMs);
      },
    });
    return new SmppClient(session, delivered);
  }

  /** Binds a client whose window has room for 500 submit_sm. */
  static open(port: number, systemId = 'acme', version: Version = 0x34): Promise<SmppClient> {
    const bind = version === 0x33 ? 'bind_transmitter' : 'bind_transceiver';
    return SmppClient.bind({ port, systemId, version, bind, windowMax: 500 });
  }

  /** The deliver_sm that the client answered with 0. */
  get taken(): readonly Delivered[] {
    return this.delivered.filter(({ status }) => status === 0);
  }

  async ask(pdu: Ask): Promise<SmppAnswer> {
    const answer = await this.session.request(pdu);
    assert.equal(answer.kind, 'answered', JSON.stringify(answer));
    assert.ok(answer.kind === 'answered');
    return {
      status: answer.pdu.command_status,
      messageId: 'message_id' in answer.pdu ? (answer.pdu.message_id ?? '') : '',
      text: readTlv(answer.pdu, 'additional_status_info_text'),
      command: answer.pdu.command,
    };
  }

  /** Sends a submit_sm, with defaults for missing fields that every message needs. */
  submit(fields: Partial<Extract<Ask, { command: 'submit_sm' }>>): Promise<SmppAnswer> {
    return this.ask({
      command: 'submit_sm',
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: '41790000001',
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: '41791230001',
      ...fields,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.unbind();
  }
}

function readDelivered(pdu: PduOf<'deliver_sm'>): Omit<Delivered, 'status'> {
  const receipt = readReceipt(pdu);
  const octets = pdu.short_message.length > 0 ? pdu.short_message : readTlv(pdu, 'message_payload');
  const ours = pdu.tlvs.find(({ tag }) => tag === messageIdTag);
  const id = Buffer.from(ours?.value ?? []).toString('latin1');
  return {
    msgId: receipt?.id ?? id.replace('\0', ''),
    text: Buffer.from(octets ?? []).toString('latin1'),
    receipt,
    // The PDU's octets are views of the read buffer.
    pdu: structuredClone(pdu),
  };
}
