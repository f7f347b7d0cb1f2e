import assert from 'node:assert/strict';
import { connect, listen, readTlv } from '@morsel/smpp';
import type { Ask, Session, Version } from '@morsel/smpp';
import type { Gateway } from '../../src/app.ts';
import { answerRequest } from '../../src/edge/smpp/requests.ts';
import type { SessionApi } from '../../src/edge/smpp/requests.ts';

/** What a request was answered with, in few words. */
export interface SmppAnswer {
  readonly status: number;
  readonly messageId: string;
  /** additional_status_info_text. */
  readonly text: string | undefined;
  readonly command: string;
}

/** A listener that admits everybody as the account of its system_id. */
export async function openSessions(gateway: Gateway, api: SessionApi = gateway.session) {
  return listen({
    port: 0,
    host: '127.0.0.1',
    system_id: 'morsel',
    authenticate: ({ bind }) => {
      const { system_id: systemId } = bind;
      const account = () => {
        const accounts = [...gateway.operator.snapshot().accounts.values()];
        const found = accounts.find(({ name }) => name === systemId);
        assert.ok(found, systemId);
        return found;
      };
      return Promise.resolve({
        kind: 'admitted' as const,
        handlers: (session: Session) => ({
          onRequest: (pdu, respond) =>
            answerRequest(api, { account, session, id: '1', submits: { accepted: 0, refused: 0 } }, { pdu, respond }),
        }),
      });
    },
  });
}

/** A client that is bound, and closes itself. */
export class SmppClient implements AsyncDisposable {
  readonly session: Session;

  private constructor(session: Session) {
    this.session = session;
  }

  static async open(port: number, systemId = 'acme', version: Version = 0x34): Promise<SmppClient> {
    const session = await connect({
      host: '127.0.0.1',
      port,
      windowMax: 500,
      bind: {
        command: version === 0x33 ? 'bind_transmitter' : 'bind_transceiver',
        system_id: systemId,
        password: 'secret',
        interface_version: version,
      },
      onRequest: (_pdu, respond) => void respond(0),
    });
    return new SmppClient(session);
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

  /** Sends a submit_sm with what every message needs where it is not given. */
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
